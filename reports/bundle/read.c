/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive_entry.h>
#include <openssl/evp.h>

#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "reports/bundle/internal.h"

#define PART           65536u
#define MANIFEST_MOST  (8u << 20)
#define SIGNATURE_MOST (256u << 10)

struct seen {
	char *name;
	char sum[BUNDLE_SUM];
};

/* The octets that are checked: of a file, or in memory. */
struct source {
	int fd;
	const unsigned char *octets;
	uint64_t n, at;
	unsigned char part[PART];
	int error; /* the file could not be read: errno */
};

struct check {
	struct bundle_check *c;
	struct source *in;
	struct archive *archive, *layout;
	/* How far the one layout agrees, and where it does not. */
	uint64_t laid, differs_at;
	bool differs;
	const char *differs_in; /* this member */
	struct bundle_wanted manifest, signature;
	struct seen *seen;
	size_t count;
	const char *name; /* of the member that is looked at */
};

__attribute__((format(printf, 2, 3))) static bool tell(struct check *k,
						       const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
	k->c->objections++;
	k->c->tell(k->c->user, line);
	return false;
}

/* That is no fault of the bundle: nothing is known about it. */
static bool lacks_memory(struct check *k, const char *name)
{
	text_is_lost();
	return tell(k, "%s: out of memory", name);
}

/* --- octets ------------------------------------------------------------------ */

/* At an offset; fewer than n at the end, or where the file fails. */
static size_t octets_at(struct source *in, uint64_t at, void *to, size_t n)
{
	size_t got = 0;

	if (at >= in->n)
		return 0;
	if (n > in->n - at)
		n = (size_t)(in->n - at);
	if (in->octets) {
		memcpy(to, in->octets + at, n);
		return n;
	}
	while (got < n) {
		ssize_t some = pread(in->fd, (char *)to + got, n - got,
				     (off_t)(at + got));

		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			in->error = errno;
		if (some <= 0)
			break;
		got += (size_t)some;
	}
	return got;
}

static la_ssize_t read_part(struct archive *a, void *user, const void **part)
{
	struct source *in = user;
	size_t n = octets_at(in, in->at, in->part, sizeof(in->part));

	(void)a;
	in->at += n;
	*part = in->part;
	return (la_ssize_t)n;
}

/* What the archive would be, beside what it is. */
static la_ssize_t compare(struct archive *a, void *user, const void *due,
			  size_t n)
{
	struct check *k = user;
	unsigned char is[4096];

	(void)a;
	for (size_t at = 0; at < n && !k->differs; at += sizeof(is)) {
		size_t part = n - at < sizeof(is) ? n - at : sizeof(is);
		const unsigned char *wanted = (const unsigned char *)due + at;
		size_t got = octets_at(k->in, k->laid + at, is, part), i = 0;

		while (i < got && is[i] == wanted[i])
			i++;
		if (i == part)
			continue;
		k->differs = true;
		k->differs_at = k->laid + at + i;
		k->differs_in = k->name;
	}
	k->laid += n;
	return (la_ssize_t)n;
}

/* --- members ----------------------------------------------------------------- */

static struct bundle_wanted *is_wanted(struct check *k, const char *name)
{
	if (strcmp(name, BUNDLE_MANIFEST) == 0)
		return &k->manifest;
	if (strcmp(name, BUNDLE_SIGNATURE) == 0)
		return &k->signature;
	for (size_t i = 0; i < k->c->wanted_count; i++)
		if (strcmp(k->c->wanted[i].name, name) == 0)
			return &k->c->wanted[i];
	return NULL;
}

/* What is no file of a bundle, or none that is looked at any further. */
static bool is_plain(struct check *k, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e);
	la_int64_t n = archive_entry_size(e);

	if (!name || !bundle_is_name(name))
		return tell(k,
			    "%.200s: no member of a bundle may have this name",
			    name ? name : "a member without a name");
	if (archive_entry_filetype(e) != AE_IFREG ||
	    archive_entry_hardlink(e) || archive_entry_symlink(e))
		return tell(k, "%s: not a regular file", name);
	if (archive_entry_sparse_count(e))
		return tell(k, "%s: a sparse file; a bundle has whole files",
			    name);
	if (!archive_entry_size_is_set(e) || n < 0 || (uint64_t)n > k->in->n)
		return tell(
			k, "%s: larger than the bundle, which may be cut short",
			name);
	if (k->count == BUNDLE_MEMBERS)
		return tell(k, "%s: more members than a bundle has", name);
	return true;
}

