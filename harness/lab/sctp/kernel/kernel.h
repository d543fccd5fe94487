/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of kernel_tool share. Each calls only those below it:
 *
 *   kernel_tool.c  the connections that commands come from
 *   commands.c     what each command does
 *   line.c         a command as a line, and its answer
 *   association.c  the sockets of SCTP
 *   session.c      judges what arrives on a stream
 *   breach.c       the objections
 *
 * They include and link nothing of the rest of this project. Without memory the
 * program ends.
 */
#ifndef HARNESS_LAB_SCTP_KERNEL_KERNEL_H
#define HARNESS_LAB_SCTP_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/sctp.h>

enum {
	ASSOCIATIONS = 64,
	STREAMS = 32,
	IN_FLIGHT = 32768, /* RFC 5043 s10 */
	CONTROLS = 16,     /* not yet asked for, of a stream */
	MESSAGE = 70000,
	LINE = 1024,
	PATIENCE_MS = 40000,
	RCVBUF = 4 << 20, /* for many small messages at once */
	AGAIN_MS = 5,     /* to ask whether all is acknowledged */

	PPID_SEGMENT = 16,
	PPID_CONTROL = 17,
	INITIATE = 1,
	ACCEPT = 2,
	REJECT = 3,
	TERMINATE = 4,
	ENHANCED = 4, /* 5, 6, 7 are 1, 2, 3 with RFC 6581's data */
	PRIVATE_MOST = 512,
	ADAPTATION_DDP = 1,

	/* A Send of one segment: RFC 5041 s4.3, RFC 5040 s4.1. */
	SEND_HEAD = 18,
	DDP_LAST_V1 = 0x41,
	RDMAP_V1_SEND = 0x43,
};

/* --- the state of an association ----------------------------------------- */

enum phase { IDLE, INITIATED, OFFERED, OPEN, OVER, BROKEN };

struct chunk {
	bool control;
	size_t n;
	uint8_t octets[]; /* after the DDP-SSN */
};

struct control {
	uint16_t function;
	size_t octets;
	unsigned segments; /* that arrived before it */
};

struct early {
	struct chunk *chunk[IN_FLIGHT]; /* by DDP-SSN, modulo that */
};

struct stream {
	enum phase phase;
	uint16_t function; /* of the Initiate */
	bool they_ended, we_ended, we_spoke;
	uint16_t tx_ssn, rx_ssn;
	uint32_t tx_msn, rx_msn;
	unsigned segments, overtaken;
	struct early *early;
	struct control controls[CONTROLS];
	size_t control_count;
};

struct outgoing {
	uint16_t stream;
	uint32_t ppid;
	bool after_all; /* once the chunks before it are acknowledged */
	size_t n;
	struct outgoing *next;
	uint8_t octets[];
};

struct association {
	int fd; /* -1: not in use */
	bool up, refused, shut_down, aborted, paused, adaptation;
	uint32_t indication;
	uint8_t in[MESSAGE];
	size_t in_octets;
	struct stream stream[STREAMS];
	struct outgoing *first, **last;
};

static inline uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static inline void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

static inline void *must_alloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	return p;
}

/* --- breach.c --------------------------------------------------------- */

extern unsigned breaches; /* since they were asked for */
extern char first_breach[256];

void breach(unsigned stream, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- session.c -------------------------------------------------------- */

/* Octet i of a Send with this MSN, after its header; of private data, with this
 * function code. */
uint8_t payload(uint32_t msn, size_t i);
/* The message in a->in is complete. */
void took(struct association *a, const struct sctp_rcvinfo *info);

/* --- association.c ---------------------------------------------------- */

extern struct association *associations[ASSOCIATIONS];
extern size_t association_count;
extern int listener; /* of SCTP; -1: none */

/* Takes ownership of the socket. NULL: there is no room, and it is closed. */
struct association *association_new(int fd);
/* All of them, with ABORT if they are up, the listener and the breaches. */
void forget_all(void);
void closed(struct association *a);
/* False: nothing has arrived. */
bool receive(struct association *a);
/* Of an association that is closed: zeros. */
struct sctp_status status_of(const struct association *a);
/* Room for the n octets of a message after the DDP-SSN, to be filled in. */
uint8_t *queue(struct association *a, unsigned sid, uint32_t ppid,
	       bool after_all, size_t n);
/* Sends what there is room for. */
void send_queued(struct association *a);

/* --- line.c ----------------------------------------------------------- */

extern char line[LINE], answer[LINE]; /* answer: "" while there is none */

/* Makes it the answer. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Whether the line is a command with this verb. */
bool is(const char *verb);
unsigned long number_of(const char *key, unsigned long otherwise);
/* Returns the length of the address; 0: there is none. */
socklen_t address_of(const char *key, struct sockaddr_storage *out);

/* --- commands.c ------------------------------------------------------- */

/* The association that `connect` waits for; or NULL. */
extern struct association *connecting;

/* Does the command, as far as it can be answered: otherwise it is asked
 * again. */
void perform(bool first);

#endif
