/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crc32c() against the bare crc32_iscsi() it calls. A figure, not a verdict:
 * nothing fails on time.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <isa-l/crc.h>

#include "harness/crc/crc.h"

#define ROUNDS           25
#define OCTETS_PER_ROUND (64 << 20)
#define FLOOR            0.90

static uint8_t octets[65536];
static volatile uint32_t sink;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double bare(size_t n)
{
	double start = seconds();

	for (size_t i = 0; i < OCTETS_PER_ROUND / n; i++)
		sink = crc32_iscsi(octets, (int)n, 0xffffffff);
	return seconds() - start;
}

static double ours(size_t n)
{
	double start = seconds();

	for (size_t i = 0; i < OCTETS_PER_ROUND / n; i++)
		sink = crc32c(octets, n);
	return seconds() - start;
}

/* The two in turn, so that they share what else the machine does. */
static void compare(size_t n)
{
	double best_bare = bare(n), best_ours = ours(n);

	for (unsigned i = 1; i < ROUNDS; i++) {
		double b = bare(n), o = ours(n);
		best_bare = b < best_bare ? b : best_bare;
		best_ours = o < best_ours ? o : best_ours;
	}
	printf("bench crc.%zu %.2f of bare ISA-L (floor %.2f)\n", n,
	       best_bare / best_ours, FLOOR);
}

int main(void)
{
	const char *why;

	if (crc_init(&why) != 0) {
		fprintf(stderr, "crc_bench: %s\n", why);
		return 1;
	}
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)(i * 37);
	compare(1460);
	compare(sizeof(octets));
	return 0;
}
