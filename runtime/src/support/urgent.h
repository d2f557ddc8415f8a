/* urgent.h: threads that do little at a time, but at once. */
#ifndef OOCC_URGENT_H
#define OOCC_URGENT_H

/*
 * Asks the kernel to run the calling thread, and those that it starts, as soon as they wake, although every core is at work. A thread
 * that hands requests to the device wakes for microseconds, and without this it waits for the end of a time slice of the thread that
 * computes on its core (3 ms are usual), while the device has nothing to do. The lowest of the real-time priorities ends that, where
 * the process may have it (CAP_SYS_NICE or RLIMIT_RTPRIO). Otherwise short slices are asked for, which are a hint to Linux from 6.12 on
 * (sched(7), EEVDF), with a lower nice value where the process may have that (CAP_SYS_NICE or RLIMIT_NICE): then it still waits now and
 * again. What the kernel does not grant is done without.
 */
void urgent_thread(void);

#endif
