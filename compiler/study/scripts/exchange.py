"""Results in the formats of the auto-tuning community, times in milliseconds.

T4: the Open Autotuning Results Schema and Metadata Schema, version 1.0.0. The cache: Kernel Tuner's cache file, schema 1.1.0.
docs/formats/study.md says what stands for what.
"""
import platform

T4_VERSION, CACHE_VERSION = "1.0.0", "1.1.0"
INVALIDITY = {"done": "correct", "differs": "correctness", "refused": "constraints", "compile": "compile", "timeout": "timeout",
              "error": "runtime"}
FAILED = {"differs": "RuntimeFailedConfig", "refused": "InvalidConfig", "compile": "CompilationFailedConfig",
          "timeout": "RuntimeFailedConfig", "error": "RuntimeFailedConfig"}


def milliseconds(seconds):
    return round(1000 * seconds, 6)


def measured(found):
    return [result for result in found if result.status != "unmeasured"]


def objective_of(result, kind):
    """A time, or the word that says why there is none."""
    return milliseconds(result.objective(kind)) if result.status == "done" else FAILED[result.status]


def t4_results(found, left_out, kind):
    entries = []
    for result in measured(found):
        value = objective_of(result, kind)
        measurements = [{"name": "time", "value": value, "unit": "ms" if result.status == "done" else ""}]
        if result.status == "done":
            measurements.append({"name": "GLUP/s", "value": result.glups, "unit": "GLUP/s"})
        entries.append({
            "timestamp": result.runs[0]["began"],
            "configuration": result.variant.knobs,
            "objectives": ["time"],
            "times": {"compilation_time": milliseconds(result.compile_seconds),
                      "benchmark": milliseconds(sum(run["wall_seconds"] for run in result.runs)), "framework": 0,
                      "search_algorithm": 0, "validation": 0, "runtimes": [milliseconds(s) for s in result.seconds]},
            "invalidity": INVALIDITY[result.status],
            "correctness": 1 if result.status == "done" else 0,
            "measurements": measurements})
    for each in left_out:  # never built: the compiler knows that they are not legal
        entries.append({"configuration": each["knobs"], "objectives": ["time"], "times": {"runtimes": []},
                        "invalidity": "constraints", "correctness": 0,
                        "measurements": [{"name": "time", "value": "InvalidConfig", "unit": ""}]})
    return {"schema_version": T4_VERSION, "results": entries}


def t4_metadata(machine, oocc, compiler):
    return {"schema_version": T4_VERSION,
            "metadata": {"hardware": {"hardware_description": [machine],
                                      "operating_system": f"{platform.system()} {platform.release()}"},
                         "environment": {"device_query": {"compiler": compiler}, "requirements": [f"oocc=={oocc}"]}}}


def cache(found, variants, machine, kind):
    knobs = variants.knobs()
    extent = next((run["extent"] for result in found for run in result.runs if "extent" in run), variants.program["extent"])
    entries = {}
    for result in measured(found):
        values = result.variant.knobs
        entry = {**values, "time": objective_of(result, kind), "times": [milliseconds(s) for s in result.seconds],
                 "compile_time": milliseconds(result.compile_seconds), "verification_time": 0,
                 "benchmark_time": milliseconds(sum(run["wall_seconds"] for run in result.runs)), "strategy_time": 0,
                 "framework_time": 0, "timestamp": result.runs[0]["began"]}
        if result.status == "done":
            entry["GLUP/s"] = result.glups
        entries[",".join(str(values[name]) for name in knobs)] = entry
    return {"schema_version": CACHE_VERSION, "device_name": machine["cpu"], "kernel_name": variants.program["name"],
            "problem_size": extent, "tune_params_keys": list(knobs), "tune_params": knobs, "objective": "time", "cache": entries}
