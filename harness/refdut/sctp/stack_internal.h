/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sctp_packets.c and sctp_stack.c share.
 */
#ifndef HARNESS_REFDUT_SCTP_STACK_INTERNAL_H
#define HARNESS_REFDUT_SCTP_STACK_INTERNAL_H

#include "harness/refdut/loop.h"
#include "harness/refdut/sctp/sctp_stack.h"

enum {
	DATA_HEADER = 16, /* of a DATA chunk (RFC 9260 s3.3.1) */
};

/* A remote UDP address: what usrsctp has for an address is its number, never
 * a pointer, so that what it still says of one that is gone goes nowhere. */
struct stack_path {
	struct stack_path *next; /* the one used last is first */
	uintptr_t id;
	struct address udp;
	unsigned wires;
};

extern struct stack_wire *stack_wires;
extern struct stack_door *stack_doors;

/* NULL: there is none of this number. */
struct stack_path *stack_path_with(uintptr_t id);
/* NULL: too many are in use. */
struct stack_path *stack_path_to(const struct address *to);

/* The octets of all headers of a packet, before its chunks. */
uint32_t stack_headers(void);

/* Let usrsctp know how late it is. */
void stack_pass_time(void);

#endif
