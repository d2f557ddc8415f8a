/*
 * point.h: named instants of a run, at which --kill-at ends it (or stops it, or sends it a signal): what tests of crashes
 * are made of. Every step that changes what is on disk has one before it and one after it. A point that is not armed costs
 * one comparison, and none is inside a loop over cells.
 */
#ifndef OOCC_POINT_H
#define OOCC_POINT_H

#include <stdatomic.h>

#define POINTS(X)                                   \
    X(SCRATCH_MADE, "scratch:made")                 \
    X(LOCK_OPENED, "lock:opened")                   \
    X(LOCK_TAKEN, "lock:taken")                     \
    X(LOCK_WRITTEN, "lock:written")                 \
    X(DISCARD_BEGIN, "discard:begin")               \
    X(DISCARD_MANIFEST, "discard:manifest")         \
    X(DISCARD_MEMBER, "discard:member")             \
    X(CREATE_BEGIN, "create:begin")                 \
    X(LABEL_WRITTEN, "label:written")               \
    X(LABEL_DONE, "label:done")                     \
    X(CREATE_FILE, "create:file")                   \
    X(CREATE_MEMBER, "create:member")               \
    X(RESUME_OPENED, "resume:opened")               \
    X(RECORD_OPENED, "record:opened")               \
    X(IMPORT_BEGIN, "import:begin")                 \
    X(IMPORT_CHUNK, "import:chunk")                 \
    X(IMPORT_MADE, "import:made")                   \
    X(IMPORT_DONE, "import:done")                   \
    X(PASS_BEGIN, "pass:begin")                     \
    X(PASS_READ, "pass:read")                       \
    X(PASS_COMPUTED, "pass:computed")               \
    X(PASS_SLAB, "pass:slab")                       \
    X(PASS_WRITTEN, "pass:written")                 \
    X(RECORD_WRITTEN, "record:written")             \
    X(RECORD_SYNCED, "record:synced")               \
    X(COMMIT_BEFORE_SYNC, "commit:before-sync")     \
    X(COMMIT_FILE, "commit:file")                   \
    X(COMMIT_SYNCED, "commit:synced")               \
    X(MANIFEST_OPENED, "manifest:opened")           \
    X(MANIFEST_WRITTEN, "manifest:written")         \
    X(MANIFEST_BEFORE_RENAME, "manifest:before-rename") \
    X(MANIFEST_RENAMED, "manifest:renamed")         \
    X(MANIFEST_DONE, "manifest:done")               \
    X(COMMIT_DONE, "commit:done")                   \
    X(RECENT_WRITTEN, "recent:written")             \
    X(RECENT_DONE, "recent:done")                   \
    X(EXPORT_BEGIN, "export:begin")                 \
    X(EXPORT_CREATED, "export:created")             \
    X(EXPORT_PLANES, "export:planes")               \
    X(EXPORT_BEFORE_SYNC, "export:before-sync")     \
    X(EXPORT_BEFORE_RENAME, "export:before-rename") \
    X(EXPORT_RENAMED, "export:renamed")             \
    X(EXPORT_DONE, "export:done")                   \
    X(RECORD_COPIED, "record:copied")               \
    X(REPORT_BEGIN, "report:begin")                 \
    X(REPORT_DONE, "report:done")                   \
    X(CLOSE_BEGIN, "close:begin")                   \
    X(CLOSE_MANIFEST, "close:manifest")             \
    X(CLOSE_FILE, "close:file")                     \
    X(CLOSE_MEMBER, "close:member")                 \
    X(LOCK_RELEASING, "lock:releasing")             \
    X(LOCK_RELEASED, "lock:released")               \
    X(CLOSE_DONE, "close:done")

#define POINT_ID(id, name) POINT_##id,
enum point { POINT_NONE, POINTS(POINT_ID) POINTS_END };
#undef POINT_ID

extern _Atomic enum point point_armed;

/* "LABEL", "LABEL:N" (the N-th time), "SIGNAL@LABEL:N" with KILL (the default), TERM, INT, HUP or STOP; several with ',' between, one after
 * the other: each counts from when the one before it was reached. Errors: 2. */
int point_arm(const char *text);
void point_reached(void);

static inline void oocc_point(enum point point) {
    if (__builtin_expect(point == atomic_load_explicit(&point_armed, memory_order_relaxed), 0)) point_reached();
}

#endif
