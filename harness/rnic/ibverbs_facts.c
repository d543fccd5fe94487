/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/ibverbs_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum {
	RECEIVES = 2048,
	POSTS = 512,
	REGIONS = 65536,
	REGION_LEN = 256 << 20,
	MESSAGE = 256 << 20,
	/* The maximum of a struct rdma_conn_param. */
	DEPTH_MAX = 255,
	PRIVATE_MAX = 255,
	/*
	 * No verb reports when a device gives up a startup. The suite waits
	 * this long for streams that have to end by themselves, and no longer
	 * than the device needs; this is longer than any driver of Linux waits.
	 */
	STARTUP_MS = 30000,
};

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* The driver's name of itself. */
static void read_description(const struct rnic_place *place, char *text,
			     size_t cap)
{
	char path[160];
	FILE *f;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_desc",
		 place->device);
	f = fopen(path, "re");
	if (f && !fgets(text, (int)cap, f))
		text[0] = '\0';
	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = '\0';
}

static void name_device(const struct rnic *r, const struct ibv_device_attr *a,
			struct verbs_facts *f)
{
	struct utsname host = {0};
	char description[72];

	read_description(&r->place, description, sizeof(description));
	uname(&host);
	snprintf(f->impl, sizeof(f->impl), "%.40s%s%.20s%s%.16s, %.12s %.24s",
		 description, description[0] ? " " : "", r->place.device,
		 a->fw_ver[0] ? " fw " : "", a->fw_ver, host.sysname,
		 host.release);
	for (char *c = f->impl; *c; c++)
		if (!isgraph((unsigned char)*c))
			*c = '_';
}

static void claim(struct verbs_facts *f, enum agent_feature feature, bool has)
{
	if (has)
		f->features |= UINT64_C(1) << feature;
}

static void claim_operations(const struct ibv_device_attr *a,
			     struct verbs_facts *f)
{
	bool inv = a->device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS;
	bool atomics = a->atomic_cap != IBV_ATOMIC_NONE;

	claim(f, AGENT_FEATURE_BIT_SEND, true);
	claim(f, AGENT_FEATURE_BIT_SEND_SE, true);
	claim(f, AGENT_FEATURE_BIT_SEND_INV, inv);
	claim(f, AGENT_FEATURE_BIT_SEND_SE_INV, inv);
	claim(f, AGENT_FEATURE_BIT_WRITE, true);
	claim(f, AGENT_FEATURE_BIT_READ, a->max_qp_rd_atom > 0);
	claim(f, AGENT_FEATURE_BIT_TERMINATE, true);
	claim(f, AGENT_FEATURE_BIT_FETCHADD, atomics);
	claim(f, AGENT_FEATURE_BIT_CMPSWAP, atomics);
	claim(f, AGENT_FEATURE_BIT_MULTI_STREAM, a->max_qp > 1);
	claim(f, AGENT_FEATURE_BIT_RECV_LOCAL, true);
}

bool rnic_facts(struct verbs_device *d, struct verbs_facts *f)
{
	const struct rnic *r = (const struct rnic *)d;
	struct ibv_device_attr a;
	struct ibv_port_attr port;

	memset(f, 0, sizeof(*f));
	if (ibv_query_device(r->verbs, &a) != 0 ||
	    ibv_query_port(r->verbs, 1, &port) != 0)
		return false;
	name_device(r, &a, f);
	inet_ntop(r->place.at.sa.sa_family,
		  r->place.at.sa.sa_family == AF_INET
			  ? (const void *)&r->place.at.in.sin_addr
			  : (const void *)&r->place.at.in6.sin6_addr,
		  f->addr, sizeof(f->addr));
	claim_operations(&a, f);
	f->max_ird = least((uint64_t)a.max_qp_rd_atom, DEPTH_MAX);
	f->max_ord = least((uint64_t)a.max_qp_init_rd_atom, DEPTH_MAX);
	f->max_private = PRIVATE_MAX;
	f->max_regions = least((uint64_t)a.max_mr, REGIONS);
	f->max_receives = least((uint64_t)a.max_qp_wr, RECEIVES);
	f->max_posts = least((uint64_t)a.max_qp_wr, POSTS);
	if (a.max_cqe > 0 &&
	    f->max_receives + f->max_posts > (uint32_t)a.max_cqe) {
		f->max_posts = (uint32_t)a.max_cqe / 4;
		f->max_receives = (uint32_t)a.max_cqe / 2;
	}
	f->max_region_len =
		a.max_mr_size < REGION_LEN ? a.max_mr_size : REGION_LEN;
	f->max_message = port.max_msg_sz < MESSAGE ? port.max_msg_sz : MESSAGE;
	f->startup_timeout_ms = STARTUP_MS;
	return true;
}
