/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/capture_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_OCTETS (1u << 16)
#define PACKET_MOST   (1u << 20)
#define BLOCK_MOST    (16u << 20) /* of pcapng, options included */
#define INTERFACES    4096
#define SECOND        1000000000u

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 2, /* obsolete, and still written */
	BLOCK_SIMPLE = 3,
	BLOCK_ENHANCED = 6,
	SECTION_MAGIC = 0x1a2b3c4d,
	OPTION_RESOLUTION = 9,
	OPTION_OFFSET = 14,
};

enum {
	LINK_NULL = 0,
	LINK_ETHERNET = 1,
	LINK_RAW = 101,
	LINK_RAW_BSD = 12,
	LINK_RAW_OPENBSD = 14,
	LINK_LOOP = 108,
	LINK_SLL = 113,
	LINK_IPV4 = 228,
	LINK_IPV6 = 229,
	LINK_SLL2 = 276,
};

struct interface {
	unsigned link;
	uint32_t snaplen;
	uint64_t per_second; /* units of its clock */
	int64_t offset;      /* in seconds */
};

struct capture_file {
	FILE *file;
	bool pcapng, big_endian;
	uint64_t read, packets;
	struct interface *interfaces; /* of the section; pcap: one */
	size_t interface_count;
	uint8_t *block;
	size_t cap;
	char *buffer;
	int error; /* the file could not be read: errno */
};

/* --- octets ---------------------------------------------------------------- */

static uint16_t get16(const struct capture_file *c, const uint8_t *at)
{
	return c->big_endian ? (uint16_t)(at[0] << 8 | at[1])
			     : (uint16_t)(at[1] << 8 | at[0]);
}

static uint32_t get32(const struct capture_file *c, const uint8_t *at)
{
	uint32_t a = get16(c, at), b = get16(c, at + 2);

	return c->big_endian ? a << 16 | b : b << 16 | a;
}

static uint64_t get64(const struct capture_file *c, const uint8_t *at)
{
	uint64_t a = get32(c, at), b = get32(c, at + 4);

	return c->big_endian ? a << 32 | b : b << 32 | a;
}

static size_t take(struct capture_file *c, void *to, size_t n)
{
	size_t got = fread(to, 1, n, c->file);

	if (got < n && ferror(c->file) && !c->error)
		c->error = errno ? errno : EIO;
	c->read += got;
	return got;
}

static const char out_of_memory[] = "out of memory";

static enum capture_status broken(const struct capture_file *c,
				  const char *what, char why[CAPTURE_FILE_WHY])
{
	/* The file is not to blame. */
	if (c->error || what == out_of_memory) {
		snprintf(why, CAPTURE_FILE_WHY, "%s",
			 c->error ? strerror(c->error) : what);
		return CAPTURE_BROKEN;
	}
	snprintf(why, CAPTURE_FILE_WHY,
		 "truncated or damaged after packet %" PRIu64
		 ", at octet %" PRIu64 ": %s",
		 c->packets, c->read, what);
	return CAPTURE_BROKEN;
}

static bool make_room(struct capture_file *c, size_t n)
{
	if (n <= c->cap)
		return true;
	uint8_t *more = realloc(c->block, n);

	if (!more)
		return false;
	c->block = more;
	c->cap = n;
	return true;
}

/* NULL, or what is wrong. */
static const char *interface_add(struct capture_file *c,
				 const struct interface *one)
{
	if (c->interface_count == INTERFACES)
		return "it has too many interfaces";
	/* Room for a power of two of them. */
	if (!(c->interface_count & (c->interface_count - 1))) {
		size_t cap = c->interface_count ? 2 * c->interface_count : 1;
		struct interface *more =
			realloc(c->interfaces, cap * sizeof(*more));

		if (!more)
			return out_of_memory;
		c->interfaces = more;
	}
	c->interfaces[c->interface_count++] = *one;
	return NULL;
}

