/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of known deviations in memory, and what an entry says about a
 * result: shared by the files that read, apply and rewrite them.
 */
#ifndef SUITE_JUDGE_DEVIATIONS_ENTRIES_H
#define SUITE_JUDGE_DEVIATIONS_ENTRIES_H

#include "harness/text/text_file.h"
#include "suite/judge/deviations/deviations.h"

#define GLOB_MAX  256
#define AVOID_MAX 200

struct entry {
	char (*globs)[GLOB_MAX];
	size_t glob_count;
	char signature[512], reason[1024], reference[256];
	char expires[16]; /* YYYY-MM-DD, or "" */
	bool sometimes;
	char (*avoid)[AVOID_MAX];
	size_t avoids;
	char *apart;    /* comments before it that do not belong to it, or
			 * NULL */
	char *comments; /* those that do */
	struct entry *next;
};

struct kept {
	char *text;
	struct kept *next;
};

struct deviations {
	struct entry *first, *last;
	const char *path;
	const char *const *ids; /* of all cases */
	size_t id_count;
	struct result_stale *stale;
	size_t stale_count;
	struct kept *kept; /* joined reasons, for the results */
	char *comments;    /* after the last entry, or NULL */
	/* while loading */
	struct text_lines text;
	bool section_begins; /* a [section] was read, none of its keys yet */
	char wrong[512];     /* the first bad key */
	bool no_memory;      /* something was lost: the file cannot be used */
};

/* The line that every update begins with. */
#define DEVIATIONS_HEAD                                                        \
	"; Known deviations of a device: man 5 warpspec-deviations. "          \
	"--update-deviations writes them anew."

/* Its first glob, by which messages name it. */
const char *entry_name(const struct entry *e);
/* One of its globs matches the case. */
bool entry_matches(const struct entry *e, const char *id);
/* Everything that the entry names is broken in this case. */
bool entry_still_holds(const struct entry *e, const struct result *r);
bool entry_has_expired(const struct entry *e, time_t now);

bool result_is_failure(const struct result *r);
/* The result can confirm the entry. After a crash of the device nothing else
 * shows. */
bool result_speaks_of(const struct result *r, const struct entry *e);

/* An entry that explains why this requirement, a word of the signature, is
 * broken in this case; NULL: there is none. */
const struct entry *deviations_explain(const struct deviations *d,
				       const struct result *r, const char *w,
				       time_t now);
/* The glob matches one of all cases. */
bool deviations_know_case(const struct deviations *d, const char *glob);
void deviations_forget_stale(struct deviations *d);

/* A signature is words with a blank between them: the length of the first one,
 * the next one, and whether one of them is `w`, itself a word of another
 * signature. */
size_t signature_word(const char *at);
const char *signature_next(const char *at);
bool signature_has(const char *words, const char *w);

#endif
