/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/tool/capture.h"
#include "vectors/tool/tshark.h"
#include "vectors/tool/values.h"

#define FIELDS_MAX  5
#define COLUMNS_MAX 120
#define KNOWN_MAX   64
#define READ_MAX    140000 /* two hex digits for each octet of the longest */

enum reading_as { AS_NUMBER, AS_OCTETS, AS_LENGTH, AS_WORD };

/* A stated name and what tshark may call it, the first that has a value. */
struct reading {
	const char *name;
	enum reading_as as;
	const char *field[FIELDS_MAX];
};

static const struct reading fpdu_readings[] = {
	{"ulpdu_length", AS_NUMBER, {"iwarp_mpa.ulpdulength"}},
	{"pad", AS_OCTETS, {"iwarp_mpa.pad"}},
	{"crc", AS_NUMBER, {"iwarp_mpa.crc_check", "iwarp_mpa.crc"}},
	{"t", AS_NUMBER, {"iwarp_ddp.tagged_flag"}},
	{"l", AS_NUMBER, {"iwarp_ddp.last_flag"}},
	{"ddp_reserved", AS_NUMBER, {"iwarp_ddp.rsvd"}},
	{"dv", AS_NUMBER, {"iwarp_ddp.dv"}},
	{"rv", AS_NUMBER, {"iwarp_rdma.version"}},
	{"rdmap_reserved", AS_NUMBER, {"iwarp_rdma.rsv"}},
	{"opcode", AS_NUMBER, {"iwarp_rdma.opcode"}},
	{"stag", AS_NUMBER, {"iwarp_ddp.stag"}},
	{"to", AS_NUMBER, {"iwarp_ddp.tagged_offset"}},
	{"inval_stag", AS_NUMBER, {"iwarp_rdma.inval_stag"}},
	{"qn", AS_NUMBER, {"iwarp_ddp.qn"}},
	{"msn", AS_NUMBER, {"iwarp_ddp.msn"}},
	{"mo", AS_NUMBER, {"iwarp_ddp.mo"}},
	{"sink_stag", AS_NUMBER, {"iwarp_rdma.sinkstag"}},
	{"sink_to", AS_NUMBER, {"iwarp_rdma.sinkto"}},
	{"size", AS_NUMBER, {"iwarp_rdma.rdmardsz"}},
	{"source_stag", AS_NUMBER, {"iwarp_rdma.srcstag"}},
	{"source_to", AS_NUMBER, {"iwarp_rdma.srcto"}},
	{"layer", AS_NUMBER, {"iwarp_rdma.term_layer"}},
	{"etype",
	 AS_NUMBER,
	 {"iwarp_rdma.term_etype_rdma", "iwarp_rdma.term_etype_ddp",
	  "iwarp_rdma.term_etype_llp", "iwarp_rdma.term_etype"}},
	{"code",
	 AS_NUMBER,
	 {"iwarp_rdma.term_errcode_rdma", "iwarp_rdma.term_errcode_ddp_tagged",
	  "iwarp_rdma.term_errcode_ddp_untagged", "iwarp_rdma.term_errcode_llp",
	  "iwarp_rdma.term_errcode"}},
	{"m", AS_NUMBER, {"iwarp_rdma.term_hdrct_m"}},
	{"d", AS_NUMBER, {"iwarp_rdma.hdrct_d"}},
	{"r", AS_NUMBER, {"iwarp_rdma.hdrct_r"}},
	{"term_reserved", AS_NUMBER, {"iwarp_rdma.term_rsvd"}},
	{"segment_length", AS_LENGTH, {"iwarp_rdma.term_ddp_seg_len"}},
	{"ddp_header", AS_OCTETS, {"iwarp_rdma.term_ddp_h"}},
	{"rdma_header", AS_OCTETS, {"iwarp_rdma.term_rdma_h"}},
	{"atomic_reserved", AS_NUMBER, {"iwarp_rdma.atomic.reserved"}},
	{"aopcode", AS_NUMBER, {"iwarp_rdma.atomic.opcode"}},
	{"id",
	 AS_NUMBER,
	 {"iwarp_rdma.atomic.request_identifier",
	  "iwarp_rdma.atomic.original_request_identifier"}},
	{"remote_stag", AS_NUMBER, {"iwarp_rdma.atomic.remote_stag"}},
	{"remote_to", AS_NUMBER, {"iwarp_rdma.atomic.remote_tagged_offset"}},
	{"data",
	 AS_NUMBER,
	 {"iwarp_rdma.atomic.add_data", "iwarp_rdma.atomic.swap_data"}},
	{"mask",
	 AS_NUMBER,
	 {"iwarp_rdma.atomic.add_mask", "iwarp_rdma.atomic.swap_mask"}},
	{"compare", AS_NUMBER, {"iwarp_rdma.atomic.compare_data"}},
	{"compare_mask", AS_NUMBER, {"iwarp_rdma.atomic.compare_mask"}},
	{"value", AS_NUMBER, {"iwarp_rdma.atomic.original_remote_data_value"}},
	{"fpduptr", AS_NUMBER, {"iwarp_mpa.marker_fpduptr"}},
	{"marker_reserved", AS_NUMBER, {"iwarp_mpa.marker_res"}},
	{"payload", AS_OCTETS, {"data.data"}},
};

