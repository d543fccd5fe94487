/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usrsctp, which is one per process, and what its addresses stand for: a path
 * is a remote end as one socket reaches it. usrsctp gets a number for it, never
 * a pointer, so that what it still says of a path that is gone goes nowhere.
 */
#ifndef HARNESS_LINK_SCTP_STACK_H
#define HARNESS_LINK_SCTP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller's, at the head of what it knows of the remote end. */
struct stack_path {
	uintptr_t id;
	/* A packet to go out. */
	void (*out)(struct stack_path *path, const uint8_t *packet, size_t n);
	struct stack_path *next;
};

/* Once is enough; again is fine. */
void stack_start(void);

void stack_add(struct stack_path *path);
void stack_remove(struct stack_path *path);
/* NULL: it is gone. */
struct stack_path *stack_path_of(const void *address);
void *stack_address_of(const struct stack_path *path);

/* A packet has come. */
void stack_take(struct stack_path *path, const uint8_t *packet, size_t n);
/* Let timers that are due do their work. */
void stack_tick(void);

/* The four octets of a packet's checksum, over what is there now. */
void stack_seal(uint8_t *packet, size_t n);
/* Whether they are right. */
bool stack_is_sealed(const uint8_t *packet, size_t n);

#endif
