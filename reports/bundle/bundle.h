/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bundle: files that belong together, in a form that anybody can open and
 * that nobody can change without detection. It is a tar archive (not
 * compressed; ustar, with a pax header if a name is too long for that):
 *
 *   manifest.txt   SHA-256 sums of all members, in the format of sha256sum
 *   manifest.p7s   a signature of the manifest (CMS, detached, DER), with
 *                  certificates
 *   ...            the members, in the order of their names
 *
 * Except for the signature, the same files always give the same archive: names,
 * order, times, owners and padding are fixed. So every difference from the
 * octets that the suite would write is an alteration. This folder does not
 * interpret the contents of members.
 *
 *   name.c      the permitted names of members
 *   archive.c   the layout of the archive, for writing and checking
 *   write.c     creates a bundle
 *   read.c      checks a bundle against its manifest, without writing anything
 *   members.c   the members of a checked bundle, with their octets
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
#define BUNDLE_OCTETS  (UINT64_C(2) << 30)   /* of all members */
#define BUNDLE_KEPT    (UINT64_C(256) << 20) /* of a member that is kept */
#define BUNDLE_SUM     65                    /* SHA-256 in hex, with a NUL */

/* True if the name is relative, has only plain characters, and does not lead
 * out of its folder. */
bool bundle_is_name(const char *name);

/* --- creating a bundle ------------------------------------------------ */

struct bundle;

struct bundle *bundle_new(void); /* NULL: no memory */
void bundle_free(struct bundle *b);

/* Add a member with these octets, which are copied; with those of a file, which
 * has to stay unchanged until the bundle is written. False: one line in why. */
bool bundle_add(struct bundle *b, const char *name, const void *octets,
		size_t n, char *why, size_t cap);
bool bundle_add_file(struct bundle *b, const char *name, const char *path,
		     char *why, size_t cap);
/* The SHA-256 of a member, in hex; NULL: no member has that name. */
const char *bundle_sum(const struct bundle *b, const char *name);

/* Call it after the last member. Key and certificate are PEM files. The
 * signature also contains the certificates that follow the signer's in its
 * file. */
bool bundle_sign(struct bundle *b, const char *key, const char *cert, char *why,
		 size_t cap);

/* For report_publish_by(): 0, or -1 with errno. */
int bundle_write(const void *bundle, FILE *out);

/* --- checking a bundle ------------------------------------------------ */

/* A member that the caller wants to read. */
struct bundle_wanted {
	const char *name;
	uint64_t most; /* octets; BUNDLE_KEPT at most */
	char *octets;  /* followed by a NUL; NULL: the member is missing */
	size_t n;
};

/* Takes one objection to the bundle: one line, without its '\n'. */
typedef void bundle_tell_fn(void *user, const char *line);
/* Takes a member that matches the manifest; in the order of their names. */
typedef void bundle_member_fn(void *user, const char *name, const char *sum);

struct bundle_check {
	const char *ca; /* PEM: the trusted authorities */
	struct bundle_wanted *wanted;
	size_t wanted_count;
	bundle_tell_fn *tell;     /* for each difference from the signed form */
	bundle_member_fn *member; /* NULL: not wanted */
	void *user;
	/* Filled in. */
	size_t members, objections;
	char signer
		[256]; /* of a valid signature: the name in the certificate */
};

/*
 * Check the bundle at `path` against its signature and its manifest. The wanted
 * members are kept, until bundle_forget(), even if there are objections. False:
 * a file could not be read, and one line in why names it.
 */
bool bundle_verify(struct bundle_check *c, const char *path, char *why,
		   size_t cap);
/* The same for octets in memory, for tests. */
bool bundle_verify_octets(struct bundle_check *c, const void *octets, size_t n,
			  char *why, size_t cap);
void bundle_forget(struct bundle_check *c);

/* Takes the octets of a member, which live until it returns. False: the caller
 * wants no further members. */
typedef bool bundle_octets_fn(void *user, const char *name, const void *octets,
			      size_t n);

/*
 * Read a verified bundle again, and pass on each member whose name begins with
 * `beginning`. The file may have changed meanwhile: the caller compares the sum
 * of each member with that from bundle_member_fn. False: one line in why.
 */
bool bundle_members(const char *path, const char *beginning,
		    bundle_octets_fn *take, void *user, char *why, size_t cap);

#endif
