/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vector files: octets a person can check by hand, with what they mean.
 * man/warpspec-vectors.5 describes the text; this reads it. Whoever needs raw
 * octets (a case that sends a malformed frame, a unit test) takes them from
 * here by name.
 */
#ifndef VECTORS_TOOL_VEC_H
#define VECTORS_TOOL_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vec_kind {
	VEC_MPA_REQUEST,
	VEC_MPA_REPLY,
	VEC_FPDU,   /* one FPDU */
	VEC_STREAM, /* FPDUs back to back in one direction */
	VEC_CRC,    /* octets and their CRC32c */
	VEC_ATOMIC, /* operands and result; no octets */
	VEC_SCTP,   /* one chunk: DATA, INIT or INIT ACK */
	VEC_MULPDU, /* EMSS and MULPDU; no octets */
};

enum vec_verdict {
	VEC_VALID,   /* a conforming sender may send this */
	VEC_INVALID, /* none may: `faults` says why */
	VEC_OPEN,    /* the RFCs do not settle it */
};

/* What a receiver owes to an invalid or open vector. */
enum vec_receiver { VEC_ACCEPT, VEC_REFUSE, VEC_EITHER };

struct vec_field {
	char *name, *value;
	int line;
};

struct vec {
	char *name, *file, *section, *about;
	int line;
	enum vec_kind kind;
	enum vec_verdict verdict;
	enum vec_receiver receiver;
	bool markers;    /* FPDUs of this direction bear markers */
	bool crc;        /* CRCs are in use; true unless said otherwise */
	uint32_t offset; /* stream offset of the first octet */
	uint8_t *octets;
	size_t n;
	struct vec_field *fields;
	size_t field_count;
	struct vec_field *faults; /* names only */
	size_t fault_count;
};

struct vec_set {
	struct vec *vec;
	size_t n;
};

/*
 * Append a file's vectors to a set (start with a zeroed one). On an error
 * returns -1 and writes one line, `file:line: what`, to why; the set keeps
 * what it had and still needs vec_free.
 */
int vec_load(struct vec_set *set, const char *path, char *why, size_t cap);
/* The same of n octets, a NUL behind them, that stand for the file at path;
 * they are changed. */
int vec_parse(struct vec_set *set, const char *path, char *text, size_t n,
	      char *why, size_t cap);
void vec_free(struct vec_set *set);

const char *vec_kind_name(enum vec_kind kind);

/* The text of a stated field, or NULL. A stream's names are "1.qn", ... */
const char *vec_stated(const struct vec *v, const char *name);

/* True for every name that a vector of any kind may state (names.c). */
bool vec_name_known(const char *name);

/* Decimal or 0x hex, the whole text. */
bool vec_number(const char *text, uint64_t *value);

/*
 * Octets as the files write them: "0a ff 00*24" or "\"text\"". Writes up to
 * cap octets and returns how many there are, or -1 if the text is wrong.
 */
long vec_octets(const char *text, uint8_t *out, size_t cap);

#endif
