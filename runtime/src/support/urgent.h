/* urgent.h: threads that do little at a time, but at once. */
#ifndef OOCC_URGENT_H
#define OOCC_URGENT_H

/*
 * Asks the kernel to run the calling thread, and those that it starts, as soon as they wake, although every core is at work. A thread
 * that hands requests to the device wakes for microseconds, and without this it waits for the end of a time slice of the thread that
 * computes on its core (3 ms are usual), while the device has nothing to do. Short slices of its own are a hint to Linux from 6.12 on
 * (sched(7), EEVDF); a lower nice value is asked for as well, where the process may (CAP_SYS_NICE or RLIMIT_NICE). What the kernel
 * does not grant is done without.
 */
void urgent_thread(void);

#endif
