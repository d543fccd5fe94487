/* SPDX-License-Identifier: BSD-2-Clause */
/* The identity of a file or a list: SHA-256, in hex. */
#ifndef HARNESS_TEXT_DIGEST_H
#define HARNESS_TEXT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define DIGEST_HEX 65 /* with a NUL */

/* In lower-case hex. False: the digest cannot be computed. */
bool digest_sha256(const void *octets, size_t n, char hex[DIGEST_HEX]);
/* The reason why it cannot be computed. */
const char *digest_trouble(void);

/* The same for data that arrives in parts. NULL: no memory. */
struct digest *digest_new(void);
void digest_add(struct digest *d, const void *octets, size_t n);
/* End the digest, and free it. NULL is fine. False: it has failed, and hex is
 * "". */
bool digest_finish(struct digest *d, char hex[DIGEST_HEX]);

/*
 * Count failed allocations of OpenSSL as lost texts (memstream.h), because its
 * functions return the same result after them as for invalid input. To be
 * called before any of its functions. False: it was too late.
 */
bool digest_watches_memory(void);

#endif