/* Manifest and signature first, the others by their names. */
static bool is_in_order(struct check *k, const char *name)
{
	const char *due = k->count == 0   ? BUNDLE_MANIFEST
			  : k->count == 1 ? BUNDLE_SIGNATURE
					  : NULL;

	if (due && strcmp(name, due) != 0)
		return tell(k, "%s: expected %s at this place", name, due);
	if (!due &&
	    (strcmp(name, BUNDLE_MANIFEST) == 0 ||
	     strcmp(name, BUNDLE_SIGNATURE) == 0 ||
	     (k->count > 2 && strcmp(k->seen[k->count - 1].name, name) >= 0)))
		return tell(
			k,
			"%s: it is there twice, or not in the order of names",
			name);
	return true;
}

/* Room for what is to be kept. */
static bool keep(struct check *k, struct bundle_wanted *w, uint64_t n)
{
	if (n > w->most)
		return tell(k,
			    "%s: it has %llu octets, and may have %llu at most",
			    w->name, (unsigned long long)n,
			    (unsigned long long)w->most);
	w->octets = malloc((size_t)n + 1);
	return w->octets || lacks_memory(k, w->name);
}

static bool read_data(struct check *k, struct bundle_wanted *w, uint64_t n,
		      EVP_MD_CTX *digest)
{
	unsigned char part[16384];
	la_ssize_t got;

	while ((got = archive_read_data(k->archive, part, sizeof(part))) > 0) {
		if ((uint64_t)got > n)
			return tell(
				k,
				"%s: it has more octets than its header says",
				k->name);
		n -= (uint64_t)got;
		if (w) {
			memcpy(w->octets + w->n, part, (size_t)got);
			w->n += (size_t)got;
		}
		if (EVP_DigestUpdate(digest, part, (size_t)got) != 1 ||
		    archive_write_data(k->layout, part, (size_t)got) != got)
			return lacks_memory(k, k->name);
	}
	if (got < 0 || n)
		return tell(k, "%s: the bundle is cut short in it", k->name);
	return true;
}

static bool read_member(struct check *k, struct archive_entry *e,
			EVP_MD_CTX *digest)
{
	struct seen *s = &k->seen[k->count];
	uint64_t n = (uint64_t)archive_entry_size(e);
	unsigned char sum[EVP_MAX_MD_SIZE];
	struct bundle_wanted *w;
	unsigned len = 0;

	s->name = strdup(archive_entry_pathname(e));
	if (!s->name || EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1)
		return lacks_memory(k, "a member");
	if (!is_in_order(k, s->name)) {
		free(s->name);
		return false;
	}
	k->count++;
	k->name = s->name;
	w = is_wanted(k, s->name);
	if (w && !keep(k, w, n))
		return false;
	errno = 0;
	if (!bundle_lay_header(k->layout, s->name, n))
		return errno == ENOMEM ? lacks_memory(k, s->name)
				       : tell(k,
					      "%s: this name cannot be written "
					      "to an archive",
					      s->name);
	/* With its padding, which is its own. */
	bool ok = read_data(k, w, n, digest) &&
		  (archive_write_finish_entry(k->layout) == ARCHIVE_OK ||
		   lacks_memory(k, k->name));

	if (w)
		w->octets[w->n] = '\0';
	if (ok && EVP_DigestFinal_ex(digest, sum, &len) == 1)
		for (unsigned i = 0; i < len; i++)
			snprintf(s->sum + 2 * i, 3, "%02x", sum[i]);
	return ok;
}

/* False: it cannot be read any further; that was reported. */
static bool read_members(struct check *k)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	struct archive_entry *e;
	int r = ARCHIVE_OK;
	bool ok = digest || lacks_memory(k, "the bundle");

	while (ok &&
	       (r = archive_read_next_header(k->archive, &e)) == ARCHIVE_OK)
		ok = is_plain(k, e) && read_member(k, e, digest);
	if (ok && r == ARCHIVE_EOF && k->count < 2)
		ok = tell(k,
			  "not a bundle: it has no manifest, or no signature");
	else if (ok && r != ARCHIVE_EOF)
		ok = tell(k, "after %s: not a valid archive: %s", k->name,
			  archive_error_string(k->archive)
				  ? archive_error_string(k->archive)
				  : "unknown format");
	EVP_MD_CTX_free(digest);
	if (!ok)
		return false;
	k->name = "the end";
	archive_write_close(k->layout);
	if (k->differs)
		tell(k,
		     "%s: octet %llu of the bundle is not as it was written: "
		     "altered, or packed again by another program",
		     k->differs_in, (unsigned long long)k->differs_at);
	else if (k->laid != k->in->n)
		tell(k, "the end: %llu octets were added to the bundle",
		     (unsigned long long)(k->in->n - k->laid));
	return true;
}

/* --- the manifest ------------------------------------------------------------ */

struct listed {
	const char *name;
	char sum[BUNDLE_SUM];
};

/* Its next line. False: there is none, or it is not one. */
static bool next_line(char **at, struct listed *l)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end || end - line < 66 || memcmp(line + 64, "  ", 2) != 0 ||
	    strspn(line, "0123456789abcdef") != 64)
		return false;
	*end = '\0';
	memcpy(l->sum, line, 64);
	l->sum[64] = '\0';
	l->name = line + 66;
	*at = end + 1;
	return bundle_is_name(l->name);
}

