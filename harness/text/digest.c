/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/digest.h"

#include <stdio.h>

#include <openssl/evp.h>

bool digest_sha256(const void *octets, size_t n, char hex[DIGEST_HEX])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	hex[0] = '\0';
	if (EVP_Digest(octets, n, digest, &len, EVP_sha256(), NULL) != 1 ||
	    2 * len + 1 != DIGEST_HEX)
		return false;
	for (unsigned i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return true;
}