static uint64_t in_ns(const struct interface *i, uint64_t at)
{
	uint64_t per = i->per_second;

	return ((uint64_t)i->offset + at / per) * SECOND +
	       (uint64_t)((double)(at % per) * (double)SECOND / (double)per);
}

/* --- pcap -------------------------------------------------------------------- */

static enum capture_status next_of_pcap(struct capture_file *c,
					struct capture_packet *p,
					char why[CAPTURE_FILE_WHY])
{
	const struct interface *i = &c->interfaces[0];
	uint8_t head[16];
	size_t got = take(c, head, sizeof(head));

	if (!got && !ferror(c->file))
		return CAPTURE_END;
	if (got < sizeof(head))
		return broken(c, "it ends inside the header of a packet", why);
	p->n = get32(c, head + 8);
	p->length = get32(c, head + 12);
	if (p->n > PACKET_MOST)
		return broken(c, "a packet of more than 1 MiB", why);
	if (!make_room(c, p->n))
		return broken(c, out_of_memory, why);
	if (take(c, c->block, p->n) < p->n)
		return broken(c, "it ends inside a packet", why);
	p->link = i->link;
	p->octets = c->block;
	p->at_ns = (uint64_t)get32(c, head) * SECOND +
		   (uint64_t)get32(c, head + 4) * (SECOND / i->per_second);
	return CAPTURE_PACKET;
}

static const char *open_pcap(struct capture_file *c, const uint8_t magic[4])
{
	uint8_t head[20];
	bool nano;

	c->big_endian = magic[0] == 0xa1;
	nano = magic[c->big_endian ? 2 : 1] == 0x3c;
	if (take(c, head, sizeof(head)) < sizeof(head))
		return "it ends inside its header";
	struct interface one = {.link = get32(c, head + 16) & 0xffff,
				.per_second = nano ? SECOND : 1000000};

	return interface_add(c, &one);
}

/* --- pcapng ------------------------------------------------------------------ */

/* The clock of an interface, from its options. */
static void take_options(const struct capture_file *c, const uint8_t *at,
			 size_t n, struct interface *one)
{
	while (n >= 4) {
		unsigned code = get16(c, at);
		size_t len = get16(c, at + 2), whole = 4 + ((len + 3) & ~3u);

		if (!code || whole > n)
			return;
		if (code == OPTION_RESOLUTION && len == 1) {
			unsigned power = at[4] & 0x7f;

			one->per_second = 1;
			if (at[4] & 0x80)
				one->per_second = 1ull << (power & 63);
			else
				while (power-- &&
				       one->per_second < UINT64_MAX / 10)
					one->per_second *= 10;
		} else if (code == OPTION_OFFSET && len == 8) {
			one->offset = (int64_t)get64(c, at + 4);
		}
		at += whole;
		n -= whole;
	}
}

static const char *take_interface(struct capture_file *c, size_t n)
{
	struct interface one = {.per_second = 1000000};

	if (n < 8)
		return "an interface that cannot be read";
	one.link = get16(c, c->block);
	one.snaplen = get32(c, c->block + 4);
	take_options(c, c->block + 8, n - 8, &one);
	return interface_add(c, &one);
}

/* False: it is not a readable packet. */
static bool take_packet(struct capture_file *c, uint32_t type, size_t n,
			struct capture_packet *p)
{
	const uint8_t *b = c->block;
	size_t head = type == BLOCK_SIMPLE ? 4 : 20, which = 0;
	uint64_t at = 0;

	if (n < head || !c->interface_count)
		return false;
	if (type == BLOCK_SIMPLE) {
		uint32_t most = c->interfaces[0].snaplen;

		p->length = get32(c, b);
		p->n = n - head < p->length ? n - head : p->length;
		if (most && p->n > most)
			p->n = most;
	} else {
		which = type == BLOCK_PACKET ? get16(c, b) : get32(c, b);
		at = (uint64_t)get32(c, b + 4) << 32 | get32(c, b + 8);
		p->n = get32(c, b + 12);
		p->length = get32(c, b + 16);
	}
	if (which >= c->interface_count || p->n > n - head)
		return false;
	p->link = c->interfaces[which].link;
	p->octets = b + head;
	p->at_ns = at ? in_ns(&c->interfaces[which], at) : 0;
	return true;
}

