"""exp, log, sin, cos, tan, tanh, atan2 and pow of the language (docs/language.md): the same bits, whatever the C library."""
import numpy as np

import functions_f32
import functions_f64


def of_language(name):
    """In f32 where the first argument is, otherwise in f64."""
    def call(*args):
        args = [np.asarray(a) for a in args]
        type, module = (np.float32, functions_f32) if args[0].dtype == np.float32 else (np.float64, functions_f64)
        with np.errstate(all="ignore"):
            values = getattr(module, name)(*(np.atleast_1d(a.astype(type)) for a in args))
        return values.astype(args[0].dtype).reshape(np.broadcast_shapes(*(a.shape for a in args)))[()]
    return call


FUNCTIONS = {name: of_language(name) for name in ("exp", "log", "sin", "cos", "tan", "tanh", "atan2", "pow")}
