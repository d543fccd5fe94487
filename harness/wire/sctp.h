/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SCTP packets (RFC 9260 s3), as far as the suite judges how DDP uses them: the
 * sequence of chunks and parameters, and the fields of DATA, INIT and SACK. The
 * codec is lossless for wrong packets, too: lengths and padding are kept as
 * received, and a wrong length is reported, not repaired.
 */
#ifndef HARNESS_WIRE_SCTP_H
#define HARNESS_WIRE_SCTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCTP_HEADER_OCTETS    12
#define SCTP_CHUNK_OCTETS     4  /* type, flags, length */
#define SCTP_DATA_OCTETS      12 /* fixed fields after those, by type */
#define SCTP_INIT_OCTETS      16
#define SCTP_SACK_OCTETS      12
#define SCTP_PARAMETER_OCTETS 4

enum sctp_chunk_type {
	SCTP_CHUNK_DATA = 0,
	SCTP_CHUNK_INIT = 1,
	SCTP_CHUNK_INIT_ACK = 2,
	SCTP_CHUNK_SACK = 3,
	SCTP_CHUNK_HEARTBEAT = 4,
	SCTP_CHUNK_HEARTBEAT_ACK = 5,
	SCTP_CHUNK_ABORT = 6,
	SCTP_CHUNK_SHUTDOWN = 7,
	SCTP_CHUNK_SHUTDOWN_ACK = 8,
	SCTP_CHUNK_ERROR = 9,
	SCTP_CHUNK_COOKIE_ECHO = 10,
	SCTP_CHUNK_COOKIE_ACK = 11,
	SCTP_CHUNK_SHUTDOWN_COMPLETE = 14,
};

/* Flags of a DATA chunk. */
enum sctp_data_flag {
	SCTP_DATA_E = 0x01, /* last fragment */
	SCTP_DATA_B = 0x02, /* first fragment */
	SCTP_DATA_U = 0x04, /* unordered */
	SCTP_DATA_I = 0x08, /* RFC 7053: acknowledge at once */
};

/* The common header; chunks point into the packet. */
struct sctp_packet {
	uint16_t source, destination;
	uint32_t tag;
	uint8_t checksum[4]; /* as on the wire */
	const uint8_t *chunks;
	size_t chunk_octets;
};

/* False: n is less than 12. */
bool sctp_packet_decode(struct sctp_packet *p, const uint8_t *octets, size_t n);
/* Every encoder returns the number of octets written; 0: cap is too small. */
size_t sctp_packet_encode(const struct sctp_packet *p, uint8_t *out,
			  size_t cap);

/*
 * A chunk or parameter. `length` is the field, right or wrong: it counts the
 * four octets of the header and the value, but not the padding.
 */
struct sctp_tlv {
	uint16_t type; /* 8 bits in a chunk, 16 in a parameter */
	uint8_t flags; /* chunks only */
	uint16_t length;
	const uint8_t *value;
	size_t value_octets; /* the octets that are present */
	const uint8_t *pad;
	size_t pad_octets;
};

enum sctp_next {
	SCTP_NEXT, /* *t is the next one, *used its size with padding */
	SCTP_END,  /* no octets are left */
	SCTP_CUT,  /* the next one is incomplete, or its length is below 4 */
};

/* The last chunk or parameter may lack its padding. */
enum sctp_next sctp_chunk_decode(struct sctp_tlv *t, const uint8_t *octets,
				 size_t n, size_t *used);
enum sctp_next sctp_parameter_decode(struct sctp_tlv *t, const uint8_t *octets,
				     size_t n, size_t *used);
size_t sctp_chunk_encode(const struct sctp_tlv *t, uint8_t *out, size_t cap);
size_t sctp_parameter_encode(const struct sctp_tlv *t, uint8_t *out,
			     size_t cap);

/* The value of a DATA chunk. */
struct sctp_data {
	uint32_t tsn;
	uint16_t stream, ssn;
	uint32_t ppid;
	const uint8_t *user;
	size_t user_octets;
};

/* The value of an INIT or INIT ACK. */
struct sctp_init {
	uint32_t tag, window;
	uint16_t outbound, inbound; /* streams: OS, MIS */
	uint32_t tsn;
	const uint8_t *parameters;
	size_t parameter_octets;
};

/* The value of a SACK; blocks and duplicates are left encoded. */
struct sctp_sack {
	uint32_t cumulative, window;
	uint16_t gaps, duplicates;
	const uint8_t *tail;
	size_t tail_octets;
};

/* False: the value ends inside the fixed fields. */
bool sctp_data_decode(struct sctp_data *d, const uint8_t *value, size_t n);
bool sctp_init_decode(struct sctp_init *i, const uint8_t *value, size_t n);
bool sctp_sack_decode(struct sctp_sack *s, const uint8_t *value, size_t n);
size_t sctp_data_encode(const struct sctp_data *d, uint8_t *out, size_t cap);
size_t sctp_init_encode(const struct sctp_init *i, uint8_t *out, size_t cap);
size_t sctp_sack_encode(const struct sctp_sack *s, uint8_t *out, size_t cap);

#endif
