/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usrsctp, one per process, and the meaning of its addresses: a path is a
 * remote end as reached through one socket. usrsctp gets a number for it, never
 * a pointer, so that late packets for a path that is gone go nowhere.
 */
#ifndef HARNESS_LINK_SCTP_STACK_H
#define HARNESS_LINK_SCTP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of the caller's structure for the remote end. */
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

/* A packet has arrived. */
void stack_take(struct stack_path *path, const uint8_t *packet, size_t n);
/* Let timers that are due do their work. */
void stack_tick(void);

/* The four octets of a packet's checksum, over its current contents. */
void stack_seal(uint8_t *packet, size_t n);
/* Whether they are right. */
bool stack_is_sealed(const uint8_t *packet, size_t n);

#endif