static const struct reading startup_readings[] = {
	{"key", AS_OCTETS, {"iwarp_mpa.key.req", "iwarp_mpa.key.rep"}},
	{"m", AS_NUMBER, {"iwarp_mpa.marker_flag"}},
	{"c", AS_NUMBER, {"iwarp_mpa.crc_flag"}},
	{"r", AS_NUMBER, {"iwarp_mpa.rej_flag"}},
	{"s_and_reserved", AS_NUMBER, {"iwarp_mpa.res"}},
	{"rev", AS_NUMBER, {"iwarp_mpa.rev"}},
	{"pd_length", AS_NUMBER, {"iwarp_mpa.pdlength"}},
	{"private", AS_OCTETS, {"iwarp_mpa.privatedata"}},
};

static const struct reading chunk_readings[] = {
	{"chunk_type", AS_NUMBER, {"sctp.chunk_type"}},
	{"chunk_length", AS_NUMBER, {"sctp.chunk_length"}},
	{"pad", AS_OCTETS, {"sctp.chunk_padding"}},
	{"u", AS_NUMBER, {"sctp.data_u_bit"}},
	{"b", AS_NUMBER, {"sctp.data_b_bit"}},
	{"e", AS_NUMBER, {"sctp.data_e_bit"}},
	{"tsn",
	 AS_NUMBER,
	 {"sctp.data_tsn_raw", "sctp.init_initial_tsn",
	  "sctp.initack_initial_tsn"}},
	{"stream", AS_NUMBER, {"sctp.data_sid"}},
	{"ssn", AS_NUMBER, {"sctp.data_ssn"}},
	{"ppid", AS_NUMBER, {"sctp.data_payload_proto_id"}},
	{"tag",
	 AS_NUMBER,
	 {"sctp.init_initiate_tag", "sctp.initack_initiate_tag"}},
	{"window", AS_NUMBER, {"sctp.init_credit", "sctp.initack_credit"}},
	{"outbound",
	 AS_NUMBER,
	 {"sctp.init_nr_out_streams", "sctp.initack_nr_out_streams"}},
	{"inbound",
	 AS_NUMBER,
	 {"sctp.init_nr_in_streams", "sctp.initack_nr_in_streams"}},
	{"adaptation", AS_NUMBER, {"sctp.adaptation_layer_indication"}},
};

/* It reads no DDP there: the user data as a whole. */
static const struct reading user_data = {"user", AS_OCTETS, {"data.data"}};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A line of the known list: where tshark reads nothing, or reads wrongly. */
struct known {
	char vector[64], field[40];
	bool wrong, used;
};

/* Not a field of tshark's: the word it puts beside a CRC, appended by the
 * script from its detailed output. */
static const struct reading crc_word = {"crc_word", AS_WORD, {"crc_word"}};

struct compare {
	char **line; /* by frame number; NULL where there is none */
	size_t lines;
	const char *column[COLUMNS_MAX];
	size_t columns;
	struct known known[KNOWN_MAX];
	size_t known_count;
	unsigned long passed, failed, skipped;
};

