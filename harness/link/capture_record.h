/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of a capture in memory; shared by capture.c and
 * capture_pcapng.c. */
#ifndef HARNESS_LINK_CAPTURE_RECORD_H
#define HARNESS_LINK_CAPTURE_RECORD_H

#include "harness/link/capture.h"

/* Octets of one segment: with its headers it fits into an IP datagram. */
enum { CAPTURE_SEGMENT = 65000 };
/* A socket does not show the MSS options of its handshake. The file announces the
 * largest MSS, so that it makes no FPDU too long. */
enum { CAPTURE_MSS = 65535 };

enum record_kind {
	RECORD_OPEN,
	RECORD_DATA,
	RECORD_FIN,
	RECORD_RESET,
	RECORD_SCTP,  /* struct capture_sctp_head, then the octets */
	RECORD_FRAME, /* uint32_t: the length on the wire; then the octets */
};

/* The header of a record. Its n octets follow. Headers are not aligned in the
 * buffer. */
struct record {
	uint64_t at_ns; /* clock_now_ns(); RECORD_FRAME: the wall clock */
	uint32_t n;
	uint16_t flow;
	uint8_t kind;
	uint8_t dir; /* the end that acts; RECORD_OPEN: that connected */
};

struct capture_sctp_head {
	struct link_end end[2]; /* as in a flow */
	const char *comment;    /* or NULL */
};

struct capture {
	uint8_t *octets;
	size_t used, cap, limit;
	bool cut;
	bool frames;       /* has frames: the file has only these */
	uint64_t epoch_ns; /* wall clock minus monotonic clock */
	unsigned flows;
	struct capture_flow {
		struct link_end end[2]; /* by capture_dir: the sender */
	} flow[CAPTURE_FLOWS];
};

#endif