/* Both are in the order of names. */
static void compare_lists(struct check *k, char *lines)
{
	struct listed l;
	size_t i = 2, number = 0;
	const char *before = "";

	while (*lines) {
		number++;
		if (!next_line(&lines, &l) || strcmp(before, l.name) >= 0) {
			tell(k,
			     "%s: line %zu is not SHA-256, two blanks and a "
			     "name",
			     BUNDLE_MANIFEST, number);
			return;
		}
		before = l.name;
		while (i < k->count && strcmp(k->seen[i].name, l.name) < 0)
			tell(k, "%s: not in the manifest", k->seen[i++].name);
		if (i == k->count || strcmp(k->seen[i].name, l.name) != 0)
			tell(k, "%s: missing, but the manifest lists it",
			     l.name);
		else if (strcmp(k->seen[i++].sum, l.sum) != 0)
			tell(k, "%s: altered: the manifest has another SHA-256",
			     l.name);
		else if (k->c->member)
			k->c->member(k->c->user, l.name, l.sum);
	}
	while (i < k->count)
		tell(k, "%s: not in the manifest", k->seen[i++].name);
}

static void check_sums(struct check *k, struct bundle_ca *ca)
{
	char why[512];

	if (!bundle_is_signed(ca, k->manifest.octets, k->manifest.n,
			      k->signature.octets, k->signature.n, k->c->signer,
			      sizeof(k->c->signer), why, sizeof(why)))
		tell(k, "%s", why);
	if (strlen(k->manifest.octets) != k->manifest.n)
		tell(k, "%s: not a text", BUNDLE_MANIFEST);
	else
		compare_lists(k, k->manifest.octets);
}

/* --- all of it --------------------------------------------------------------- */

static bool verify(struct bundle_check *c, struct source *in, char *why,
		   size_t cap)
{
	struct check k = {
		.c = c,
		.in = in,
		.name = "the beginning",
		.manifest = {.name = BUNDLE_MANIFEST, .most = MANIFEST_MOST},
		.signature = {.name = BUNDLE_SIGNATURE, .most = SIGNATURE_MOST},
	};
	struct bundle_ca *ca = bundle_ca_open(c->ca, why, cap);

	if (!ca)
		return false;
	bundle_is_within(true);
	k.archive = archive_read_new();
	k.layout = bundle_layout(&k, compare);
	k.seen = calloc(BUNDLE_MEMBERS, sizeof(*k.seen));
	bool ok = k.archive && k.layout && k.seen;

	if (!ok)
		snprintf(why, cap, "out of memory");
	else if (archive_read_support_format_tar(k.archive) != ARCHIVE_OK ||
		 archive_read_open2(k.archive, in, NULL, read_part, NULL,
				    NULL) != ARCHIVE_OK)
		tell(&k, "not a bundle: not a tar archive: %s",
		     archive_error_string(k.archive));
	else if (read_members(&k))
		check_sums(&k, ca);
	for (size_t i = 0; k.seen && i < k.count; i++)
		free(k.seen[i].name);
	c->members = k.count;
	free(k.seen);
	free(k.manifest.octets);
	free(k.signature.octets);
	archive_read_free(k.archive);
	k.differs = true; /* what is left of the layout is of no matter */
	archive_write_free(k.layout);
	bundle_is_within(false);
	bundle_ca_close(ca);
	return ok;
}

bool bundle_verify_octets(struct bundle_check *c, const void *octets, size_t n,
			  char *why, size_t cap)
{
	static struct source in;

	in = (struct source){.fd = -1, .octets = octets, .n = n};
	return verify(c, &in, why, cap);
}

bool bundle_verify(struct bundle_check *c, const char *path, char *why,
		   size_t cap)
{
	static struct source in;
	struct stat st;
	bool ok = false;

	in = (struct source){
		.fd = text_file_open(path, O_RDONLY, ARCHIVE_MOST, why, cap)};
	if (in.fd < 0)
		return false;
	if (fstat(in.fd, &st) == 0) {
		in.n = (uint64_t)st.st_size;
		ok = verify(c, &in, why, cap);
		if (ok && in.error) {
			snprintf(why, cap, "%.200s: %s", path,
				 strerror(in.error));
			ok = false;
		}
	} else {
		snprintf(why, cap, "%.200s: %s", path, strerror(errno));
	}
	close(in.fd);
	return ok;
}

void bundle_forget(struct bundle_check *c)
{
	for (size_t i = 0; i < c->wanted_count; i++) {
		free(c->wanted[i].octets);
		c->wanted[i].octets = NULL;
		c->wanted[i].n = 0;
	}
}
