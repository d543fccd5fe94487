/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "harness/text/text_file.h"

#define DIGITS 16u
#define BEFORE ",\"chain\":\""
#define AFTER  "\"}"

struct journal {
	FILE *file; /* for reading; closing any descriptor of the file drops the lock */
	int fd;
	char *path;
	unsigned char chain[JOURNAL_CHAIN];
	off_t end; /* after the last complete line */
	bool has_head, at_end;
};

/* --- the chain -------------------------------------------------------------- */

/* The next link: over the one before and this line. */
static void link_on(unsigned char chain[JOURNAL_CHAIN], const char *line,
		    size_t n)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned octets = 0;

	/* Without SHA-256 or memory no line will match. */
	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1 &&
	    EVP_DigestUpdate(c, chain, JOURNAL_CHAIN) == 1 &&
	    EVP_DigestUpdate(c, line, n) == 1)
		EVP_DigestFinal_ex(c, chain, &octets);
	if (octets != JOURNAL_CHAIN)
		memset(chain, 0, JOURNAL_CHAIN);
	EVP_MD_CTX_free(c);
}

static void put_digits(const unsigned char chain[JOURNAL_CHAIN],
		       char digits[DIGITS + 1])
{
	for (size_t i = 0; i < DIGITS / 2; i++)
		snprintf(digits + 2 * i, 3, "%02x", chain[i]);
}

void journal_seal(unsigned char chain[JOURNAL_CHAIN], const char *line,
		  size_t n, char *out)
{
	char digits[DIGITS + 1];

	link_on(chain, line, n);
	put_digits(chain, digits);
	memcpy(out, line, n - 1); /* all but its '}' */
	out += n - 1;
	memcpy(out, BEFORE, sizeof(BEFORE) - 1);
	out += sizeof(BEFORE) - 1;
	memcpy(out, digits, DIGITS);
	out += DIGITS;
	memcpy(out, AFTER "\n", sizeof(AFTER));
}

/* Where the seal of a line without its '\n' begins; 0: no seal. */
static size_t seal_of(const char *line, size_t n)
{
	const size_t octets = JOURNAL_SEAL; /* a '}' for the '\n' */

	if (n <= octets || line[0] != '{')
		return 0;
	size_t at = n - octets;

	return memcmp(line + at, BEFORE, sizeof(BEFORE) - 1) == 0 &&
			       memcmp(line + n - 2, AFTER, 2) == 0
		       ? at
		       : 0;
}

/* --- reading ---------------------------------------------------------------- */

/* Read a line without its '\n'. Returns its octets, -1 at the end of the file
 * or for an unfinished line, -2 for more than JOURNAL_LINE. */
static ssize_t next_line(FILE *f, char *line)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (n == JOURNAL_LINE)
			return -2;
		line[n++] = (char)c;
	}
	if (c == '\n')
		return (ssize_t)n;
	return -1;
}

static bool refuse(char *why, size_t cap, const char *path, unsigned number,
		   const char *what)
{
	snprintf(why, cap, "journal %s:%u: %s", path, number, what);
	return false;
}

struct scan {
	unsigned char chain[JOURNAL_CHAIN];
	unsigned number;
	off_t end;
	char *line; /* JOURNAL_LINE and a NUL */
};

/* One complete line of n octets. */
static bool scan_line(struct scan *s, const char *path, size_t n,
		      const struct journal_reader *reader, char *why,
		      size_t cap)
{
	char digits[DIGITS + 1], said[768];
	size_t seal = seal_of(s->line, n);
	struct record r;

	if (!seal && s->number == 1)
		return refuse(why, cap, path, 1,
			      "it does not say which run it is of: not a "
			      "journal, or written by an earlier warpspec; "
			      "start a new one with --journal");
	memcpy(digits, s->line + (seal ? n - 2 - DIGITS : 0), DIGITS);
	if (seal) {
		char told[DIGITS + 1];

		s->line[seal] = '}';
		link_on(s->chain, s->line, seal + 1);
		put_digits(s->chain, told);
		seal = memcmp(told, digits, DIGITS) == 0 ? seal : 0;
	}
	if (!seal)
		return refuse(why, cap, path, s->number,
			      "not as it was written: this line was altered, "
			      "or a line before it is missing");
	if (s->number == 1) {
		if (reader->head(reader->user, s->line, seal + 1, said,
				 sizeof(said)))
			return true;
		return refuse(why, cap, path, 1, said);
	}
	if (!record_parse(&r, s->line, seal + 1)) {
		bool is_short = errno == ENOMEM;

		snprintf(said, sizeof(said), "%s",
			 is_short ? "out of memory" : "not a record of a case");
		if (!is_short && reader->other &&
		    reader->other(reader->user, s->line, seal + 1, said,
				  sizeof(said)))
			return true;
		return refuse(why, cap, path, s->number, said);
	}
	if (!reader->take || !reader->take(reader->user, &r, s->line, seal + 1))
		record_release(&r);
	return true;
}

