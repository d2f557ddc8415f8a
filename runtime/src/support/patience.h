/* patience.h: how long OpenMP's threads spin before they go to sleep. */
#ifndef OOCC_PATIENCE_H
#define OOCC_PATIENCE_H

/*
 * A thread that waits at the end of a parallel region, or for the next one, spins for milliseconds by default. Where another program is
 * at work that is what keeps the others waiting: it uses up its time on a core that the thread it waits for has lost, and then has none
 * left when it is wanted. Spinning for as long as it takes to be woken, and sleeping then, is never much worse, and needs no better
 * knowledge (Karlin and others, Empirical studies of competitive spinning for a shared-memory multiprocessor, 1991).
 *
 * OpenMP takes this from the environment only, before main() begins. So the program sets it and starts itself anew, as the same process,
 * unless the environment has something to say about it already. `argv` is main()'s; of any other nothing is done. What cannot be had is
 * done without.
 */
void patience_limit(char **argv);

#endif
