/* directory.h: a directory that is a member of a scratch (docs/formats/scratch.md). */
#ifndef OOCC_DIRECTORY_H
#define OOCC_DIRECTORY_H

#include "storage/member.h"

#define LABEL_NAME "member"
#define LABEL_TMP "member.tmp" /* before it is the label: nothing depends on it */

/* Names are to survive, too. 0 or an errno; that some file systems cannot sync a directory, and say EINVAL, is none. */
int directory_sync(int fd);
/* What is there no more has been removed. 0 or an errno. */
int directory_remove(const struct member *member, const char *name);

/* (directory_texts.c) As members do it (member.h). The label comes first, so that files without a manifest are known for what
 * they are. */
int directory_write_label(struct member *member, const struct label *label);
int directory_read_label(struct member *member, struct label *label, bool quiet);
int directory_put_manifest(struct member *member, const char *text, size_t length);
int directory_get_manifest(struct member *member, char **text, size_t *length);
int directory_put_recent(struct member *member, const char *text, size_t length);
int directory_get_recent(struct member *member, char **text, size_t *length);
bool directory_has_manifest(struct member *member);
int directory_drop_recent(struct member *member);
int directory_drop_manifest(struct member *member);

#endif