static size_t columns(const char **out)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(fpdu_readings); i++)
		for (size_t k = 0; k < FIELDS_MAX; k++)
			if (fpdu_readings[i].field[k])
				out[n++] = fpdu_readings[i].field[k];
	for (size_t i = 0; i < COUNT(startup_readings); i++)
		for (size_t k = 0; k < FIELDS_MAX; k++)
			if (startup_readings[i].field[k])
				out[n++] = startup_readings[i].field[k];
	for (size_t i = 0; i < COUNT(chunk_readings); i++)
		for (size_t k = 0; k < FIELDS_MAX; k++)
			if (chunk_readings[i].field[k])
				out[n++] = chunk_readings[i].field[k];
	return n;
}

int vec_tshark_args(void)
{
	const char *column[COLUMNS_MAX];
	size_t n = columns(column);

	puts("-e\nframe.number");
	for (size_t i = 0; i < n; i++)
		printf("-e\n%s\n", column[i]);
	return 0;
}

int vec_tshark_capture(const struct vec_set *set, const char *path, char *why,
		       size_t cap)
{
	struct vec_capture *c = vec_capture_open(path, why, cap);
	struct vec_frames where;

	if (!c)
		return -1;
	for (size_t i = 0; i < set->n; i++)
		vec_capture_add(c, &set->vec[i], &where);
	return vec_capture_close(c, why, cap);
}

/* ---- what tshark read ------------------------------------------------- */

static int read_lines(struct compare *c, const char *path, char *why,
		      size_t cap)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		return -1;
	}
	while ((n = getline(&text, &room, f)) > 0) {
		unsigned long frame = strtoul(text, NULL, 10);

		if (frame >= c->lines) {
			char **more =
				realloc(c->line, (frame + 1) * sizeof(*more));

			if (!more)
				break;
			memset(more + c->lines, 0,
			       (frame + 1 - c->lines) * sizeof(*more));
			c->line = more;
			c->lines = frame + 1;
		}
		text[strcspn(text, "\n")] = '\0';
		free(c->line[frame]);
		c->line[frame] = strdup(text);
	}
	free(text);
	fclose(f);
	return 0;
}

static int read_known(struct compare *c, const char *path, char *why,
		      size_t cap)
{
	FILE *f = fopen(path, "r");
	char text[512];
	int number = 0;

	if (!f) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (fgets(text, sizeof(text), f)) {
		struct known *k = &c->known[c->known_count];
		char kind[8], reason[8];

		number++;
		if (*text == '#' || *text == '\n')
			continue;
		if (c->known_count == KNOWN_MAX ||
		    sscanf(text, "%63s %39s %7s %7s", k->vector, k->field, kind,
			   reason) != 4 ||
		    (strcmp(kind, "wrong") && strcmp(kind, "nothing"))) {
			snprintf(why, cap,
				 "%s:%d: not 'vector field wrong|nothing why'",
				 path, number);
			fclose(f);
			return -1;
		}
		k->wrong = *kind == 'w';
		c->known_count++;
	}
	fclose(f);
	return 0;
}

