/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "reports/bundle/internal.h"

#define PEM_FILE (1u << 20)

/* What OpenSSL says last, in words. */
static bool objects(char *why, size_t cap, const char *name, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());

	/* Then the library has its own names for what followed. */
	if (text_lost()) {
		what = "out of memory";
		reason = NULL;
	}
	snprintf(why, cap, "%.200s: %s%s%s", name, what, reason ? ": " : "",
		 reason ? reason : "");
	ERR_clear_error();
	return false;
}

/* --- files of PEM ------------------------------------------------------------- */

/* Never ask for a password. */
static int no_password(char *buf, int size, int rwflag, void *user)
{
	(void)buf;
	(void)size;
	(void)rwflag;
	(void)user;
	return -1;
}

/* The whole file; free() *octets after the BIO. */
static BIO *open_pem(const char *path, char **octets, char *why, size_t cap)
{
	const struct text_bounds bounds = {PEM_FILE, PEM_FILE};
	size_t n;

	ERR_clear_error();
	*octets = text_file_read(path, &bounds, &n, NULL, why, cap);
	if (!*octets)
		return NULL;
	BIO *in = BIO_new_mem_buf(*octets, (int)n);

	if (!in)
		objects(why, cap, path, "out of memory");
	return in;
}

static EVP_PKEY *read_key(const char *path, char *why, size_t cap)
{
	char *octets;
	BIO *in = open_pem(path, &octets, why, cap);
	EVP_PKEY *key =
		in ? PEM_read_bio_PrivateKey(in, NULL, no_password, NULL)
		   : NULL;

	if (in && !key)
		objects(why, cap, path,
			"expected a private key in PEM, without a password");
	BIO_free(in);
	if (octets)
		OPENSSL_cleanse(octets, strlen(octets));
	free(octets);
	return key;
}

/* The first certificate, and those after it. */
static STACK_OF(X509) *
	read_certificates(const char *path, char *why, size_t cap)
{
	char *octets;
	BIO *in = open_pem(path, &octets, why, cap);
	STACK_OF(X509) *all = in ? sk_X509_new_null() : NULL;
	X509 *one;

	while (all && (one = PEM_read_bio_X509(in, NULL, no_password, NULL)))
		sk_X509_push(all, one);
	if (all && sk_X509_num(all) == 0) {
		objects(why, cap, path, "expected a certificate in PEM");
		sk_X509_free(all);
		all = NULL;
	}
	ERR_clear_error();
	BIO_free(in);
	free(octets);
	return all;
}

/* --- making one -------------------------------------------------------------- */

static unsigned char *der_of(CMS_ContentInfo *cms, size_t *n)
{
	unsigned char *der = NULL, *copy = NULL;
	int octets = i2d_CMS_ContentInfo(cms, &der);

	/* For free(). */
	if (octets > 0 && (copy = malloc((size_t)octets))) {
		memcpy(copy, der, (size_t)octets);
		*n = (size_t)octets;
	}
	OPENSSL_free(der);
	return copy;
}

/* Those of Ed25519 have no digest of their own, which CMS asks for. */
static bool can_sign(EVP_PKEY *key)
{
	int digest = NID_undef;

	return EVP_PKEY_get_default_digest_nid(key, &digest) > 0 &&
	       digest != NID_undef;
}

unsigned char *bundle_signature(const void *octets, size_t n, const char *key,
				const char *cert, size_t *signature_octets,
				char *why, size_t cap)
{
	EVP_PKEY *secret = read_key(key, why, cap);
	STACK_OF(X509) *chain =
		secret ? read_certificates(cert, why, cap) : NULL;
	X509 *signer = chain ? sk_X509_shift(chain) : NULL;
	BIO *content = signer ? BIO_new_mem_buf(octets, (int)n) : NULL;
	CMS_ContentInfo *cms = NULL;
	unsigned char *der = NULL;

	if (content && X509_check_private_key(signer, secret) != 1)
		objects(why, cap, cert,
			"this certificate does not belong to the key");
	else if (content && !can_sign(secret))
		objects(why, cap, key,
			"a key of this kind cannot sign a bundle: use RSA or "
			"ECDSA");
	else if (content &&
		 !(cms = CMS_sign(signer, secret, chain, content,
				  CMS_DETACHED | CMS_BINARY | CMS_NOSMIMECAP)))
		objects(why, cap, key, "cannot sign");
	else if (content && !(der = der_of(cms, signature_octets)))
		objects(why, cap, key, "out of memory");
	CMS_ContentInfo_free(cms);
	BIO_free(content);
	X509_free(signer);
	sk_X509_pop_free(chain, X509_free);
	EVP_PKEY_free(secret);
	return der;
}

/* --- checking one ------------------------------------------------------------ */

struct bundle_ca {
	X509_STORE *store;
};

