/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usrsctp, one per process, and the meaning of its addresses. A path is a
 * remote end that one socket reaches. usrsctp gets the number of a path as its
 * address, and never a pointer: late packets for a path that was removed are
 * dropped.
 */
#ifndef HARNESS_LINK_SCTP_STACK_H
#define HARNESS_LINK_SCTP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of the caller's structure for the remote end. */
struct stack_path {
	uintptr_t id;
	/* Called with a packet to send. */
	void (*out)(struct stack_path *path, const uint8_t *packet, size_t n);
	struct stack_path *next;
};

/* Start usrsctp. Further calls do nothing. */
void stack_start(void);

void stack_add(struct stack_path *path);
void stack_remove(struct stack_path *path);
/* The path with this address. NULL: it was removed. */
struct stack_path *stack_path_of(const void *address);
void *stack_address_of(const struct stack_path *path);

/* Pass a received packet to usrsctp. */
void stack_take(struct stack_path *path, const uint8_t *packet, size_t n);
/* Run the timers that are due. */
void stack_tick(void);

/* Set the checksum (CRC32c) of a packet to that of its current contents. */
void stack_seal(uint8_t *packet, size_t n);
/* Whether the checksum of a packet is correct. */
bool stack_is_sealed(const uint8_t *packet, size_t n);

#endif
