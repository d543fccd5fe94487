/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/digest.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "harness/text/memstream.h"

static void *take(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return n ? text_held(malloc(n)) : NULL;
}

static void *take_more(void *at, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	if (n)
		return text_held(realloc(at, n));
	free(at);
	return NULL;
}

static void give_back(void *at, const char *file, int line)
{
	(void)file;
	(void)line;
	free(at);
}

bool digest_watches_memory(void)
{
	return CRYPTO_set_mem_functions(take, take_more, give_back) == 1;
}

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