static bool scan(struct scan *s, FILE *f, const char *path,
		 const struct journal_reader *reader, char *why, size_t cap)
{
	bool fine = true;
	ssize_t n = 0;

	s->line = malloc(JOURNAL_LINE + 1);
	if (!s->line) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	while (fine && (n = next_line(f, s->line)) >= 0) {
		s->number++;
		fine = scan_line(s, path, (size_t)n, reader, why, cap);
		s->end += n + 1;
		if ((unsigned long long)s->end > JOURNAL_MOST)
			fine = refuse(why, cap, path, s->number,
				      "more than 1 GiB up to here");
	}
	if (fine && n == -2)
		fine = refuse(why, cap, path, s->number + 1,
			      "a line of more than 1 MiB");
	if (fine && ferror(f)) {
		snprintf(why, cap, "journal %s: %s", path, strerror(errno));
		fine = false;
	}
	free(s->line);
	return fine;
}

bool journal_scan(FILE *f, const char *path,
		  const struct journal_reader *reader, char *why, size_t cap)
{
	struct scan s = {0};

	return scan(&s, f, path, reader, why, cap);
}

bool journal_read(struct journal *j, const struct journal_reader *reader,
		  char *why, size_t cap)
{
	struct scan s = {0};
	struct stat st;

	rewind(j->file);
	if (!scan(&s, j->file, j->path, reader, why, cap))
		return false;
	if (s.number == 0 && fstat(j->fd, &st) == 0 && st.st_size > 0)
		return refuse(why, cap, j->path, 1,
			      "this line is cut short, and no other follows: "
			      "not a journal, or an empty one; start a new one "
			      "with --journal");
	memcpy(j->chain, s.chain, sizeof(j->chain));
	j->end = s.end;
	j->has_head = s.number > 0;
	j->at_end = false;
	return true;
}

bool journal_has_head(const struct journal *j)
{
	return j->has_head;
}

/* --- opening and writing ------------------------------------------------------ */

/* False: another run has the lock. Workers do not inherit a lock of fcntl: it
 * goes with the run. */
static bool lock(struct journal *j, enum journal_use use, char *why, size_t cap)
{
	struct flock l = {.l_type = use == JOURNAL_READ ? F_RDLCK : F_WRLCK,
			  .l_whence = SEEK_SET};

	if (use != JOURNAL_READ && fcntl(j->fd, F_SETLK, &l) == 0) {
		/* The file may have been replaced meanwhile. */
		errno = EAGAIN;
		if (journal_is(j, j->path))
			return true;
		if (errno == ENOENT)
			errno = EAGAIN;
	}
	int error = errno;

	if (fcntl(j->fd, F_GETLK, &l) < 0 || l.l_type == F_UNLCK)
		l.l_pid = 0;
	if (use == JOURNAL_READ && !l.l_pid)
		return true;
	if (use != JOURNAL_READ && error != EAGAIN &&
	    !(error == EACCES && l.l_pid)) {
		snprintf(why, cap, "journal %s: no lock: %s", j->path,
			 strerror(error));
		return false;
	}
	snprintf(why, cap,
		 "journal %s: another run is writing it (process %ld)", j->path,
		 (long)l.l_pid);
	return false;
}

