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

struct digest {
	EVP_MD_CTX *context;
	bool failed;
};

struct digest *digest_new(void)
{
	struct digest *d = text_held(calloc(1, sizeof(*d)));

	if (!d)
		return NULL;
	d->context = EVP_MD_CTX_new();
	d->failed = !d->context ||
		    EVP_DigestInit_ex(d->context, EVP_sha256(), NULL) != 1;
	return d;
}

void digest_add(struct digest *d, const void *octets, size_t n)
{
	d->failed |= !d->failed && EVP_DigestUpdate(d->context, octets, n) != 1;
}

bool digest_finish(struct digest *d, char hex[DIGEST_HEX])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	hex[0] = '\0';
	if (!d)
		return false;
	bool ok = !d->failed &&
		  EVP_DigestFinal_ex(d->context, digest, &len) == 1 &&
		  2 * len + 1 == DIGEST_HEX;

	for (unsigned i = 0; ok && i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	EVP_MD_CTX_free(d->context);
	free(d);
	return ok;
}

const char *digest_trouble(void)
{
	return text_lost() ? "out of memory" : "this machine has no SHA-256";
}

bool digest_sha256(const void *octets, size_t n, char hex[DIGEST_HEX])
{
	struct digest *d = digest_new();

	if (d)
		digest_add(d, octets, n);
	return digest_finish(d, hex);
}
