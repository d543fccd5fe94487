/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "reports/bundle/internal.h"

#define PART 65536u

struct member {
	char *name;
	void *octets; /* or: */
	char *path;
	uint64_t n;
	char sum[BUNDLE_SUM];
};

struct bundle {
	struct member *members;
	size_t count, room;
	uint64_t octets;
	struct member manifest, signature;
};

struct bundle *bundle_new(void)
{
	return calloc(1, sizeof(struct bundle));
}

static void drop(struct member *m)
{
	free(m->name);
	free(m->octets);
	free(m->path);
}

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->count; i++)
		drop(&b->members[i]);
	drop(&b->manifest);
	drop(&b->signature);
	free(b->members);
	free(b);
}

static bool objects(char *why, size_t cap, const char *name, const char *what)
{
	snprintf(why, cap, "%.200s: %s", name, what);
	return false;
}

/* --- members ----------------------------------------------------------------- */

static bool grow(struct bundle *b)
{
	size_t room = b->room ? 2 * b->room : 64;
	struct member *more;

	if (b->count < b->room)
		return true;
	more = realloc(b->members, room * sizeof(*more));
	if (!more)
		return false;
	b->members = more;
	b->room = room;
	return true;
}

/* In the order of names. The member's data is taken over in any case. */
static bool insert(struct bundle *b, struct member m, char *why, size_t cap)
{
	size_t at = b->count;
	const char *what = NULL;

	while (at && m.name && strcmp(b->members[at - 1].name, m.name) > 0)
		at--;
	if (!m.name || !grow(b))
		what = "out of memory";
	else if (!bundle_is_name(m.name) ||
		 strcmp(m.name, BUNDLE_MANIFEST) == 0 ||
		 strcmp(m.name, BUNDLE_SIGNATURE) == 0)
		what = "no member of a bundle may have this name";
	else if (at && strcmp(b->members[at - 1].name, m.name) == 0)
		what = "the bundle already has a member of this name";
	else if (b->count == BUNDLE_MEMBERS || m.n > BUNDLE_OCTETS - b->octets)
		what = "the bundle would have too many members, or be too "
		       "large";
	if (what) {
		objects(why, cap, m.name ? m.name : "bundle", what);
		drop(&m);
		return false;
	}
	memmove(b->members + at + 1, b->members + at,
		(b->count - at) * sizeof(m));
	b->members[at] = m;
	b->count++;
	b->octets += m.n;
	return true;
}

bool bundle_add(struct bundle *b, const char *name, const void *octets,
		size_t n, char *why, size_t cap)
{
	struct member m = {.name = strdup(name), .n = n};

	m.octets = malloc(n ? n : 1);
	if (!m.octets || !digest_sha256(octets, n, m.sum)) {
		drop(&m);
		return objects(why, cap, name, "out of memory");
	}
	memcpy(m.octets, octets, n);
	return insert(b, m, why, cap);
}

const char *bundle_sum(const struct bundle *b, const char *name)
{
	for (size_t i = 0; i < b->count; i++)
		if (strcmp(b->members[i].name, name) == 0)
			return b->members[i].sum;
	return NULL;
}

/*
 * Pass the whole file to `each`; returns its sum. False with errno, EBUSY: its
 * length has changed.
 */
static bool pass(int fd, uint64_t n, char sum[BUNDLE_SUM],
		 bool (*each)(void *user, const void *octets, size_t n),
		 void *user)
{
	struct digest *digest = digest_new();
	unsigned char part[PART];
	bool ok = digest;

	errno = ENOMEM;
	while (ok && n) {
		ssize_t got = read(fd, part, n < PART ? (size_t)n : PART);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EBUSY;
		ok = got > 0 && (!each || each(user, part, (size_t)got));
		if (got > 0)
			digest_add(digest, part, (size_t)got);
		n -= ok ? (uint64_t)got : 0;
	}
	return digest_finish(digest, sum) && ok;
}

bool bundle_add_file(struct bundle *b, const char *name, const char *path,
		     char *why, size_t cap)
{
	struct member m = {.name = strdup(name), .path = strdup(path)};
	int fd = text_file_open(path, O_RDONLY, BUNDLE_OCTETS, why, cap);
	struct stat st;
	bool ok = fd >= 0 && m.path && fstat(fd, &st) == 0;

	if (ok) {
		m.n = (uint64_t)st.st_size;
		ok = pass(fd, m.n, m.sum, NULL, NULL);
	}
	if (fd >= 0 && !ok)
		objects(why, cap, path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (ok)
		return insert(b, m, why, cap);
	drop(&m);
	return false;
}

/* --- the signature ----------------------------------------------------------- */

static bool list(struct bundle *b)
{
	struct memstream m;
	FILE *out = memstream_open(&m);
	size_t n = 0;

	for (size_t i = 0; out && i < b->count; i++)
		fprintf(out, "%s  %s\n", b->members[i].sum, b->members[i].name);
	b->manifest.octets = (void *)memstream_finish(&m, &n);
	b->manifest.n = n;
	return b->manifest.octets;
}

bool bundle_sign(struct bundle *b, const char *key, const char *cert, char *why,
		 size_t cap)
{
	size_t n = 0;

	b->manifest.name = strdup(BUNDLE_MANIFEST);
	b->signature.name = strdup(BUNDLE_SIGNATURE);
	if (!b->manifest.name || !b->signature.name || !list(b))
		return objects(why, cap, "bundle", "out of memory");
	b->signature.octets = bundle_signature(
		b->manifest.octets, b->manifest.n, key, cert, &n, why, cap);
	b->signature.n = n;
	return b->signature.octets;
}

/* --- the archive ------------------------------------------------------------- */

static la_ssize_t put(struct archive *a, void *user, const void *octets,
		      size_t n)
{
	(void)a;
	return fwrite(octets, 1, n, user) == n ? (la_ssize_t)n : -1;
}

static bool put_data(void *archive, const void *octets, size_t n)
{
	return archive_write_data(archive, octets, n) == (la_ssize_t)n;
}

static bool put_file(struct archive *a, const struct member *m)
{
	char sum[BUNDLE_SUM] = "", why[256];
	int fd = text_file_open(m->path, O_RDONLY, BUNDLE_OCTETS, why,
				sizeof(why));
	bool ok = fd >= 0 && pass(fd, m->n, sum, put_data, a);

	if (ok && strcmp(sum, m->sum) != 0) {
		errno = EBUSY;
		ok = false;
	}
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

static bool put_member(struct archive *a, const struct member *m)
{
	if (!bundle_lay_header(a, m->name, m->n))
		return false;
	if (m->path)
		return put_file(a, m);
	return m->n == 0 || put_data(a, m->octets, (size_t)m->n);
}

int bundle_write(const void *bundle, FILE *out)
{
	const struct bundle *b = bundle;
	bundle_is_within(true);
	struct archive *a = bundle_layout(out, put);

	if (!a) {
		bundle_is_within(false);
		errno = ENOMEM;
		return -1;
	}
	errno = 0;
	bool ok = put_member(a, &b->manifest) && put_member(a, &b->signature);

	for (size_t i = 0; ok && i < b->count; i++)
		ok = put_member(a, &b->members[i]);
	int error = errno;

	ok = archive_write_close(a) == ARCHIVE_OK && ok;
	archive_write_free(a);
	bundle_is_within(false);
	errno = error ? error : EIO;
	return ok ? 0 : -1;
}
