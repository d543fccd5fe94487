/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vectors_tool: check the vectors against the codec, and write them as a
 * capture for an independent dissector.
 *
 *   vectors_tool check FILE...
 *   vectors_tool list FILE...
 *   vectors_tool pcap FILE... -w OUT.pcap
 *   vectors_tool tshark-args
 *   vectors_tool tshark READING KNOWN FILE...
 *
 * Exit: 0 all passed; 1 something failed; 2 usage, a vector file that cannot
 * be read, or an output that cannot be written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "vectors/tool/check.h"
#include "vectors/tool/tshark.h"

static int usage(void)
{
	fputs("usage: vectors_tool check FILE...\n"
	      "       vectors_tool list FILE...\n"
	      "       vectors_tool pcap FILE... -w OUT.pcap\n"
	      "       vectors_tool tshark-args\n"
	      "       vectors_tool tshark READING KNOWN FILE...\n",
	      stderr);
	return 2;
}

static bool load(struct vec_set *set, char **files, int n)
{
	char why[400];

	for (int i = 0; i < n; i++)
		if (vec_load(set, files[i], why, sizeof(why)) != 0) {
			fprintf(stderr, "%s\n", why);
			return false;
		}
	return n > 0;
}

static int check(const struct vec_set *set)
{
	struct vec_tally tally = {0};
	size_t passed = 0;

	for (size_t i = 0; i < set->n; i++)
		passed += vec_check(&set->vec[i], &tally);
	printf("vectors: %lu comparisons, %lu truncations, %lu bit flips\n",
	       tally.checks, tally.truncations, tally.flips);
	printf("vectors: %zu passed, %zu failed\n", passed, set->n - passed);
	return passed == set->n ? 0 : 1;
}

static int list(const struct vec_set *set)
{
	static const char *const verdict[] = {"valid", "invalid", "open"};

	for (size_t i = 0; i < set->n; i++) {
		const struct vec *v = &set->vec[i];

		printf("%-44s %-11s %-7s %s\n", v->name, vec_kind_name(v->kind),
		       verdict[v->verdict], v->section);
	}
	return 0;
}

static int capture(const struct vec_set *set, const char *path)
{
	char why[400];

	if (vec_tshark_capture(set, path, why, sizeof(why)) == 0)
		return 0;
	fprintf(stderr, "%s\n", why);
	return 2;
}

static int compare(const struct vec_set *set, char **argv)
{
	char why[400];
	int failed =
		vec_tshark_compare(set, argv[2], argv[3], why, sizeof(why));

	if (failed < 0)
		fprintf(stderr, "%s\n", why);
	return failed < 0 ? 2 : failed > 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *why;
	bool pcap = !strcmp(what, "pcap"), tshark = !strcmp(what, "tshark");
	struct vec_set set = {0};
	int status = 2, first = tshark ? 4 : 2, last = argc;

	if (!strcmp(what, "tshark-args") && argc == 2)
		return vec_tshark_args();
	if (pcap)
		last = argc - 2;
	if (last <= first || (pcap && strcmp(argv[last], "-w")) ||
	    (!pcap && !tshark && strcmp(what, "check") && strcmp(what, "list")))
		return usage();
	if (crc_init(&why) != 0) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	if (load(&set, argv + first, last - first)) {
		if (pcap)
			status = capture(&set, argv[argc - 1]);
		else if (tshark)
			status = compare(&set, argv);
		else
			status =
				strcmp(what, "list") ? check(&set) : list(&set);
	}
	vec_free(&set);
	return status;
}
