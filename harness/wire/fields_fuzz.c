/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets, with markers anywhere: fields lie within them and in order, and
 * every octet belongs to a field. The first octets choose the kind and the
 * markers.
 */
#include "harness/wire/fields.h"
#include "harness/wire/fuzz.h"

#define MARKERS 8

static struct field list[4096];

static uint32_t some_crc(const void *octets, size_t n)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < n; i++)
		crc = crc * 31 + ((const uint8_t *)octets)[i];
	return crc;
}

static void check(const struct field *f, size_t n)
{
	char text[FIELD_TEXT];

	must_hold(f->span > 0 && f->octets > 0 && f->octets <= f->span);
	must_hold(f->at <= n && f->span <= n - f->at);
	must_hold(f->first_bit + f->bits <= 8 * f->octets);
	must_hold(*f->name && f->section && f->means);
	must_hold(field_part_name(f->part) != NULL);
	field_value_text(f, text);
	must_be_a_line(text);
}

static void check_all(size_t count, size_t n)
{
	uint8_t *told = calloc(1, n + 1);

	must_hold(told != NULL && count < sizeof(list) / sizeof(list[0]));
	for (size_t i = 0; i < count; i++) {
		check(&list[i], n);
		must_hold(i == 0 || list[i].at >= list[i - 1].at);
		memset(told + list[i].at, 1, list[i].span);
	}
	for (size_t i = 0; i < n; i++)
		must_hold(told[i]);
	free(told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned short markers[MARKERS];
	struct fields_framing how = {.markers = markers, .crc = some_crc};
	size_t last = 0;

	if (size < 1 + MARKERS)
		return 0;
	unsigned choice = data[0];

	how.crc_off = choice & 2;
	how.marker_count = (choice >> 2) % (MARKERS + 1);
	for (size_t i = 0; i < MARKERS; i++) {
		last += data[1 + i] + (i > 0);
		markers[i] = (unsigned short)last;
	}
	size -= 1 + MARKERS;
	/* In a block of its exact size, so that a sanitizer detects reads past
	 * the end. */
	uint8_t *octets = malloc(size + 1);

	must_hold(octets != NULL);
	memcpy(octets, data + 1 + MARKERS, size);
	octets = realloc(octets, size ? size : 1);
	must_hold(octets != NULL);
	if (choice & 1)
		check_all(fields_of_startup(list,
					    sizeof(list) / sizeof(list[0]),
					    octets, size),
			  size);
	else
		check_all(fields_of_fpdu(list, sizeof(list) / sizeof(list[0]),
					 octets, size, &how),
			  size);
	for (uint32_t ppid = 15; ppid <= 17; ppid++)
		check_all(fields_of_chunk(list, sizeof(list) / sizeof(list[0]),
					  octets, size, ppid),
			  size);
	must_hold(fields_of_fpdu(list, 3, octets, size, &how) <= 3);
	free(octets);
	return 0;
}