struct bundle_ca *bundle_ca_open(const char *path, char *why, size_t cap)
{
	STACK_OF(X509) *all = read_certificates(path, why, cap);
	struct bundle_ca *ca = all ? calloc(1, sizeof(*ca)) : NULL;

	for (int i = 0; all && i < sk_X509_num(all); i++)
		if (!X509_check_ca(sk_X509_value(all, i))) {
			objects(why, cap, path,
				"one of its certificates is not that of an "
				"authority; to require a signer, use --signer");
			sk_X509_pop_free(all, X509_free);
			free(ca);
			return NULL;
		}
	if (ca && (ca->store = X509_STORE_new())) {
		for (int i = 0; i < sk_X509_num(all); i++)
			X509_STORE_add_cert(ca->store, sk_X509_value(all, i));
		/* Each certificate of an authority is believed, whoever has
		 * signed it; the purpose of a certificate is checked below:
		 * this is not mail. */
		X509_STORE_set_flags(ca->store, X509_V_FLAG_PARTIAL_CHAIN);
		X509_STORE_set_purpose(ca->store, X509_PURPOSE_ANY);
	} else if (all) {
		objects(why, cap, path, "out of memory");
		free(ca);
		ca = NULL;
	}
	sk_X509_pop_free(all, X509_free);
	ERR_clear_error();
	return ca;
}

void bundle_ca_close(struct bundle_ca *ca)
{
	if (!ca)
		return;
	X509_STORE_free(ca->store);
	free(ca);
}

static bool refuses(char *why, size_t cap, const char *what)
{
	snprintf(why, cap, "signature: %s", what);
	ERR_clear_error();
	return false;
}

/*
 * Part of a DER encoding: its contents, and the rest after it. False: it is not
 * of this kind.
 */
struct der {
	const unsigned char *at, *end;
};

static bool enter(struct der *from, int tag, int class, struct der *in)
{
	const unsigned char *body = from->at;
	long n;
	int is, of;

	if (from->at >= from->end ||
	    ASN1_get_object(&body, &n, &is, &of, from->end - from->at) & 0x81 ||
	    is != tag || of != class)
		return false;
	*in = (struct der){body, body + n};
	from->at = body + n;
	return true;
}

static bool is_one(const struct der *number)
{
	return number->end - number->at == 1 && *number->at == 1;
}

/*
 * Fields that no signature covers have the only value that is allowed:
 * versions, and the list of digests (RFC 5652 s5.1, s5.3).
 */
static bool is_fixed(const unsigned char *octets, size_t n,
		     const X509_ALGOR *digest)
{
	const int seq = V_ASN1_SEQUENCE, uni = V_ASN1_UNIVERSAL;
	struct der all = {octets, octets + n}, info, data, signed_data, part;
	struct der list, signers, signer;
	unsigned char *due = NULL;
	int due_octets = i2d_X509_ALGOR(digest, &due);
	bool ok = enter(&all, seq, uni, &info) && all.at == all.end &&
		  enter(&info, V_ASN1_OBJECT, uni, &part) &&
		  enter(&info, 0, V_ASN1_CONTEXT_SPECIFIC, &data) &&
		  enter(&data, seq, uni, &signed_data) &&
		  enter(&signed_data, V_ASN1_INTEGER, uni, &part) &&
		  is_one(&part) &&
		  enter(&signed_data, V_ASN1_SET, uni, &list) &&
		  list.end - list.at == due_octets &&
		  memcmp(list.at, due, (size_t)due_octets) == 0 &&
		  enter(&signed_data, seq, uni, &part) &&
		  enter(&signed_data, 0, V_ASN1_CONTEXT_SPECIFIC, &part) &&
		  enter(&signed_data, V_ASN1_SET, uni, &signers) &&
		  enter(&signers, seq, uni, &signer) &&
		  enter(&signer, V_ASN1_INTEGER, uni, &part) && is_one(&part);

	OPENSSL_free(due);
	return ok;
}

/* The signature's algorithm is that of the key, over the same digest. */
static bool is_of_key(X509 *signer, const X509_ALGOR *digest,
		      const X509_ALGOR *signature)
{
	int nid = OBJ_obj2nid(signature->algorithm), md, pk;
	int key = EVP_PKEY_get_base_id(X509_get0_pubkey(signer));

	if (nid == key)
		return true;
	return OBJ_find_sigid_algs(nid, &md, &pk) == 1 && pk == key &&
	       (md == NID_undef || md == OBJ_obj2nid(digest->algorithm));
}

/* From one signer, with no digest that is known to be forgeable, and without
 * any part that could be different. */
