"""Names that something else has: C, its libraries, the emitter; and names that the emitter would make of other names."""

KEYWORDS = """auto break case char const continue default do double enum extern float for goto inline int long register restrict
return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary _Generic
_Atomic _Alignas _Alignof _Noreturn _Static_assert _Thread_local asm typeof __asm__ __attribute__ __extension__ __typeof__
__builtin_trap __int128 __label__ __real__ nullptr constexpr auto_type _BitInt _Float16 _Decimal32 _Pragma defined""".split()

LIBRARY = """main exp fabs sin pow fma memcpy malloc free system printf stdin stdout stderr errno NULL NAN INFINITY HUGE_VAL M_PI I
complex imaginary linux unix i386 __linux__ EOF assert offsetof size_t ptrdiff_t int64_t uint8_t INT64_C UINT64_C INT64_MIN bool
abs y0 y1 j0 j1 gamma signgam __FILE__ __LINE__ __DATE__ __COUNTER__ __func__ __VA_ARGS__ __STDC__ environ _exit oocc_main
oocc_plane oocc_pass oocc_thread OOCC_ABI OOCC_MAX_DIMS oocc omp omp_get_thread_num omp_in omp_out omp_priv _OPENMP simd parallel
reduction private""".split()

EMITTER = """p s t0 lo hi x_lo x_hi w_lo w_hi s_lo s_hi lam rho lag left right ahead first last rows end set k c g i j v w item part from
to value best key nans each out old row plane block level cells near grid size param let watched every place bound points signals
records watches dims params fields outputs program stop stop_text setup use_grid pass slab tile chain side make_side first_side
FIELD_u STEP_DELAY SLOPE_LO WEDGE_HI EDGE_ROWS TILE_LEAST WATCH_m extent steps""".split()

LANGUAGE = """stencil grid field coef temp init boundary step output fn shape scalar inject record monitor at on when where points
signal spacing pi sum min max mean laplace star box f32 f64 fixed dirichlet neumann periodic reflect order""".split()

SHORT = ["_", "__", "___", "_A", "a_", "a__", "e1", "E5", "f", "l", "u8", "L", "R", "LL", "x0", "d", "dd", "O", "l1"]

LONG = ["n" * 255, "n" * 254 + "m", "_" * 255, "x" * 31 + "a", "x" * 31 + "b", "x" * 63 + "a", "x" * 63 + "b"]

# What cannot be a name at all: the language keeps it for itself.
TAKEN = {"if", "then", "else", "and", "or", "not", "true", "false", "t"}

PREFIXES = ["f_", "p_", "l_", "n_", "i_", "v_", "w_", "given_", "FIELD_", "row_", "rows_", "cells_", "plane_", "block_", "jam_",
            "near_", "cells_of_", "cells_of_f_", "beyond_", "fill_", "ghosts_", "ghost_cells_", "gather_", "of_f_", "out_", "old_",
            "to_", "from_", "lo_", "hi_", "0_", "c_0", "k_1"]


def draw_derived(rng, base, fields, dims):
    """A name that the emitter could make of a field's, so that both would be one."""
    dim, sign, number = rng.choice(dims), rng.choice("pm"), rng.choice([1, 1, 1, 2, 3])
    time, shift = f"__t{rng.choice('ppm')}1", f"{dim}{sign}{number}"
    return rng.choice([
        lambda: base + time,
        lambda: f"{base}__{shift}",
        lambda: f"{base}{time}_{shift}",
        lambda: f"{base}{time}_2",
        lambda: f"{rng.choice(['inject', 'inject', 'record', 'watch'])}{rng.randrange(10)}_{base}",
        lambda: rng.choice(PREFIXES) + base,
        lambda: "f_" + base,
        lambda: rng.choice(["of_f_", "cells_of_f_"]) + base + rng.choice([time, "__" + shift, ""]),
        lambda: f"{base}_{rng.choice([dim, dim + '_lo', 'lo', 'hi', '2', '3', 'to_' + rng.choice(fields)])}",
    ])()


def draw(rng, roles):
    """Old name to new one, all of them different. Fields are mostly made of one another, dimensions sometimes; everything else may be
    any of the words above."""
    pools = [KEYWORDS, LIBRARY, EMITTER, LANGUAGE, SHORT, LONG, ["u", "v", "a", "x"]]
    favourite = rng.choice(pools)
    new, used = {}, set(TAKEN)

    def word():
        return rng.choice(favourite if rng.random() < 0.5 else rng.choice(pools))

    def give(name, made):
        while name not in new:
            candidate = made() if rng.random() < 0.9 else word()
            if candidate not in used and len(candidate) <= 255:
                used.add(candidate)
                new[name] = candidate

    of = lambda *kinds: [name for name, role in roles.items() if role in kinds]
    dims, fields = of("dim"), of("field", "coef", "temp")
    rng.shuffle(fields)
    for dim in dims:
        given = [new[d] for d in dims if d in new]
        give(dim, lambda: f"{word()}_{rng.choice(given)}" if given and rng.random() < 0.5 else word())
    for field in fields:
        given, space = [new[f] for f in fields if f in new], [new[d] for d in dims]
        if not given:
            give(field, word)
        elif rng.random() < 0.25 and any("_" in d.strip("_") for d in space):  # u along x_y, u_x along y
            dim = rng.choice([d for d in space if "_" in d.strip("_")])
            give(field, lambda: f"{rng.choice(given)}_{dim.rpartition('_')[0]}")
        else:
            give(field, lambda: draw_derived(rng, rng.choice(given), given, space))
    for name in roles:
        if roles[name] == "fn":
            give(name, lambda: "fn_" + word() if rng.random() < 0.9 else word())  # functions of the language cannot be declared
        elif name not in new:
            others = [new[f] for f in fields]
            give(name, lambda: draw_derived(rng, rng.choice(others), others, [new[d] for d in dims])
                 if rng.random() < 0.3 else word())
    return new
