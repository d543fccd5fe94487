/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/ibverbs_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- finding a device ------------------------------------------------------- */

static bool is_iwarp(const struct rdma_cm_id *id, const char *device)
{
	return id->verbs &&
	       id->verbs->device->transport_type == IBV_TRANSPORT_IWARP &&
	       (!device ||
		strcmp(ibv_get_device_name(id->verbs->device), device) == 0);
}

/* Whether this address belongs to the device that is looked for: the address
 * resolution of rdma_cm knows, whatever the provider. */
static bool belongs(struct rdma_event_channel *events, struct sockaddr *at,
		    const char *device, struct rnic_place *place)
{
	struct rdma_cm_id *id;
	bool found = false;
	size_t n = at->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					    : sizeof(struct sockaddr_in6);

	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP) != 0)
		return false;
	if (rdma_bind_addr(id, at) == 0 && is_iwarp(id, device)) {
		memset(place, 0, sizeof(*place));
		memcpy(&place->at, at, n);
		snprintf(place->device, sizeof(place->device), "%s",
			 ibv_get_device_name(id->verbs->device));
		found = true;
	}
	rdma_destroy_id(id);
	return found;
}

/* Lower is better: the requested address, IPv4, not loopback. */
static int rank(const struct ifaddrs *i, const char *bind)
{
	const void *octets =
		i->ifa_addr->sa_family == AF_INET
			? (const void *)&(
				  (struct sockaddr_in *)(void *)i->ifa_addr)
				  ->sin_addr
			: (const void *)&(
				  (struct sockaddr_in6 *)(void *)i->ifa_addr)
				  ->sin6_addr;
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(i->ifa_addr->sa_family, octets, text, sizeof(text));
	if (bind && strcmp(text, bind) == 0)
		return 0;
	return 1 + (i->ifa_addr->sa_family == AF_INET6) +
	       2 * !!(i->ifa_flags & IFF_LOOPBACK);
}

bool rnic_find(struct rnic_place *place, const char *device, const char *bind,
	       char *why, size_t cap)
{
	struct rdma_event_channel *events = rdma_create_event_channel();
	struct ifaddrs *all = NULL;
	bool found = false;

	if (!events) {
		snprintf(why, cap,
			 "no RDMA device: rdma_cm: %s; 'rdma link' lists the "
			 "devices",
			 strerror(errno));
		return false;
	}
	if (getifaddrs(&all) != 0) {
		snprintf(why, cap, "addresses: %s", strerror(errno));
		rdma_destroy_event_channel(events);
		return false;
	}
	for (int want = 0; !found && want <= 4; want++)
		for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
			if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) ||
			    (i->ifa_addr->sa_family != AF_INET &&
			     i->ifa_addr->sa_family != AF_INET6) ||
			    rank(i, bind) != want)
				continue;
			found = belongs(events, i->ifa_addr, device, place);
		}
	if (!found)
		snprintf(why, cap, "%s%s: no address of this host leads to %s",
			 device ? "device " : "devices", device ? device : "",
			 device ? "it" : "an iWARP device");
	freeifaddrs(all);
	rdma_destroy_event_channel(events);
	return found;
}

/* --- opening, polling ----------------------------------------------------------- */

static size_t fds(struct verbs_device *d, struct pollfd *at)
{
	struct rnic *r = (struct rnic *)d;

	at[0] = (struct pollfd){.fd = r->events->fd, .events = POLLIN};
	at[1] = (struct pollfd){.fd = r->completions->fd, .events = POLLIN};
	at[2] = (struct pollfd){.fd = r->verbs->async_fd, .events = POLLIN};
	at[3] = (struct pollfd){.fd = r->dialled[0], .events = POLLIN};
	return 4;
}

static void serve(struct verbs_device *d)
{
	struct rnic *r = (struct rnic *)d;

	rnic_take_dialled(r);
	rnic_take_async_events(r);
	rnic_take_cm_events(r);
	rnic_take_completions(r);
}

static void destroy(struct verbs_device *d)
{
	struct rnic *r = (struct rnic *)d;

	for (size_t i = 0; i < r->domains; i++)
		ibv_dealloc_pd(r->domain[i].pd);
	if (r->completions)
		ibv_destroy_comp_channel(r->completions);
	if (r->anchor)
		rdma_destroy_id(r->anchor);
	if (r->events)
		rdma_destroy_event_channel(r->events);
	for (size_t i = 0; i < 2; i++)
		if (r->dialled[i] >= 0)
			close(r->dialled[i]);
	free(r);
}

static const struct verbs_device_ops ops = {
	.reg = rnic_reg,
	.dereg = rnic_dereg,
	.access = rnic_access,
	.inval = rnic_inval,
	.listen = rnic_listen,
	.unlisten = rnic_unlisten,
	.accept = rnic_accept,
	.reject = rnic_reject,
	.connect = rnic_connect,
	.recv = rnic_recv,
	.post = rnic_post,
	.close = rnic_close,
	.release = rnic_release,
	.fds = fds,
	.serve = serve,
	.destroy = destroy,
};

static bool set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool open_parts(struct rnic *r)
{
	if (pipe2(r->dialled, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	r->events = rdma_create_event_channel();
	if (!r->events || !set_nonblocking(r->events->fd) ||
	    rdma_create_id(r->events, &r->anchor, NULL, RDMA_PS_TCP) != 0 ||
	    rdma_bind_addr(r->anchor, &r->place.at.sa) != 0)
		return false;
	r->verbs = r->anchor->verbs;
	if (!r->verbs) {
		errno = ENODEV;
		return false;
	}
	r->completions = ibv_create_comp_channel(r->verbs);
	return r->completions && set_nonblocking(r->completions->fd) &&
	       set_nonblocking(r->verbs->async_fd);
}

struct verbs_device *rnic_open(const struct rnic_place *place,
			       const struct verbs_facts *facts, char *why,
			       size_t cap)
{
	struct rnic *r = calloc(1, sizeof(*r));

	if (!r) {
		snprintf(why, cap, "out of memory");
		return NULL;
	}
	r->base.ops = &ops;
	r->facts = facts;
	r->place = *place;
	r->dialled[0] = r->dialled[1] = -1;
	if (!open_parts(r)) {
		snprintf(why, cap, "device %s: %s", place->device,
			 strerror(errno));
		destroy(&r->base);
		return NULL;
	}
	return &r->base;
}