static bool is_plain(CMS_ContentInfo *cms, const unsigned char *octets,
		     size_t n, char *why, size_t cap)
{
	STACK_OF(CMS_SignerInfo) *signers = CMS_get0_SignerInfos(cms);
	X509_ALGOR *digest = NULL;
	unsigned char *again = NULL;

	if (!signers || sk_CMS_SignerInfo_num(signers) != 1)
		return refuses(why, cap, "expected exactly one signer");
	CMS_SignerInfo *one = sk_CMS_SignerInfo_value(signers, 0);

	CMS_SignerInfo_get0_algs(one, NULL, NULL, &digest, NULL);
	int nid = digest ? OBJ_obj2nid(digest->algorithm) : NID_undef;

	if (nid != NID_sha256 && nid != NID_sha384 && nid != NID_sha512)
		return refuses(
			why, cap,
			"expected the digest SHA-256, SHA-384 or SHA-512");
	int back = i2d_CMS_ContentInfo(cms, &again);
	bool same =
		back > 0 && (size_t)back == n && memcmp(again, octets, n) == 0;

	OPENSSL_free(again);
	if (!same || CMS_unsigned_get_attr_count(one) > 0 ||
	    OBJ_obj2nid(CMS_get0_eContentType(cms)) != NID_pkcs7_data ||
	    CMS_is_detached(cms) != 1 || !is_fixed(octets, n, digest))
		return refuses(why, cap,
			       "altered: no signer encodes it in this way");
	return true;
}

static void name_of(X509 *cert, char *name, size_t cap)
{
	BIO *out = BIO_new(BIO_s_mem());
	char *text;
	long n;

	name[0] = '\0';
	if (!out)
		return;
	/* One line; unprintable octets are escaped. */
	X509_NAME_print_ex(out, X509_get_subject_name(cert), 0,
			   XN_FLAG_ONELINE & ~ASN1_STRFLGS_UTF8_CONVERT);
	n = BIO_get_mem_data(out, &text);
	snprintf(name, cap, "%.*s", (int)n, text);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	BIO_free(out);
}

/* The name of the signer, and whether it is believed. */
static bool believes(struct bundle_ca *ca, CMS_ContentInfo *cms, X509 *signer,
		     char *why, size_t cap)
{
	STACK_OF(X509) *others = CMS_get1_certs(cms);
	X509_STORE_CTX *c = X509_STORE_CTX_new();
	char name[128], text[256];
	bool ok = c && X509_STORE_CTX_init(c, ca->store, signer, others) == 1 &&
		  X509_verify_cert(c) == 1;

	if (!ok) {
		X509 *at = c ? X509_STORE_CTX_get_current_cert(c) : NULL;

		name_of(at ? at : signer, name, sizeof(name));
		snprintf(text, sizeof(text), "certificate of %s: %s", name,
			 c ? X509_verify_cert_error_string(
				     X509_STORE_CTX_get_error(c))
			   : "out of memory");
		refuses(why, cap, text);
	}
	X509_STORE_CTX_free(c);
	sk_X509_pop_free(others, X509_free);
	return ok;
}

static bool check(struct bundle_ca *ca, CMS_ContentInfo *cms, BIO *content,
		  char *signer, size_t signer_cap, char *why, size_t cap)
{
	X509_ALGOR *digest, *algorithm;

	/* The octets first; then, in words of its own, the certificate. */
	if (CMS_verify(cms, NULL, NULL, content, NULL,
		       CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY) != 1)
		return refuses(why, cap,
			       "it does not match the manifest: one of them "
			       "was altered");
	STACK_OF(X509) *signers = CMS_get0_signers(cms);
	X509 *one = signers ? sk_X509_value(signers, 0) : NULL;
	CMS_SignerInfo_get0_algs(
		sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(cms), 0), NULL,
		NULL, &digest, &algorithm);
	bool ok = one && believes(ca, cms, one, why, cap);

	if (!one)
		refuses(why, cap, "it lacks the signer's certificate");
	if (ok && !is_of_key(one, digest, algorithm))
		ok = refuses(why, cap,
			     "its algorithm is not that of the signer's key");
	if (ok && !(X509_get_key_usage(one) &
		    (KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION)))
		ok = refuses(why, cap,
			     "the signer's certificate is not for signatures");
	if (ok)
		name_of(one, signer, signer_cap);
	sk_X509_free(signers);
	return ok;
}

bool bundle_is_signed(struct bundle_ca *ca, const void *octets, size_t n,
		      const void *signature, size_t signature_octets,
		      char *signer, size_t signer_cap, char *why, size_t cap)
{
	const unsigned char *at = signature;
	CMS_ContentInfo *cms =
		d2i_CMS_ContentInfo(NULL, &at, (long)signature_octets);
	BIO *content = BIO_new_mem_buf(octets, (int)n);
	bool ok = false;

	if (!cms || !content ||
	    at != (const unsigned char *)signature + signature_octets)
		refuses(why, cap, "not a CMS signature in DER");
	else
		ok = is_plain(cms, signature, signature_octets, why, cap) &&
		     check(ca, cms, content, signer, signer_cap, why, cap);
	BIO_free(content);
	CMS_ContentInfo_free(cms);
	ERR_clear_error();
	return ok;
}
