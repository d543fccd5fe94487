/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/address.h"

#include <string.h>

#include "harness/unit.h"

static struct address make(const char *text, unsigned index,
			   const char *gateway)
{
	struct address a;
	char why[LINK_WHY] = "";

	CU_ASSERT_TRUE(address_make(&a, text, index, gateway, why));
	CU_ASSERT_STRING_EQUAL(why, "");
	return a;
}

static struct link_end at(const char *text)
{
	struct link_end e;

	CU_ASSERT_TRUE(link_end_parse(&e, text, 7));
	return e;
}

/* Over the end of an octet too; the MAC is as unique as the address. */
static void one_for_each_worker(void)
{
	static const struct {
		const char *first;
		unsigned index;
		const char *text;
		uint8_t mac[PACKET_MAC];
	} rows[] = {
		{"10.77.0.3/16", 0, "10.77.0.3", {2, 0x77, 10, 77, 0, 3}},
		{"10.77.0.250/16", 9, "10.77.1.3", {2, 0x77, 10, 77, 1, 3}},
		{"fd00::ffff/64", 1, "fd00::1:0", {2, 0x77, 0, 1, 0, 0}},
	};
	char text[LINK_ADDRESS];

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct address a = make(rows[i].first, rows[i].index, NULL);

		address_text(&a, text);
		CU_ASSERT_STRING_EQUAL(text, rows[i].text);
		CU_ASSERT_EQUAL(memcmp(a.mac, rows[i].mac, PACKET_MAC), 0);
	}
}

static void what_is_no_address(void)
{
	static const struct {
		const char *text;
		unsigned index;
		const char *gateway;
	} rows[] = {
		{"10.77.0.3", 0, NULL},
		{"10.77.0.3/", 0, NULL},
		{"10.77.0.3/31", 0, NULL},
		{"10.77.0.3/24x", 0, NULL},
		{"10.77.0/24", 0, NULL},
		{"fd00::3/127", 0, NULL},
		/* Beyond the last, and on the one that is everyone's. */
		{"10.77.0.250/24", 6, NULL},
		{"10.77.0.250/24", 5, NULL},
		{"10.77.0.3/24", 0, "10.77.1.1"},
		{"10.77.0.3/24", 0, "fd00::1"},
		{"10.77.0.3/24", 0, "gateway"},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct address a;
		char why[LINK_WHY] = "";

		CU_ASSERT_FALSE(address_make(&a, rows[i].text, rows[i].index,
					     rows[i].gateway, why));
		CU_ASSERT_STRING_NOT_EQUAL(why, "");
	}
}

static void next_hops(void)
{
	struct link_end near = at("10.77.3.255"), far = at("10.77.4.1"),
			other = at("fd00::1"), gateway = at("10.77.0.1");
	struct address alone = make("10.77.0.3/22", 0, "");
	struct address routed = make("10.77.0.3/22", 0, "10.77.0.1");

	CU_ASSERT_PTR_EQUAL(address_next_hop(&alone, &near), &near);
	CU_ASSERT_PTR_NULL(address_next_hop(&alone, &far));
	CU_ASSERT_PTR_NULL(address_next_hop(&alone, &other));
	CU_ASSERT_PTR_EQUAL(address_next_hop(&routed, &near), &near);
	CU_ASSERT_PTR_EQUAL(address_next_hop(&routed, &far), &routed.gateway);
	CU_ASSERT_TRUE(address_equal(&routed.gateway, &gateway));
}

static void comparing(void)
{
	struct link_end a = at("10.77.0.3"), b = at("10.77.0.3"),
			v6 = at("fd00::3"), none = at("0.0.0.0"),
			none6 = at("::");

	b.port = 8;
	CU_ASSERT_TRUE(address_equal(&a, &b));
	CU_ASSERT_FALSE(address_equal(&a, &v6));
	CU_ASSERT_FALSE(address_equal(&none, &none6));
	CU_ASSERT_TRUE(address_is_unspecified(&none));
	CU_ASSERT_TRUE(address_is_unspecified(&none6));
	CU_ASSERT_FALSE(address_is_unspecified(&v6));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"one for each worker", one_for_each_worker},
		{"what is no address", what_is_no_address},
		{"next hops", next_hops},
		{"comparing", comparing},
	};

	return unit_run("address", tests, UNIT_COUNT(tests));
}
