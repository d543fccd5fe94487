/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/target.h"

#include <string.h>

#include "harness/unit.h"

static void an_address_and_a_port(void)
{
	static const struct {
		const char *text, *target;
		unsigned port;
	} rows[] = {
		{"192.0.2.7:20049", "192.0.2.7", 20049},
		{"[2001:db8::7]:1", "2001:db8::7", 1},
		{"127.0.0.1:65535", "127.0.0.1", 65535},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct device d;
		char why[256];
		bool unknown;

		device_init(&d);
		CU_ASSERT_FALSE(device_is_alone(&d));
		CU_ASSERT(device_set_target(&d, rows[i].text, &unknown, why,
					    sizeof(why)));
		CU_ASSERT_STRING_EQUAL(d.target, rows[i].target);
		CU_ASSERT_EQUAL(d.target_port, rows[i].port);
		CU_ASSERT_STRING_EQUAL(d.name, rows[i].text);
		CU_ASSERT(device_is_alone(&d));
	}
}

static void what_is_no_target(void)
{
	static const char *const rows[] = {
		"",          "192.0.2.7",     ":20049",       "192.0.2.7:0",
		"a:65536",   "2001:db8::7:1", "192.0.2.7:1x", "192.0.2.7:",
		"[::1]20049"};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct device d;
		char why[256] = "";
		bool unknown = true;

		device_init(&d);
		CU_ASSERT_FALSE(device_set_target(&d, rows[i], &unknown, why,
						  sizeof(why)));
		CU_ASSERT_FALSE(unknown);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, "expected HOST:PORT"));
	}
}

static void a_buffer_and_its_place(void)
{
	static const uint8_t told[] = {0xee, 0, 0, 0, 1, 0, 0,    0x20, 0,
				       1,    2, 3, 4, 0, 0, 0x10, 0};
	struct device d;
	struct device_buffer found;
	char why[512];

	device_init(&d);
	CU_ASSERT(device_set_buffer(&d, "0x1a2b3c:0x7f0010002000:4096", why,
				    sizeof(why)));
	CU_ASSERT_EQUAL(d.buffer.where, BUFFER_GIVEN);
	CU_ASSERT_EQUAL(d.buffer.stag, 0x1a2b3c);
	CU_ASSERT_EQUAL(d.buffer.to, 0x7f0010002000);
	CU_ASSERT_EQUAL(d.buffer.len, 4096);
	CU_ASSERT(device_set_buffer(&d, "private-data:1", why, sizeof(why)));
	CU_ASSERT_EQUAL(d.buffer.where, BUFFER_PRIVATE_DATA);
	CU_ASSERT(device_buffer_of(&d.buffer, told, sizeof(told), &found));
	CU_ASSERT_EQUAL(found.to, 0x100002000);
	CU_ASSERT_EQUAL(found.stag, 0x01020304);
	CU_ASSERT_EQUAL(found.len, 0x1000);
	CU_ASSERT_FALSE(
		device_buffer_of(&d.buffer, told, sizeof(told) - 1, &found));
	CU_ASSERT(device_set_buffer(&d, "send:1:stag-length-to", why,
				    sizeof(why)));
	CU_ASSERT_EQUAL(d.buffer.where, BUFFER_SEND);
	CU_ASSERT(device_buffer_of(&d.buffer, told, sizeof(told), &found));
	CU_ASSERT_EQUAL(found.stag, 1);
	CU_ASSERT_EQUAL(found.len, 0x2000);
	CU_ASSERT_EQUAL(found.to, 0x0102030400001000);
}

static void what_is_no_buffer(void)
{
	static const char *const rows[] = {"",
					   "1",
					   "1:2",
					   "1:2:0",
					   "0x100000000:0:8",
					   "1:0xffffffffffffffff:2",
					   "1:2:3:4",
					   "-1:0:8",
					   "private-data",
					   "send:",
					   "send:65537",
					   "send:0:backwards"};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct device d;
		char why[512] = "";

		device_init(&d);
		CU_ASSERT_FALSE(
			device_set_buffer(&d, rows[i], why, sizeof(why)));
		CU_ASSERT_EQUAL(d.buffer.where, BUFFER_NONE);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, "STAG:TO:LENGTH"));
	}
}

static void an_agent_goes_first(void)
{
	static const char text[] = "[device]\nagent = 127.0.0.1:2\n"
				   "target = 127.0.0.1:3\n";
	struct device d;
	char why[256];

	CU_ASSERT(device_parse(&d, "x.ini", text, strlen(text), why,
			       sizeof(why)));
	CU_ASSERT_FALSE(device_is_alone(&d));
}

static void private_data(void)
{
	struct device d;
	char why[256], most[1027];

	device_init(&d);
	CU_ASSERT(device_set_private_data(&d, "00fFA1", why, sizeof(why)));
	CU_ASSERT_EQUAL(d.private_octets, 3);
	CU_ASSERT_EQUAL(memcmp(d.private_data, "\x00\xff\xa1", 3), 0);
	memset(most, 'a', sizeof(most));
	most[1026] = '\0';
	CU_ASSERT_FALSE(device_set_private_data(&d, most, why, sizeof(why)));
	most[1024] = '\0';
	CU_ASSERT(device_set_private_data(&d, most, why, sizeof(why)));
	CU_ASSERT_EQUAL(d.private_octets, 512);
	CU_ASSERT_FALSE(device_set_private_data(&d, "", why, sizeof(why)));
	CU_ASSERT_FALSE(device_set_private_data(&d, "0", why, sizeof(why)));
	CU_ASSERT_FALSE(device_set_private_data(&d, "0g", why, sizeof(why)));
	CU_ASSERT_FALSE(
		device_set_private_data(&d, "@/none", why, sizeof(why)));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"an address and a port", an_address_and_a_port},
		{"what is no target", what_is_no_target},
		{"a buffer and its place", a_buffer_and_its_place},
		{"what is no buffer", what_is_no_buffer},
		{"an agent goes first", an_agent_goes_first},
		{"private data", private_data},
	};

	return unit_run("target", tests, UNIT_COUNT(tests));
}
