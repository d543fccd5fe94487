/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a journal. Hardly any input has a valid first checksum;
 * therefore, if the first octet says so, each line is sealed as if it had been
 * written. An accepted line can be written again, and is then the same.
 */
#include "harness/wire/fuzz.h"
#include "suite/run/journal/journal.h"

static bool head(void *user, const char *line, size_t n, char *why, size_t cap)
{
	(void)user, (void)line, (void)n, (void)why, (void)cap;
	return true;
}

static bool take(void *user, struct record *r, const char *line, size_t n)
{
	struct record again;
	char *written = record_line(r);

	(void)user, (void)line, (void)n;
	/* An invalid text cannot be written, and nothing is written then. */
	if (written) {
		must_hold(record_parse(&again, written, strlen(written)));
		must_hold(strcmp(again.result.id, r->result.id) == 0);
		must_hold(again.result.verdict == r->result.verdict);
		must_hold(again.result.teardown == r->result.teardown);
		must_hold(again.cause == r->cause);
		must_hold(again.result.duration_ns == r->result.duration_ns);
		record_release(&again);
	}
	free(written);
	return false;
}

/* Each line of the text, sealed. */
static size_t seal(const char *text, size_t size, char *out)
{
	unsigned char chain[JOURNAL_CHAIN] = {0};
	size_t at = 0;

	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t n = end ? (size_t)(end - text) : size;

		if (n) {
			journal_seal(chain, text, n, out + at);
			at += n + JOURNAL_SEAL;
		}
		n += end ? 1 : 0;
		text += n;
		size -= n;
	}
	return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct journal_reader reader = {.head = head, .take = take};
	char why[512] = "";

	if (size < 2)
		return 0;
	size_t n = size - 1;
	char *text = malloc(n * (JOURNAL_SEAL + 1) + JOURNAL_SEAL);

	must_hold(text);
	if (data[0] & 1)
		n = seal((const char *)data + 1, n, text);
	else
		memcpy(text, data + 1, n);
	FILE *f = n ? fmemopen(text, n, "r") : NULL;

	if (f) {
		if (!journal_scan(f, "f", &reader, why, sizeof(why)))
			must_be_a_line(why);
		fclose(f);
	}
	free(text);
	return 0;
}