struct journal *journal_open(const char *path, enum journal_use use, char *why,
			     size_t cap)
{
	char said[512];
	struct journal *j = calloc(1, sizeof(*j));
	int fd = text_file_open(
		path,
		use == JOURNAL_READ
			? O_RDONLY
			: O_RDWR | O_APPEND |
				  (use == JOURNAL_WRITE ? O_CREAT : 0),
		use == JOURNAL_WRITE ? UINT64_MAX : JOURNAL_MOST, said,
		sizeof(said));

	if (fd < 0) {
		snprintf(why, cap, "journal %s", said);
		free(j);
		return NULL;
	}
	if (j) {
		j->fd = fd;
		j->path = strdup(path);
		j->file = fdopen(fd, use == JOURNAL_READ ? "r" : "r+");
	}
	if (!j || !j->path || !j->file) {
		snprintf(why, cap, "journal %s: out of memory", path);
		close(fd);
		if (j)
			free(j->path);
		free(j);
		return NULL;
	}
	if (lock(j, use, why, cap))
		return j;
	journal_close(j);
	return NULL;
}

bool journal_is(const struct journal *j, const char *path)
{
	struct stat a, b;

	return fstat(j->fd, &a) == 0 && stat(path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool journal_begin(struct journal *j, const char *head, size_t n, char *why,
		   size_t cap)
{
	memset(j->chain, 0, sizeof(j->chain));
	j->end = 0;
	j->at_end = false;
	j->has_head = true;
	return journal_write(j, head, n, why, cap);
}

/* Part of a line may be there when it fails: it has no end. */
static bool write_all(int fd, const char *octets, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, octets, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		octets += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

bool journal_write(struct journal *j, const char *line, size_t n, char *why,
		   size_t cap)
{
	char *sealed = malloc(n + JOURNAL_SEAL);
	bool fine = sealed && (j->at_end || ftruncate(j->fd, j->end) == 0);

	j->at_end = true;
	if (fine) {
		journal_seal(j->chain, line, n, sealed);
		fine = write_all(j->fd, sealed, n + JOURNAL_SEAL);
	}
	if (!fine)
		snprintf(why, cap, "journal %s: %s", j->path, strerror(errno));
	free(sealed);
	return fine;
}

/* --- anew ---------------------------------------------------------------------- */

/* A new file beside it, with the same rights and a lock; -1: errno. */
static int open_beside(const struct journal *j, const char *path)
{
	const struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat st;
	int fd;

	/* No other run writes this journal: a killed run left this file. */
	unlink(path);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	if (fstat(j->fd, &st) == 0 && fchmod(fd, st.st_mode & 07777) == 0 &&
	    fcntl(fd, F_SETLK, &l) == 0)
		return fd;
	unlink(path);
	close(fd);
	return -1;
}

static bool write_lines(struct journal *to, const char *const *line,
			size_t count)
{
	bool fine = true;

	for (size_t i = 0; fine && i < count; i++) {
		size_t n = strlen(line[i]);
		char *sealed = malloc(n + JOURNAL_SEAL);

		fine = sealed;
		if (fine) {
			journal_seal(to->chain, line[i], n, sealed);
			fine = write_all(to->fd, sealed, n + JOURNAL_SEAL);
			to->end += (off_t)(n + JOURNAL_SEAL);
		}
		free(sealed);
	}
	return fine && fdatasync(to->fd) == 0;
}

bool journal_replace(struct journal *j, const char *const *line, size_t count,
		     char *why, size_t cap)
{
	struct journal to = {.has_head = true, .at_end = true, .fd = -1};
	char *target = realpath(j->path, NULL), *beside = NULL;

	if (asprintf(&beside, "%s.part", target ? target : j->path) < 0)
		beside = NULL;
	to.fd = beside ? open_beside(j, beside) : -1;
	if (to.fd >= 0)
		to.file = fdopen(to.fd, "r+");
	bool fine = to.file && write_lines(&to, line, count) &&
		    rename(beside, target ? target : j->path) == 0;

	if (fine) {
		to.path = j->path;
		fclose(j->file);
		*j = to;
	} else {
		snprintf(why, cap, "journal %s: %s", j->path, strerror(errno));
		if (to.fd >= 0)
			unlink(beside);
		if (to.file)
			fclose(to.file);
		else if (to.fd >= 0)
			close(to.fd);
	}
	free(beside);
	free(target);
	return fine;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	fclose(j->file);
	free(j->path);
	free(j);
}
