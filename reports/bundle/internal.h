/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of this folder share. */
#ifndef REPORTS_BUNDLE_INTERNAL_H
#define REPORTS_BUNDLE_INTERNAL_H

#include <archive.h>

#include "reports/bundle/bundle.h"

/* The most octets of an archive, with headers and padding. */
#define ARCHIVE_MOST (BUNDLE_OCTETS + (uint64_t)BUNDLE_MEMBERS * 1024 + 65536)

/* --- archive.c -------------------------------------------------------- */

/* Call it with true before each use of libarchive, and with false after it. If
 * there is no memory, libarchive ends the program; the exit status is then that
 * of an error of the suite. */
void bundle_is_within(bool within);
/* A writer of the only permitted layout, which passes its octets to `write`;
 * NULL: out of memory. */
struct archive *bundle_layout(void *user, archive_write_callback *write);
/* Write the header of a member. False: archive_error_string() has the
 * reason. */
bool bundle_lay_header(struct archive *a, const char *name, uint64_t octets);

/* --- sign.c ----------------------------------------------------------- */

/* DER, to be freed. NULL: one line in why. */
unsigned char *bundle_signature(const void *octets, size_t n, const char *key,
				const char *cert, size_t *signature_octets,
				char *why, size_t cap);

struct bundle_ca; /* the trusted authorities */
/* NULL: one line in why. */
struct bundle_ca *bundle_ca_open(const char *path, char *why, size_t cap);
void bundle_ca_close(struct bundle_ca *ca);
/* False: one line in why. */
bool bundle_is_signed(struct bundle_ca *ca, const void *octets, size_t n,
		      const void *signature, size_t signature_octets,
		      char *signer, size_t signer_cap, char *why, size_t cap);

#endif
