/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/provider.h"

static size_t octets_of(uint8_t family)
{
	return family == 6 ? 16 : 4;
}

bool address_equal(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family &&
	       memcmp(a->addr, b->addr, octets_of(a->family)) == 0;
}

bool address_is_unspecified(const struct link_end *e)
{
	static const uint8_t zeros[16];

	return memcmp(e->addr, zeros, octets_of(e->family)) == 0;
}

static bool same_prefix(const struct link_end *a, const struct link_end *b,
			unsigned prefix)
{
	size_t whole = prefix / 8;
	unsigned mask = 0xff00u >> prefix % 8;

	return a->family == b->family && memcmp(a->addr, b->addr, whole) == 0 &&
	       ((a->addr[whole] ^ b->addr[whole]) & mask & 0xff) == 0;
}

/* All ones after the prefix: the broadcast address, with IPv4. */
static bool is_broadcast(const struct link_end *e, unsigned prefix)
{
	if (e->family == 6)
		return false;
	for (unsigned bit = prefix; bit < 32; bit++)
		if (!(e->addr[bit / 8] >> (7 - bit % 8) & 1))
			return false;
	return true;
}

const struct link_end *address_next_hop(const struct address *a,
					const struct link_end *to)
{
	if (same_prefix(&a->ip, to, a->prefix))
		return to;
	return a->gateway.family ? &a->gateway : NULL;
}

void address_text(const struct address *a, char out[LINK_ADDRESS])
{
	inet_ntop(a->ip.family == 6 ? AF_INET6 : AF_INET, a->ip.addr, out,
		  LINK_ADDRESS);
}

/* --- out of a configuration ------------------------------------------ */

/* "ADDRESS/PREFIX" */
static bool parse(const char *text, struct link_end *ip, unsigned *prefix)
{
	char address[LINK_ADDRESS];
	const char *slash = strchr(text, '/');
	char *end;

	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	if (!link_end_parse(ip, address, 0))
		return false;
	unsigned long n = strtoul(slash + 1, &end, 10);

	*prefix = (unsigned)n;
	return slash[1] >= '0' && slash[1] <= '9' && !*end && n > 0 &&
	       n <= (ip->family == 6 ? 126u : 30u);
}

static void add(struct link_end *ip, unsigned n)
{
	for (size_t i = octets_of(ip->family); i-- > 0 && n;) {
		n += ip->addr[i];
		ip->addr[i] = (uint8_t)n;
		n >>= 8;
	}
}

/* Administered locally; as unique as the address is. */
static void make_mac(struct address *a)
{
	a->mac[0] = 0x02;
	a->mac[1] = 0x77;
	memcpy(a->mac + 2, a->ip.addr + octets_of(a->ip.family) - 4, 4);
}

/* Itself on the segment, or there would be no way to it. */
static bool take_gateway(struct address *a, const char *gateway)
{
	if (!gateway || !gateway[0])
		return true;
	return link_end_parse(&a->gateway, gateway, 0) &&
	       same_prefix(&a->ip, &a->gateway, a->prefix);
}

bool address_make(struct address *a, const char *text, unsigned index,
		  const char *gateway, char why[LINK_WHY])
{
	struct link_end first;

	*a = (struct address){0};
	if (!parse(text, &first, &a->prefix)) {
		link_fail(why, 0,
			  "raw link: address %.60s: expected ADDRESS/PREFIX",
			  text);
		return false;
	}
	a->ip = first;
	add(&a->ip, index);
	if (!same_prefix(&first, &a->ip, a->prefix) ||
	    is_broadcast(&a->ip, a->prefix)) {
		link_fail(why, 0,
			  "raw link: %.60s has no %u addresses after it: each "
			  "worker needs one",
			  text, index);
		return false;
	}
	make_mac(a);
	if (take_gateway(a, gateway))
		return true;
	link_fail(why, 0,
		  "raw link: gateway %.60s: expected an address on the segment "
		  "of %.60s",
		  gateway, text);
	return false;
}
