/* SPDX-License-Identifier: BSD-2-Clause */
/* The file is written again from the results of a run. */
#include "suite/judge/deviations/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first `octets` of a value. Lines are kept short: libinih reads at most 199
 * octets of a line. */
static void write_octets(FILE *f, const char *key, const char *value,
			 size_t octets)
{
	const char *end = value + octets;
	size_t column = (size_t)fprintf(f, "%s =", key);

	for (bool first = true; value < end; first = false) {
		size_t n = strcspn(value, " ");

		if (!first && column + n > 100)
			column = (size_t)fprintf(f, "\n\t");
		column += (size_t)fprintf(f, " %.*s", (int)n, value);
		value += n + strspn(value + n, " ");
	}
	fputc('\n', f);
}

static void write_value(FILE *f, const char *key, const char *value)
{
	write_octets(f, key, value, strlen(value));
}

static void write_rest(FILE *f, const char *signature, size_t n,
		       const struct entry *e)
{
	write_octets(f, "signature", signature, n);
	write_value(f, "reason", e ? e->reason : RESULT_UNEXPLAINED);
	if (e && e->reference[0])
		write_value(f, "reference", e->reference);
	if (e && e->sometimes)
		fputs("sometimes = yes\n", f);
	for (size_t i = 0; e && i < e->avoids; i++)
		fprintf(f, "avoid = %s\n", e->avoid[i]);
	if (e && e->expires[0])
		write_value(f, "expires", e->expires);
	fputc('\n', f);
}

/* Without the empty lines at the end. */
static void write_comments(FILE *f, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	while (n > 1 && text[n - 1] == '\n' && text[n - 2] == '\n')
		n--;
	if (n)
		fwrite(text, 1, n, f);
}

/* An entry while it is written. */
struct writing {
	FILE *f;
	const struct entry *old; /* or NULL */
	size_t cases;
	bool same; /* so far, the cases of the old entry */
};

/* One per line; the first one opens the entry. */
static void write_case(struct writing *w, const char *name)
{
	const struct entry *e = w->old;

	if (!w->cases && e)
		write_comments(w->f, e->comments);
	fprintf(w->f, "%s%s\n", w->cases ? "\t" : "[deviation]\ncase = ", name);
	w->same = w->same && e && w->cases < e->glob_count &&
		  strcmp(e->globs[w->cases], name) == 0;
	w->cases++;
}

static const struct result *result_of(const struct result *results, size_t n,
				      const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(results[i].id, id) == 0)
			return &results[i];
	return NULL;
}

/* Its cases that still fail in the same way, and those that did not run. */
static void write_old(FILE *f, const struct deviations *d,
		      const struct entry *e, const struct result *results,
		      size_t n, struct deviations_written *written)
{
	struct writing w = {.f = f, .old = e, .same = true};

	if (e->apart) {
		write_comments(f, e->apart);
		fputc('\n', f);
	}

	for (size_t g = 0; g < e->glob_count; g++) {
		bool ran = false;

		for (size_t i = 0; i < n; i++)
			ran |= !e->sometimes &&
			       result_speaks_of(&results[i], e) &&
			       fnmatch(e->globs[g], results[i].id, 0) == 0;
		if (!ran && deviations_know_case(d, e->globs[g]))
			write_case(&w, e->globs[g]);
		for (size_t i = 0; ran && i < n; i++)
			if (fnmatch(e->globs[g], results[i].id, 0) == 0 &&
			    entry_still_holds(e, &results[i]))
				write_case(&w, results[i].id);
		for (size_t i = 0; ran && i < d->id_count; i++) {
			const char *id = d->ids[i];
			const struct result *r = result_of(results, n, id);

			if (fnmatch(e->globs[g], id, 0) == 0 &&
			    (!r || !result_speaks_of(r, e)))
				write_case(&w, id);
		}
	}
	if (w.cases)
		write_rest(f, e->signature, strlen(e->signature), e);
	if (!w.cases)
		written->removed++;
	else if (w.same && w.cases == e->glob_count)
		written->kept++;
	else
		written->changed++;
}

/* Failures that no entry explains: an entry for each requirement, with its
 * cases. */
static void write_new(FILE *f, const struct deviations *d,
		      const struct result *results, size_t n,
		      struct deviations_written *written)
{
	const char *done = "";
	char *all = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *w = results[i].signature;

		for (; result_is_failure(&results[i]) && *w;
		     w = signature_next(w)) {
			struct writing new = {.f = f};

			if (signature_has(done, w))
				continue;
			for (size_t k = i; k < n; k++)
				if (result_is_failure(&results[k]) &&
				    signature_has(results[k].signature, w) &&
				    !deviations_explain(d, &results[k], w, 0))
					write_case(&new, results[k].id);
			if (!new.cases)
				continue;
			written->added++;
			write_rest(f, w, signature_word(w), NULL);
			char *more;

			if (asprintf(&more, "%s %.*s", done,
				     (int)signature_word(w), w) < 0)
				break;
			free(all);
			done = all = more;
			done += *done == ' ';
		}
	}
	free(all);
}

/* A new file next to this one, with its rights; its name, to be freed. NULL:
 * errno. */
static char *open_beside(const char *target, FILE **f)
{
	const char *slash = strrchr(target, '/');
	struct stat old;
	mode_t mask = umask(0);
	char *name;

	umask(mask);
	if (asprintf(&name, "%.*s.warpspec-XXXXXX",
		     (int)(slash ? slash - target + 1 : 0), target) < 0)
		return NULL;
	int fd = mkostemp(name, O_CLOEXEC);
	mode_t mode =
		stat(target, &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;

	if (fd >= 0 && fchmod(fd, mode) == 0 && (*f = fdopen(fd, "w")))
		return name;
	int error = errno;

	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	free(name);
	errno = error;
	return NULL;
}

bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n,
		       struct deviations_written *written, char *why,
		       size_t cap)
{
	char *temporary;

	*written = (struct deviations_written){0};
	/* The target of a link is replaced, not the link. */
	char *target = realpath(path, NULL);
	FILE *f;

	if (!target && errno == ENOENT)
		target = strdup(path);
	if (!target || !(temporary = open_beside(target, &f))) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		free(target);
		return false;
	}
	fputs(DEVIATIONS_HEAD "\n\n", f);
	for (const struct entry *e = d->first; e; e = e->next)
		write_old(f, d, e, results, n, written);
	write_new(f, d, results, n, written);
	write_comments(f, d->comments);
	bool ok = fflush(f) == 0 && !ferror(f) && fsync(fileno(f)) == 0;

	if (fclose(f) != 0)
		ok = false;
	if (ok && rename(temporary, target) < 0)
		ok = false;
	if (!ok) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		unlink(temporary);
	}
	free(temporary);
	free(target);
	return ok;
}
