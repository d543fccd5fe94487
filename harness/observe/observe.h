/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event log of one case: everything that was sent, received and requested,
 * in order, with its octets. Matchers judge from it; reports quote it.
 *
 * All memory comes from the log's arena, and is valid until observe_reset(). It
 * is bounded: beyond OBSERVE_MAX octets observe_alloc() returns NULL, and the
 * caller stops reading from the device.
 */
#ifndef HARNESS_OBSERVE_OBSERVE_H
#define HARNESS_OBSERVE_OBSERVE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"

#define OBSERVE_MAX   (96u << 20)
#define OBSERVE_SPARE (8u << 20)

enum observe_kind {
	OBSERVE_STARTUP_SENT, /* octets: a startup frame, or its equivalent */
	OBSERVE_STARTUP_SEEN,
	OBSERVE_FRAME_SENT, /* frame is set */
	OBSERVE_FRAME_SEEN,
	OBSERVE_OCTETS_SENT, /* octets that are not a frame */
	OBSERVE_OCTETS_SEEN,
	OBSERVE_FIN_SENT,
	OBSERVE_FIN_SEEN,
	OBSERVE_RESET_SENT,
	OBSERVE_RESET_SEEN,
	OBSERVE_AGENT_ASKED, /* text */
	OBSERVE_AGENT_SAID,
	OBSERVE_NOTE,
};

/* SCTP's fields of a chunk. */
struct frame_chunk {
	uint32_t ppid, tsn;
	uint16_t stream, ddp_ssn;
	bool ordered;
	bool faulty;      /* sent with a requested fault */
	unsigned arrival; /* its place among all received chunks, from 0 */
};

/* One FPDU as on the wire; over SCTP, the user data of one chunk. */
struct frame {
	const uint8_t *octets; /* the whole FPDU, markers and CRC included */
	size_t n;
	const struct frame_chunk *chunk; /* NULL: an FPDU */
	const struct fpdu *fpdu; /* only marker_count markers are present; for a
				  * chunk, only the ULPDU is set */
	struct ddp_segment seg;
	bool crc_ok;        /* the CRC field is the CRC of the octets */
	uint8_t crc_due[4]; /* that CRC; not valid if n is less than 4 */
};

struct event {
	enum observe_kind kind;
	unsigned stream; /* the number of the connection, from 0 */
	uint64_t at_ns;  /* monotonic */
	const uint8_t *octets;
	size_t n;
	const struct frame *frame;
	const struct frame_chunk *chunk; /* NULL: not an SCTP chunk */
	const char *text;
	const struct event *next;
};

struct observe;

/* NULL: no memory. */
struct observe *observe_new(void);
void observe_free(struct observe *o);
/* Forget everything; memory of the log is no longer valid. */
void observe_reset(struct observe *o);

/* Zeroed memory, valid until the next reset. NULL: beyond the bound. */
void *observe_alloc(struct observe *o, size_t n);
/* The device has sent too much: raise the bound by OBSERVE_SPARE octets, for
 * the report about this. False: it was already raised. */
bool observe_spare(struct observe *o);
/* A copy of n octets in the arena. NULL: beyond the bound. */
uint8_t *observe_copy(struct observe *o, const void *octets, size_t n);
/* Formatted text in the arena. "": beyond the bound. */
const char *observe_format(struct observe *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *observe_vformat(struct observe *o, const char *fmt, va_list ap);

/*
 * Append an event; octets and text are not copied. Returns the event, so that
 * the caller can set `frame`. NULL: beyond the bound.
 */
struct event *observe_event(struct observe *o, enum observe_kind kind,
			    unsigned stream, const uint8_t *octets, size_t n);
void observe_text(struct observe *o, enum observe_kind kind, unsigned stream,
		  const char *text);

const struct event *observe_first(const struct observe *o);
const struct event *observe_last(const struct observe *o);

#endif