/* The octet order of a section; its block's length follows. */
static const char *begin_section(struct capture_file *c, uint32_t *length)
{
	uint8_t head[8];

	if (take(c, head, sizeof(head)) < sizeof(head))
		return "it ends inside the header of a section";
	c->big_endian = false;
	if (get32(c, head + 4) != SECTION_MAGIC)
		c->big_endian = true;
	if (get32(c, head + 4) != SECTION_MAGIC)
		return "a section without its magic";
	*length = get32(c, head);
	c->interface_count = 0;
	if (*length < 28 || *length % 4 || *length > BLOCK_MOST)
		return "a section header of impossible length";
	*length -= 12;
	return NULL;
}

/* One block, without its type and lengths, in c->block. */
static enum capture_status next_block(struct capture_file *c, uint32_t *type,
				      size_t *n, char why[CAPTURE_FILE_WHY])
{
	uint8_t head[4];
	uint32_t length;
	const char *what = NULL;
	size_t got = take(c, head, sizeof(head));

	if (!got && !ferror(c->file))
		return CAPTURE_END;
	if (got < sizeof(head))
		return broken(c, "it ends inside the header of a block", why);
	*type = get32(c, head);
	if (*type == BLOCK_SECTION) {
		what = begin_section(c, &length);
	} else if (take(c, head, sizeof(head)) < sizeof(head)) {
		what = "it ends inside the header of a block";
	} else {
		length = get32(c, head);
		if (length < 12 || length % 4 || length > BLOCK_MOST)
			what = "a block of impossible length";
		else
			length -= 8;
	}
	if (what)
		return broken(c, what, why);
	if (!make_room(c, length))
		return broken(c, out_of_memory, why);
	if (take(c, c->block, length) < length)
		return broken(c, "it ends inside a block", why);
	*n = length - 4;
	return CAPTURE_PACKET;
}

static enum capture_status next_of_pcapng(struct capture_file *c,
					  struct capture_packet *p,
					  char why[CAPTURE_FILE_WHY])
{
	enum capture_status status;
	uint32_t type = 0;
	size_t n = 0;

	while ((status = next_block(c, &type, &n, why)) == CAPTURE_PACKET) {
		const char *what =
			type == BLOCK_INTERFACE ? take_interface(c, n) : NULL;

		if (what)
			return broken(c, what, why);
		if (type != BLOCK_PACKET && type != BLOCK_SIMPLE &&
		    type != BLOCK_ENHANCED)
			continue;
		if (!take_packet(c, type, n, p))
			return broken(c,
				      "a packet that its block does not "
				      "hold, or of no interface",
				      why);
		return CAPTURE_PACKET;
	}
	return status;
}

static const char *open_pcapng(struct capture_file *c)
{
	uint32_t length;
	const char *what;

	c->pcapng = true;
	what = begin_section(c, &length);
	if (what)
		return what;
	if (!make_room(c, length))
		return out_of_memory;
	return take(c, c->block, length) < length ? "it ends inside its header"
						  : NULL;
}

/* --- both -------------------------------------------------------------------- */

