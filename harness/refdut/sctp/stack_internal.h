/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by sctp_packets.c and sctp_stack.c.
 */
#ifndef HARNESS_REFDUT_SCTP_STACK_INTERNAL_H
#define HARNESS_REFDUT_SCTP_STACK_INTERNAL_H

#include "harness/refdut/loop.h"
#include "harness/refdut/sctp/sctp_stack.h"

enum {
	DATA_HEADER = 16, /* of a DATA chunk (RFC 9260 s3.3.1) */
};

/* A remote UDP address. usrsctp gets its number as an address, and never a
 * pointer: late packets for an address that was removed are dropped. */
struct stack_path {
	struct stack_path *next; /* in order of use, the most recent first */
	uintptr_t id;
	struct address udp;
	unsigned wires;
};

extern struct stack_wire *stack_wires;
extern struct stack_door *stack_doors;

/* NULL: there is no path with this number. */
struct stack_path *stack_path_with(uintptr_t id);
/* NULL: too many paths are in use. */
struct stack_path *stack_path_to(const struct address *to);

/* The length of all headers of a packet, before its chunks. */
uint32_t stack_headers(void);

/* Advance usrsctp's clock to the current time. */
void stack_pass_time(void);

#endif