/* The index-th value tshark has for a field of a frame, copied to out. */
static bool cell(const struct compare *c, unsigned frame, const char *field,
		 unsigned index, char *out, size_t cap)
{
	const char *s = frame < c->lines ? c->line[frame] : NULL;
	size_t n;

	for (size_t i = 0; s && i < c->columns; i++) {
		s = strchr(s, '\t');
		if (s)
			s++;
		if (!strcmp(c->column[i], field))
			break;
	}
	for (unsigned i = 0; s && i < index; i++) {
		s += strcspn(s, ",\t");
		s = *s == ',' ? s + 1 : NULL;
	}
	n = s ? strcspn(s, ",\t") : 0;
	if (n == 0 || n >= cap)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

static bool read_value(const struct compare *c, unsigned frame,
		       const struct reading *r, unsigned index, char *out,
		       size_t cap)
{
	for (size_t i = 0; i < FIELDS_MAX && r->field[i]; i++)
		if (cell(c, frame, r->field[i], index, out, cap))
			return true;
	return false;
}

static bool number(const char *text, uint64_t *n)
{
	if (!strcmp(text, "True") || !strcmp(text, "False")) {
		*n = *text == 'T';
		return true;
	}
	return vec_number(text, n);
}

/* Hex digits, with or without colons, against octets. */
static bool same_octets(const char *hex, const uint8_t *octets, size_t n)
{
	char two[3];

	for (size_t i = 0; i < n; i++) {
		if (*hex == ':')
			hex++;
		snprintf(two, sizeof(two), "%02x", octets[i]);
		if (strncmp(hex, two, 2))
			return false;
		hex += 2;
	}
	return *hex == '\0';
}

static bool agrees(const struct reading *r, const char *stated,
		   const char *read)
{
	static uint8_t octets[65536];
	uint64_t want, is;
	long n;

	if (r->as == AS_WORD)
		return !strcmp(stated, read);
	if (r->as == AS_OCTETS) {
		n = vec_octets(stated, octets, sizeof(octets));
		return n >= 0 && same_octets(read, octets, (size_t)n);
	}
	if (r->as == AS_LENGTH) {
		/* Two octets to tshark, a number to us. */
		if (!vec_number(stated, &want))
			return false;
		octets[0] = (uint8_t)(want >> 8);
		octets[1] = (uint8_t)want;
		return same_octets(read, octets, 2);
	}
	if (!strcmp(r->name, "crc")) {
		/* tshark shows the four octets as one big-endian number. */
		if (vec_octets(stated, octets, 4) != 4 || !number(read, &is))
			return false;
		want = (uint64_t)octets[0] << 24 | octets[1] << 16 |
		       octets[2] << 8 | octets[3];
		return is == want;
	}
	return vec_number(stated, &want) && number(read, &is) && is == want;
}

/* ---- comparing -------------------------------------------------------- */

static const struct reading *reading(const struct reading *table, size_t n,
				     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static struct known *known(struct compare *c, const char *vector,
			   const char *field, bool wrong)
{
	for (size_t i = 0; i < c->known_count; i++)
		if (c->known[i].wrong == wrong &&
		    !fnmatch(c->known[i].vector, vector, 0) &&
		    !fnmatch(c->known[i].field, field, 0))
			return &c->known[i];
	return NULL;
}

static void one(struct compare *c, const struct vec *v, unsigned frame,
		const struct reading *r, const char *field, unsigned index,
		const char *stated)
{
	char *read = malloc(READ_MAX);
	struct known *k;
	bool same, has;

	if (!r || !read) {
		c->skipped++;
		free(read);
		return;
	}
	has = read_value(c, frame, r, index, read, READ_MAX);
	if (!has)
		snprintf(read, READ_MAX, "nothing");
	same = has ? agrees(r, stated, read) : r->as == AS_OCTETS && !*stated;
	k = known(c, v->name, field, has);
	if (same) {
		c->passed++;
	} else if (k) {
		c->skipped++;
		k->used = true;
	} else {
		c->failed++;
		printf("%s: frame %u: %s: tshark reads %.60s, stated %.60s\n",
		       v->name, frame, field, read, stated);
	}
	free(read);
}

static void compare_fpdu(struct compare *c, const struct vec *v, unsigned frame,
			 const char *name, const char *field,
			 const char *stated)
{
	const struct reading *r;
	unsigned index = 0;
	char *end;

	if (!strncmp(name, "marker.", 7)) {
		index = (unsigned)strtoul(name + 7, &end, 10);
		name = strcmp(end, ".fpduptr") ? end : "fpduptr";
		if (!strcmp(end, ".reserved"))
			name = "marker_reserved";
	}
	r = reading(fpdu_readings, COUNT(fpdu_readings), name);
	one(c, v, frame, r, field, index, stated);
}

/* tshark knows RFC 5044's Res of five bits, with S for its highest. */
static void compare_reserved(struct compare *c, const struct vec *v,
			     unsigned frame)
{
	const char *s = vec_stated(v, "s"), *rest = vec_stated(v, "reserved");
	char both[8];

	if (!s && !rest)
		return;
	snprintf(both, sizeof(both), "%d",
		 (s && *s == '1' ? 16 : 0) + (rest ? atoi(rest) : 0));
	one(c, v, frame,
	    reading(startup_readings, COUNT(startup_readings),
		    "s_and_reserved"),
	    "reserved", 0, both);
}

static void compare_startup(struct compare *c, const struct vec *v,
			    unsigned frame, const struct vec_field *f)
{
	const char *s = vec_stated(v, "s");
	const char *name = f->name;
	const struct reading *r =
		reading(startup_readings, COUNT(startup_readings), name);

	if (!strcmp(name, "s") || !strcmp(name, "reserved"))
		return;
	/* It takes enhanced data for private data of the ULP. */
	if (!strcmp(name, "private") && s && *s == '1')
		r = NULL;
	one(c, v, frame, r, name, 0, f->value);
}

/* Does tshark find the CRC right where, and only where, it is? */
static void compare_crc(struct compare *c, const struct vec *v,
			const struct vec_frames *where)
{
	char name[16];

	for (unsigned i = 0; v->crc && i < where->n; i++) {
		bool bad = false;

		snprintf(name, sizeof(name), "%u.crc", i + 1);
		for (size_t k = 0; k < v->fault_count; k++)
			bad |= !strcmp(v->faults[k].name,
				       v->kind == VEC_STREAM ? name : "crc");
		one(c, v, where->frame[i], &crc_word, crc_word.name, 0,
		    bad ? "Bad" : "Good");
	}
}

static void compare_chunk(struct compare *c, const struct vec *v,
			  unsigned frame)
{
	char text[3 * 1024 + 1] = "";
	struct sctp_tlv t;
	struct sctp_data d;
	size_t used;

	for (size_t i = 0; i < v->field_count; i++) {
		const struct vec_field *f = &v->fields[i];

		one(c, v, frame,
		    reading(chunk_readings, COUNT(chunk_readings), f->name),
		    f->name, 0, f->value);
	}
	if (sctp_chunk_decode(&t, v->octets, v->n, &used) != SCTP_NEXT ||
	    t.type != SCTP_CHUNK_DATA ||
	    !sctp_data_decode(&d, t.value, t.value_octets) ||
	    d.user_octets > sizeof(text) / 3)
		return;
	for (size_t i = 0; i < d.user_octets; i++)
		snprintf(text + 3 * i, 4, "%02x ", d.user[i]);
	one(c, v, frame, &user_data, user_data.name, 0, text);
}

static void compare_vector(struct compare *c, const struct vec *v,
			   const struct vec_frames *where)
{
	bool startup = v->kind == VEC_MPA_REQUEST || v->kind == VEC_MPA_REPLY;

	if (v->kind == VEC_SCTP) {
		compare_chunk(c, v, where->frame[0]);
		return;
	}
	if (startup)
		compare_reserved(c, v, where->frame[0]);
	else
		compare_crc(c, v, where);
	for (size_t i = 0; i < v->field_count; i++) {
		const struct vec_field *f = &v->fields[i];
		const char *name = f->name;
		unsigned index = 0;
		char *dot;

		if (startup) {
			compare_startup(c, v, where->frame[0], f);
			continue;
		}
		if (v->kind == VEC_STREAM) {
			index = (unsigned)strtoul(name, &dot, 10);
			if (index < 1 || index > where->n) {
				c->skipped++;
				continue;
			}
			name = dot + 1;
			index--;
		}
		compare_fpdu(c, v, where->frame[index], name, name, f->value);
	}
}

static void report_stale(struct compare *c, const char *path)
{
	for (size_t i = 0; i < c->known_count; i++)
		if (!c->known[i].used) {
			c->failed++;
			printf("%s: '%s %s' is not needed any more\n", path,
			       c->known[i].vector, c->known[i].field);
		}
}

int vec_tshark_compare(const struct vec_set *set, const char *path,
		       const char *known_path, char *why, size_t cap)
{
	struct compare c = {.line = NULL};
	struct vec_capture *walk = NULL;
	struct vec_frames where;
	int status = -1;

	snprintf(why, cap, "out of memory");
	c.columns = columns(c.column);
	c.column[c.columns++] = crc_word.name;
	if (read_lines(&c, path, why, cap) == 0 &&
	    read_known(&c, known_path, why, cap) == 0)
		walk = vec_capture_open(NULL, why, cap);
	for (size_t i = 0; walk && i < set->n; i++) {
		vec_capture_add(walk, &set->vec[i], &where);
		if (where.n)
			compare_vector(&c, &set->vec[i], &where);
		else
			c.skipped++;
	}
	if (walk) {
		report_stale(&c, known_path);
		vec_capture_close(walk, why, cap);
		printf("tshark: %lu passed, %lu failed, %lu skipped\n",
		       c.passed, c.failed, c.skipped);
		status = c.failed || !c.passed;
	}
	for (size_t i = 0; i < c.lines; i++)
		free(c.line[i]);
	free(c.line);
	return status;
}
