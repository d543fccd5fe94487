/* SPDX-License-Identifier: BSD-2-Clause */
/* What other hosts say about addresses, and what is believed of it. */
#include "harness/link/raw/neighbours.h"

#include <string.h>

#include "harness/unit.h"

static const uint8_t mac_a[PACKET_MAC] = {2, 0, 0, 0, 0, 0xa};
static const uint8_t mac_b[PACKET_MAC] = {2, 0, 0, 0, 0, 0xb};

static struct link_end device, other;
static struct address own;
static struct link link;
static struct frames frames;
static struct neighbours known;

/* What would be sent is not: the link is down. */
static void begin(void)
{
	link = (struct link){.down = true};
	frames = (struct frames){.link = &link, .own = &own};
	known = (struct neighbours){.frames = &frames, .own = &own};
	CU_ASSERT_TRUE(link_end_parse(&own.ip, "10.77.0.3", 0));
	CU_ASSERT_TRUE(link_end_parse(&device, "10.77.0.2", 0));
	CU_ASSERT_TRUE(link_end_parse(&other, "10.77.0.9", 0));
}

static void says(enum packet_kind kind, const struct link_end *from,
		 const struct link_end *to, const uint8_t mac[PACKET_MAC])
{
	struct packet p = {.kind = kind, .from = *from, .to = *to};

	memcpy(p.mac_from, mac, PACKET_MAC);
	memcpy(p.lladdr, mac, PACKET_MAC);
	neighbours_input(&known, &p);
}

static void is_at(const struct link_end *ip, const uint8_t mac[PACKET_MAC])
{
	const uint8_t *at = neighbours_mac(&known, ip);

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_EQUAL(memcmp(at, mac, PACKET_MAC), 0);
}

static void an_answer_to_no_question(void)
{
	begin();
	says(PACKET_ARP_REPLY, &device, &own.ip, mac_b);
	CU_ASSERT_PTR_NULL(neighbours_mac(&known, &device));
	neighbours_ask(&known, &device, false);
	neighbours_announce(&known);
	says(PACKET_ARP_REPLY, &other, &own.ip, mac_b);
	CU_ASSERT_PTR_NULL(neighbours_mac(&known, &other));
	says(PACKET_ARP_REPLY, &device, &own.ip, mac_a);
	is_at(&device, mac_a);
	CU_ASSERT_STRING_EQUAL(link.trouble, "");
}

/* The first one is kept; that there are two is said. */
static void two_have_it(void)
{
	begin();
	says(PACKET_ARP_REQUEST, &device, &own.ip, mac_a);
	says(PACKET_ARP_REQUEST, &device, &own.ip, mac_a);
	CU_ASSERT_STRING_EQUAL(link.trouble, "");
	says(PACKET_ARP_REPLY, &device, &own.ip, mac_b);
	is_at(&device, mac_a);
	CU_ASSERT_STRING_EQUAL(link.trouble,
			       "two hosts have the address 10.77.0.2: "
			       "02:00:00:00:00:0a and 02:00:00:00:00:0b");
	/* It has moved. */
	neighbours_forget(&known, &device);
	CU_ASSERT_PTR_NULL(neighbours_mac(&known, &device));
	says(PACKET_ARP_REQUEST, &device, &own.ip, mac_b);
	is_at(&device, mac_b);
}

static void somebody_has_ours(void)
{
	begin();
	memcpy(own.mac, mac_a, PACKET_MAC);
	says(PACKET_ARP_REPLY, &own.ip, &own.ip, mac_b);
	CU_ASSERT_TRUE(known.conflict);
	CU_ASSERT_PTR_NOT_NULL(strstr(link.trouble, "10.77.0.3"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"an answer to no question", an_answer_to_no_question},
		{"two have it", two_have_it},
		{"somebody has ours", somebody_has_ours},
	};

	return unit_run("neighbours", tests, UNIT_COUNT(tests));
}
