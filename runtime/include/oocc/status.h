/* status.h: how a run ends: what programs exit with, and what the functions of embed.h return. C and C++. */
#ifndef OOCC_STATUS_H
#define OOCC_STATUS_H

/* The same for the compiler where they apply. */
enum oocc_exit {
    OOCC_OK = 0,
    OOCC_USAGE = 2,
    OOCC_BAD_INPUT = 65,   /* bad program or input file */
    OOCC_INTERNAL = 70,
    OOCC_NO_MEMORY = 71,
    OOCC_NO_SPACE = 73,    /* no space, or cannot create */
    OOCC_IO_ERROR = 74,
    OOCC_STOPPED = 75,     /* stopped, can be resumed */
    OOCC_CORRUPT = 76,     /* stored data is corrupt */
    OOCC_DENIED = 77       /* permission, or in use by another run */
};

#endif