bool capture_file_is(const uint8_t magic[4])
{
	static const uint8_t all[][4] = {
		{0xa1, 0xb2, 0xc3, 0xd4}, {0xd4, 0xc3, 0xb2, 0xa1},
		{0xa1, 0xb2, 0x3c, 0x4d}, {0x4d, 0x3c, 0xb2, 0xa1},
		{0x0a, 0x0d, 0x0d, 0x0a},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (memcmp(magic, all[i], 4) == 0)
			return true;
	return false;
}

struct capture_file *capture_file_open(FILE *file, char why[CAPTURE_FILE_WHY])
{
	struct capture_file *c = calloc(1, sizeof(*c));
	const char *what = out_of_memory;
	uint8_t magic[4];

	if (!c) {
		fclose(file);
		snprintf(why, CAPTURE_FILE_WHY, "%s", what);
		return NULL;
	}
	c->file = file;
	c->buffer = malloc(BUFFER_OCTETS);
	if (c->buffer)
		setvbuf(file, c->buffer, _IOFBF, BUFFER_OCTETS);
	if (take(c, magic, sizeof(magic)) < sizeof(magic) ||
	    !capture_file_is(magic))
		what = "neither pcap nor pcapng";
	else
		what = magic[0] == 0x0a ? open_pcapng(c) : open_pcap(c, magic);
	if (c->error)
		what = strerror(c->error);
	if (!what)
		return c;
	snprintf(why, CAPTURE_FILE_WHY, "no capture that can be read: %s",
		 what);
	capture_file_close(c);
	return NULL;
}

enum capture_status capture_file_next(struct capture_file *c,
				      struct capture_packet *p,
				      char why[CAPTURE_FILE_WHY])
{
	enum capture_status status =
		c->pcapng ? next_of_pcapng(c, p, why) : next_of_pcap(c, p, why);

	if (status == CAPTURE_PACKET) {
		p->number = ++c->packets;
		if (p->length < p->n)
			p->length = p->n;
	}
	return status;
}

void capture_file_close(struct capture_file *c)
{
	if (!c)
		return;
	fclose(c->file);
	free(c->interfaces);
	free(c->block);
	free(c->buffer);
	free(c);
}

/* --- the link ---------------------------------------------------------------- */

enum { TYPE_IP4 = 0x0800, TYPE_IP6 = 0x86dd, TAGS_MOST = 4 };

static bool is_ip_type(unsigned type)
{
	return type == TYPE_IP4 || type == TYPE_IP6;
}

static bool is_tag(unsigned type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

static unsigned type_at(const struct capture_packet *p, size_t at)
{
	return p->n >= at + 2
		       ? (unsigned)(p->octets[at] << 8 | p->octets[at + 1])
		       : 0;
}

/* From a type at this octet on, after tags; 0: not IP. */
static size_t behind_type(const struct capture_packet *p, size_t at)
{
	unsigned tags = 0;

	while (is_tag(type_at(p, at)) && tags++ < TAGS_MOST)
		at += 4;
	return is_ip_type(type_at(p, at)) ? at + 2 : 0;
}

bool capture_link_known(unsigned link)
{
	switch (link) {
	case LINK_NULL:
	case LINK_ETHERNET:
	case LINK_RAW:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
	case LINK_LOOP:
	case LINK_SLL:
	case LINK_IPV4:
	case LINK_IPV6:
	case LINK_SLL2:
		return true;
	default:
		return false;
	}
}

bool capture_packet_to_ip(struct capture_packet *p)
{
	size_t skip = 0;

	switch (p->link) {
	case LINK_NULL:
	case LINK_LOOP:
		skip = 4;
		break;
	case LINK_ETHERNET:
		skip = behind_type(p, 12);
		break;
	case LINK_SLL:
		skip = behind_type(p, 14);
		break;
	case LINK_SLL2:
		/* The type comes first; tags follow the header. */
		skip = is_ip_type(type_at(p, 0)) ? 20
		       : is_tag(type_at(p, 0))   ? behind_type(p, 22)
						 : 0;
		break;
	default:
		break;
	}
	if ((!skip && (p->link == LINK_ETHERNET || p->link == LINK_SLL ||
		       p->link == LINK_SLL2)) ||
	    !capture_link_known(p->link) || skip >= p->n ||
	    (p->octets[skip] >> 4 != 4 && p->octets[skip] >> 4 != 6))
		return false;
	p->octets += skip;
	p->n -= skip;
	p->length -= skip;
	return true;
}
