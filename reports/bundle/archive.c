/* SPDX-License-Identifier: BSD-2-Clause */
#include <archive_entry.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/bundle/internal.h"

/*
 * Where libarchive has no memory for a name, it prints that and ends the
 * program with status 1, which would be a statement about the bundle.
 */
static bool is_within;

static void leave(void)
{
	if (is_within)
		_exit(4); /* an error of the suite */
}

void bundle_is_within(bool within)
{
	static bool watched;

	if (!watched)
		watched = atexit(leave) == 0;
	is_within = within;
}

struct archive *bundle_layout(void *user, archive_write_callback *write)
{
	struct archive *a = archive_write_new();

	if (!a)
		return NULL;
	if (archive_write_set_format_pax_restricted(a) == ARCHIVE_OK &&
	    archive_write_add_filter_none(a) == ARCHIVE_OK &&
	    archive_write_set_bytes_per_block(a, 0) == ARCHIVE_OK &&
	    archive_write_open2(a, user, NULL, write, NULL, NULL) == ARCHIVE_OK)
		return a;
	archive_write_free(a);
	return NULL;
}

bool bundle_lay_header(struct archive *a, const char *name, uint64_t octets)
{
	struct archive_entry *e = archive_entry_new();

	if (!e)
		return false;
	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (la_int64_t)octets);
	archive_entry_set_mtime(e, 0, 0);
	archive_entry_set_uid(e, 0);
	archive_entry_set_gid(e, 0);
	bool ok = archive_write_header(a, e) == ARCHIVE_OK;

	archive_entry_free(e);
	return ok;
}
