/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a bundle share. */
#ifndef REPORTS_BUNDLE_INTERNAL_H
#define REPORTS_BUNDLE_INTERNAL_H

#include <archive.h>

#include "reports/bundle/bundle.h"

/* Octets of an archive: headers and padding of the most there can be. */
#define ARCHIVE_MOST (BUNDLE_OCTETS + (uint64_t)BUNDLE_MEMBERS * 1024 + 65536)

/* --- archive.c --------------------------------------------------------------- */

/* Around all use of libarchive: without memory it ends the program, and then
 * the status is that of an error of the suite. */
void bundle_is_within(bool within);
/* A writer of the one layout there is, which hands on what it lays out; NULL:
 * no memory. */
struct archive *bundle_layout(void *user, archive_write_callback *write);
/* The header of a member. False: archive_error_string() of it. */
bool bundle_lay_header(struct archive *a, const char *name, uint64_t octets);

/* --- sign.c ------------------------------------------------------------------ */

/* DER, to be freed. NULL: one line in why. */
unsigned char *bundle_signature(const void *octets, size_t n, const char *key,
				const char *cert, size_t *signature_octets,
				char *why, size_t cap);

struct bundle_ca; /* who is believed */
/* NULL: one line in why. */
struct bundle_ca *bundle_ca_open(const char *path, char *why, size_t cap);
void bundle_ca_close(struct bundle_ca *ca);
/* False: one line in why. */
bool bundle_is_signed(struct bundle_ca *ca, const void *octets, size_t n,
		      const void *signature, size_t signature_octets,
		      char *signer, size_t signer_cap, char *why, size_t cap);

#endif
