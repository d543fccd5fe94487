/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports for one listener after another. The kernel looks for a free port from a
 * random one on. Beside tens of thousands of connections in TIME_WAIT, that
 * search takes longer than everything else that a connection costs. So the
 * kernel looks only now and then, and the ports behind its choice are tried
 * first. The kernel still decides whether a port is free.
 */
#ifndef HARNESS_LINK_PORTS_H
#define HARNESS_LINK_PORTS_H

#include <stdint.h>

/* Ports that are tried after one choice of the kernel, and for one listener. */
#define PORTS_IN_A_ROW 512u
#define PORTS_AT_ONCE  16u
/* Linux gives listeners every other port, and connections those in between. */
#define PORTS_APART 2u

/* Begins as zeros. */
struct ports {
	uint16_t next;
	unsigned left;
};

/* A port to try, at most PORTS_AT_ONCE times for a listener; 0: let the kernel
 * choose. */
static inline uint16_t ports_guess(struct ports *p)
{
	uint16_t guess = p->next;

	if (!p->left)
		return 0;
	p->next = (uint16_t)(guess + PORTS_APART);
	p->left = p->next < guess ? 0 : p->left - 1;
	return guess;
}

/* The kernel chose this port. */
static inline void ports_begin(struct ports *p, uint16_t port)
{
	p->next = port;
	p->left = PORTS_IN_A_ROW;
	(void)ports_guess(p);
}

#endif
