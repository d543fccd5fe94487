/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <archive_entry.h>

#include "harness/text/text_file.h"
#include "reports/bundle/internal.h"

#define PART 65536u

struct reading {
	struct archive *archive;
	char *octets; /* of the current member */
	size_t n, room;
};

static bool has_room(struct reading *r, uint64_t n)
{
	char *more;

	if (n > BUNDLE_KEPT)
		return false;
	if (n < r->room)
		return true;
	more = realloc(r->octets, (size_t)n + 1);
	if (!more)
		return false;
	r->octets = more;
	r->room = (size_t)n + 1;
	return true;
}

static bool read_octets(struct reading *r, uint64_t n)
{
	r->n = 0;
	if (!has_room(r, n))
		return false;
	while (r->n < n) {
		la_ssize_t got = archive_read_data(r->archive, r->octets + r->n,
						   (size_t)n - r->n);

		if (got <= 0)
			return false;
		r->n += (size_t)got;
	}
	return true;
}

static bool read_members(struct reading *r, const char *beginning,
			 bundle_octets_fn *take, void *user, char *why,
			 size_t cap)
{
	struct archive_entry *e;
	int status;

	while ((status = archive_read_next_header(r->archive, &e)) ==
	       ARCHIVE_OK) {
		const char *name = archive_entry_pathname(e);
		la_int64_t n = archive_entry_size(e);

		if (!name || n < 0 ||
		    strncmp(name, beginning, strlen(beginning)) != 0)
			continue;
		if (!read_octets(r, (uint64_t)n)) {
			snprintf(why, cap,
				 "%.300s: cannot be read a second time", name);
			return false;
		}
		if (!take(user, name, r->octets, r->n))
			return true;
	}
	if (status != ARCHIVE_EOF)
		snprintf(why, cap, "%.300s",
			 archive_error_string(r->archive)
				 ? archive_error_string(r->archive)
				 : "the archive cannot be read a second time");
	return status == ARCHIVE_EOF;
}

bool bundle_members(const char *path, const char *beginning,
		    bundle_octets_fn *take, void *user, char *why, size_t cap)
{
	int fd = text_file_open(path, O_RDONLY, ARCHIVE_MOST, why, cap);
	struct reading r = {.octets = NULL};
	bool ok = false;

	if (fd < 0)
		return false;
	r.archive = archive_read_new();
	if (!r.archive)
		snprintf(why, cap, "%.300s: out of memory", path);
	else if (archive_read_support_format_tar(r.archive) != ARCHIVE_OK ||
		 archive_read_open_fd(r.archive, fd, PART) != ARCHIVE_OK)
		snprintf(why, cap, "%.300s: not a tar archive", path);
	else
		ok = read_members(&r, beginning, take, user, why, cap);
	archive_read_free(r.archive);
	free(r.octets);
	close(fd);
	return ok;
}
