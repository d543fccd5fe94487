/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include <jansson.h>

#include "suite/decode/say.h"

struct builder {
	bool failed;
};

static void set(struct builder *b, json_t *object, const char *key,
		json_t *value)
{
	b->failed |= json_object_set_new(object, key, value) != 0;
}

static void set_text(struct builder *b, json_t *object, const char *key,
		     const char *text)
{
	set(b, object, key, json_string(text));
}

static void set_size(struct builder *b, json_t *object, const char *key,
		     uint64_t n)
{
	set(b, object, key, json_integer((json_int_t)n));
}

/* Its digits in a string if readers would round the number (RFC 7493 s2.2). */
static void set_number(struct builder *b, json_t *object, const char *key,
		       uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	if (value < UINT64_C(1) << 53)
		set_size(b, object, key, value);
	else
		set_text(b, object, key, digits);
}

static void set_hex(struct builder *b, json_t *object, const char *key,
		    const uint8_t *octets, size_t n)
{
	char *hex = malloc(2 * n + 1);

	for (size_t i = 0; hex && i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", octets[i]);
	set(b, object, key, hex ? json_stringn(hex, 2 * n) : NULL);
	free(hex);
}

static json_t *field_json(struct builder *b, const struct field *f)
{
	json_t *o = json_object();
	char text[FIELD_TEXT];

	field_value_text(f, text);
	set_text(b, o, "name", f->name);
	set_text(b, o, "part", field_part_name(f->part));
	set_text(b, o, "section", f->section);
	set_size(b, o, "at", f->at);
	set_size(b, o, "span", f->span);
	set_size(b, o, "octets", f->octets);
	if (f->bits) {
		set_size(b, o, "first_bit", f->first_bit);
		set_size(b, o, "bits", f->bits);
	}
	if (f->form != FIELD_OCTETS && !f->cut)
		set_number(b, o, "value", f->value);
	set_text(b, o, "text", text);
	if (*f->means)
		set_text(b, o, "means", f->means);
	if (f->cut)
		set(b, o, "cut", json_true());
	if (f->is_wrong)
		set_number(b, o, "due", f->due);
	return o;
}

static json_t *frame_json(struct builder *b, const struct decoded *d)
{
	static const char *const kinds[] = {"startup", "fpdu", "octets",
					    "chunk"};
	static struct field list[FIELDS_MAX];
	size_t n = frame_fields(d, list, FIELDS_MAX);
	json_t *o = json_object(), *fields = json_array();

	set_text(b, o, "kind", kinds[d->kind]);
	if (d->packet) {
		char end[LINK_END_TEXT];

		set_size(b, o, "flow", d->flow);
		link_end_text(&d->end[d->from], end);
		set_text(b, o, "from", end);
		link_end_text(&d->end[!d->from], end);
		set_text(b, o, "to", end);
		set_size(b, o, "packet", d->packet);
	}
	if (d->kind == DECODED_CHUNK) {
		set_size(b, o, "stream", d->stream);
		set_size(b, o, "ppid", d->ppid);
	} else {
		set_size(b, o, "at", d->at);
	}
	set_text(b, o, "text", d->title);
	if (*d->why)
		set_text(b, o, "no_frame", d->why);
	set_hex(b, o, "octets", d->octets, d->n);
	for (size_t i = 0; i < n; i++)
		b->failed |= json_array_append_new(
				     fields, field_json(b, &list[i])) != 0;
	set(b, o, "fields", fields);
	return o;
}

bool say_json(const struct input *in, const struct decoded_list *frames,
	      FILE *out)
{
	struct builder b = {false};
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < frames->n; i++)
		b.failed |=
			json_array_append_new(
				list, frame_json(&b, &frames->list[i])) != 0;
	set(&b, root, "frames", list);
	if (in->captured.packets) {
		json_t *packets = json_object();

		set_size(&b, packets, "all", in->captured.packets);
		set_size(&b, packets, "not_tcp", in->captured.other);
		if (in->chunks.packets)
			set_size(&b, packets, "sctp", in->chunks.packets);
		set_size(&b, packets, "damaged", in->captured.damaged);
		set(&b, root, "packets", packets);
	}
	bool ok = !b.failed && json_dumpf(root, out, JSON_INDENT(2)) == 0 &&
		  fputc('\n', out) != EOF;

	json_decref(root);
	return ok;
}
