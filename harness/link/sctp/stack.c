/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/sctp/stack.h"

#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "harness/link/clock.h"

enum {
	CHECKSUM_AT = 8, /* in the common header */
	CHECKSUM_OCTETS = 4,
	PACKET_MOST = 65535,
	/* Losses on a lab's network are repaired soon. */
	RTO_INITIAL_MS = 500,
	RTO_LEAST_MS = 200,
	RTO_MOST_MS = 2000,
	BUFFER_OCTETS = 1 << 20,
};

static struct stack_path *paths;
static uintptr_t last_id;
static uint64_t ticked; /* until when usrsctp knows the time, ns */

struct stack_path *stack_path_of(const void *address)
{
	struct stack_path *p = paths;

	while (p && p->id != (uintptr_t)address)
		p = p->next;
	return p;
}

void *stack_address_of(const struct stack_path *path)
{
	/* Not a pointer to anything: what usrsctp compares. */
	return (void *)path->id;
}

static int packet_out(void *address, void *packet, size_t n, uint8_t tos,
		      uint8_t df)
{
	struct stack_path *p = stack_path_of(address);

	(void)tos;
	(void)df;
	if (p)
		p->out(p, packet, n);
	return 0;
}

/* An end point that does what RFC 9260 asks for, and offers nothing more. */
static void tune(void)
{
	usrsctp_sysctl_set_sctp_sendspace(BUFFER_OCTETS);
	usrsctp_sysctl_set_sctp_recvspace(BUFFER_OCTETS);
	usrsctp_sysctl_set_sctp_ecn_enable(0);
	usrsctp_sysctl_set_sctp_pr_enable(0);
	usrsctp_sysctl_set_sctp_asconf_enable(0);
	usrsctp_sysctl_set_sctp_auth_enable(0);
	usrsctp_sysctl_set_sctp_reconfig_enable(0);
	usrsctp_sysctl_set_sctp_nrsack_enable(0);
	usrsctp_sysctl_set_sctp_pktdrop_enable(0);
	usrsctp_sysctl_set_sctp_rto_initial_default(RTO_INITIAL_MS);
	usrsctp_sysctl_set_sctp_init_rto_max_default(RTO_MOST_MS);
	usrsctp_sysctl_set_sctp_rto_min_default(RTO_LEAST_MS);
	usrsctp_sysctl_set_sctp_rto_max_default(RTO_MOST_MS);
}

void stack_add(struct stack_path *path)
{
	path->id = ++last_id;
	path->next = paths;
	paths = path;
	usrsctp_register_address(stack_address_of(path));
}

void stack_remove(struct stack_path *path)
{
	struct stack_path **at = &paths;

	while (*at && *at != path)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = path->next;
	usrsctp_deregister_address(stack_address_of(path));
}

static void packet_nowhere(struct stack_path *path, const uint8_t *packet,
			   size_t n)
{
	(void)path;
	(void)packet;
	(void)n;
}

void stack_start(void)
{
	/* A socket reports its port with an address: there is always one. */
	static struct stack_path nowhere = {.out = packet_nowhere};
	static bool started;

	if (started)
		return;
	started = true;
	usrsctp_init_nothreads(0, packet_out, NULL);
	tune();
	ticked = clock_now_ns();
	stack_add(&nowhere);
}

void stack_take(struct stack_path *path, const uint8_t *packet, size_t n)
{
	/* A timer must not start at a time in the past. */
	stack_tick();
	usrsctp_conninput(stack_address_of(path), packet, n, 0);
}

void stack_tick(void)
{
	uint64_t ms = (clock_now_ns() - ticked) / CLOCK_NS_PER_MS;

	if (!ms)
		return;
	ticked += ms * CLOCK_NS_PER_MS;
	usrsctp_handle_timers((uint32_t)ms);
}

void stack_seal(uint8_t *packet, size_t n)
{
	uint32_t sum;

	memset(packet + CHECKSUM_AT, 0, CHECKSUM_OCTETS);
	sum = usrsctp_crc32c(packet, n);
	memcpy(packet + CHECKSUM_AT, &sum, CHECKSUM_OCTETS);
}

bool stack_is_sealed(const uint8_t *packet, size_t n)
{
	static uint8_t copy[PACKET_MOST];
	bool fits = n >= CHECKSUM_AT + CHECKSUM_OCTETS && n <= sizeof(copy);

	if (!fits)
		return false;
	memcpy(copy, packet, n);
	stack_seal(copy, n);
	return memcmp(copy, packet, n) == 0;
}
