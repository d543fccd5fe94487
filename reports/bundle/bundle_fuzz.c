/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a bundle, and a sound bundle with any octets put into it: every
 * reported line is fit for a terminal, and only sealed data is verified.
 */
#include <stdio.h>

#include "harness/wire/fuzz.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/testing.h"

static struct testing_signer lab;
static char *sound;
static size_t sound_octets;

static void tell(void *user, const char *line)
{
	(void)user;
	must_be_a_line(line);
}

static void seal(void)
{
	struct bundle *b = bundle_new();
	char why[256];
	FILE *out = open_memstream(&sound, &sound_octets);

	must_hold(testing_signer(&lab, "lab") && b && out &&
		  bundle_add(b, "a/b.txt", "two\n", 4, why, sizeof(why)) &&
		  bundle_add(b, "c", "", 0, why, sizeof(why)) &&
		  bundle_sign(b, lab.key, lab.cert, why, sizeof(why)) &&
		  bundle_write(b, out) == 0 && fclose(out) == 0);
	bundle_free(b);
}

static size_t objections(const void *octets, size_t n)
{
	struct bundle_wanted w[] = {{.name = "a/b.txt", .most = 1000},
				    {.name = "d", .most = 10}};
	struct bundle_check c = {
		.ca = lab.cert, .wanted = w, .wanted_count = 2, .tell = tell};
	char why[256];

	must_hold(bundle_verify_octets(&c, octets, n, why, sizeof(why)));
	bundle_forget(&c);
	return c.objections;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!sound)
		seal();
	must_hold(objections(data, size) > 0 ||
		  (size == sound_octets && memcmp(data, sound, size) == 0));
	if (size < 3)
		return 0;
	/* The first two octets determine where the others go. */
	size_t at = (size_t)(data[0] << 8 | data[1]) % sound_octets;
	size_t n = size - 2 < sound_octets - at ? size - 2 : sound_octets - at;
	char *changed = malloc(sound_octets);

	must_hold(changed);
	memcpy(changed, sound, sound_octets);
	memcpy(changed + at, data + 2, n);
	must_hold((objections(changed, sound_octets) == 0) ==
		  (memcmp(changed, sound, sound_octets) == 0));
	free(changed);
	return 0;
}
