/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a device file: accepted values are complete and printable; for
 * other input there is one line with the error.
 */
#include "harness/wire/fuzz.h"
#include "suite/device/device.h"

static void must_be_text(const char *s, size_t cap)
{
	must_hold(strnlen(s, cap) < cap);
	for (; *s; s++)
		must_hold((unsigned char)*s >= 0x20 || *s == '\t');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[512] = "";
	struct device d;

	must_hold(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (device_parse(&d, "/nowhere/device.ini", text, size, why,
			 sizeof(why))) {
		must_hold(d.agent[0] && d.agent_port);
		must_hold(d.settle_ms <= 60000 && d.streams <= 65535);
		must_hold(d.hook_health_ms && d.hook_reset_ms && d.hook_log_ms);
		must_be_text(d.name, sizeof(d.name));
		must_be_text(d.agent, sizeof(d.agent));
		must_be_text(d.link_netns, sizeof(d.link_netns));
		must_be_text(d.hook_reset, sizeof(d.hook_reset));
		must_be_text(d.hook_health, sizeof(d.hook_health));
		must_be_text(d.hook_log, sizeof(d.hook_log));
	} else {
		must_hold(strncmp(why, "/nowhere/device.ini:", 20) == 0);
		for (char *c = why; *c; c++) /* a value may hold tabs */
			*c = *c == '\t' ? ' ' : *c;
		must_be_a_line(why);
	}
	free(text);
	return 0;
}
