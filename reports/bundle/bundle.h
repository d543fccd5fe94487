/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bundle: files that belong together, in a form that anybody can open and
 * nobody can change unseen. It is a tar archive (not compressed; ustar, with a
 * pax header where a name is too long for that):
 *
 *   manifest.txt   SHA-256 sums of all that follows, as sha256sum has them
 *   manifest.p7s   a signature of that (CMS, detached, DER), certificates in it
 *   ...            the members, in the order of their names
 *
 * There is one such archive of the same files but for the signature: names,
 * order, times, owners and padding are fixed, so that whatever is not as it
 * would be written is altered. What the members say is not known here.
 *
 *   name.c      what a member may be called
 *   archive.c   how the archive is laid out, for those that write and check it
 *   write.c     making one
 *   read.c      holding one against its manifest, without writing anything
 *   members.c   members of one that was, with their octets
 *   sign.c      the signature
 */
#ifndef REPORTS_BUNDLE_BUNDLE_H
#define REPORTS_BUNDLE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BUNDLE_MANIFEST  "manifest.txt"
#define BUNDLE_SIGNATURE "manifest.p7s"

#define BUNDLE_NAME    256                   /* octets of a name, with a NUL */
#define BUNDLE_MEMBERS 20000u                /* at most */
#define BUNDLE_OCTETS  (UINT64_C(2) << 30)   /* of all of them */
#define BUNDLE_KEPT    (UINT64_C(256) << 20) /* of one that is taken apart */
#define BUNDLE_SUM     65                    /* SHA-256 in hex, with a NUL */

/* Relative, of plain characters, and leading nowhere else. */
bool bundle_is_name(const char *name);

/* --- making one -------------------------------------------------------------- */

struct bundle;

struct bundle *bundle_new(void); /* NULL: no memory */
void bundle_free(struct bundle *b);

/* A member of these octets, which are copied; of a file, which has to stay as
 * it is until the bundle is written. False: one line in why. */
bool bundle_add(struct bundle *b, const char *name, const void *octets,
		size_t n, char *why, size_t cap);
bool bundle_add_file(struct bundle *b, const char *name, const char *path,
		     char *why, size_t cap);
/* The SHA-256 of a member, in hex; NULL: there is none of that name. */
const char *bundle_sum(const struct bundle *b, const char *name);

/* After the last member. Key and certificate are PEM files; what follows the
 * signer's certificate in its file goes along. */
bool bundle_sign(struct bundle *b, const char *key, const char *cert, char *why,
		 size_t cap);

/* For report_publish_by(): 0, or -1 with errno. */
int bundle_write(const void *bundle, FILE *out);

/* --- checking one ------------------------------------------------------------ */

/* A member that is to be taken apart by the caller. */
struct bundle_wanted {
	const char *name;
	uint64_t most; /* octets; BUNDLE_KEPT at most */
	char *octets;  /* a NUL behind them; NULL: it is not there */
	size_t n;
};

/* What is reported while one is read: one line, without its '\n'. */
typedef void bundle_tell_fn(void *user, const char *line);
/* A member that is as the manifest says, in the order of their names. */
typedef void bundle_member_fn(void *user, const char *name, const char *sum);

struct bundle_check {
	const char *ca; /* PEM: who is believed */
	struct bundle_wanted *wanted;
	size_t wanted_count;
	bundle_tell_fn *tell; /* of each thing that is not as it was signed */
	bundle_member_fn *member; /* NULL: nobody asks */
	void *user;
	/* Filled in. */
	size_t members, objections;
	char signer
		[256]; /* of a signature that holds: the certificate's name */
};

/*
 * Hold the bundle at `path` against its signature and its manifest. The members
 * that are wanted are kept, for bundle_forget(), whatever was reported. False:
 * a file could not be read, and one line in why says which.
 */
bool bundle_verify(struct bundle_check *c, const char *path, char *why,
		   size_t cap);
/* The same of octets, for tests. */
bool bundle_verify_octets(struct bundle_check *c, const void *octets, size_t n,
			  char *why, size_t cap);
void bundle_forget(struct bundle_check *c);

/* Octets of a member, until it returns. False: no further ones. */
typedef bool bundle_octets_fn(void *user, const char *name, const void *octets,
			      size_t n);

/*
 * Read a bundle that was verified once more, and hand over each member whose
 * name begins so. The file may be another by now: the caller compares the sum
 * of what it takes with that of bundle_member_fn. False: one line in why.
 */
bool bundle_members(const char *path, const char *beginning,
		    bundle_octets_fn *take, void *user, char *why, size_t cap);

#endif
