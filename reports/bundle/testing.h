/* SPDX-License-Identifier: BSD-2-Clause */
/* A signer that is its own authority, for tests. */
#ifndef REPORTS_BUNDLE_TESTING_H
#define REPORTS_BUNDLE_TESTING_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

struct testing_signer {
	char key[64], cert[64]; /* PEM files; the certificate is its own CA */
};

static inline bool testing_write(char path[64], EVP_PKEY *key, X509 *cert)
{
	snprintf(path, 64, "/tmp/warpspec-signer-XXXXXX");
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = out && (key ? PEM_write_PrivateKey(out, key, NULL, NULL, 0,
						     NULL, NULL)
			      : PEM_write_X509(out, cert)) == 1;

	return out && fclose(out) == 0 && ok;
}

static inline bool testing_signer(struct testing_signer *s, const char *name)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	X509_NAME *subject = cert ? X509_get_subject_name(cert) : NULL;
	/* It is its own authority. */
	X509_EXTENSION *authority = X509V3_EXT_conf_nid(
		NULL, NULL, NID_basic_constraints, "critical,CA:TRUE");
	bool ok = key && subject && X509_set_version(cert, 2) &&
		  ASN1_INTEGER_set(X509_get_serialNumber(cert), 7) &&
		  X509_gmtime_adj(X509_getm_notBefore(cert), -3600) &&
		  X509_gmtime_adj(X509_getm_notAfter(cert), 3600) &&
		  X509_set_pubkey(cert, key) && authority &&
		  X509_add_ext(cert, authority, -1) &&
		  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
					     (const unsigned char *)name, -1,
					     -1, 0) &&
		  X509_set_issuer_name(cert, subject) &&
		  X509_sign(cert, key, EVP_sha256()) > 0 &&
		  testing_write(s->key, key, NULL) &&
		  testing_write(s->cert, NULL, cert);

	X509_EXTENSION_free(authority);
	X509_free(cert);
	EVP_PKEY_free(key);
	return ok;
}

static inline void testing_signer_gone(const struct testing_signer *s)
{
	unlink(s->key);
	unlink(s->cert);
}

#endif
