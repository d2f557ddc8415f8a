# How the C that oocc makes is compiled: the one place for these flags. `oocc --emit=exe`, oocc_add_stencil() and pkg-config's
# variable stencil_cflags all have them from here. The three -f are what the bits of a result, and vector loops, depend on.
set(OOCC_PROGRAM_FLAGS -std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp)
set(OOCC_PROGRAM_MARCH -march=native) # where a program runs on the machine that builds it
