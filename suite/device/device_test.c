/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/agent/client.h"
#include "harness/unit.h"
#include "suite/device/keys.h"

static char path[] = "/tmp/warpspec-device-XXXXXX";
static char token[sizeof(path) + 8];

static bool load(const char *text, struct device *d, char why[512])
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	why[0] = '\0';
	return device_load(d, path, why, 512);
}

static bool says(const char *why, int line, const char *what)
{
	char where[128];

	snprintf(where, sizeof(where), "%s:%d: ", path, line);
	return strncmp(why, where, strlen(where)) == 0 && strstr(why, what) &&
	       !strchr(why, '\n');
}

static void a_whole_file(void)
{
	struct device d;
	char why[512], text[1024];

	snprintf(token, sizeof(token), "%s.token", path);
	FILE *f = fopen(token, "w");

	fputs("sesame\n", f);
	fclose(f);
	snprintf(text, sizeof(text),
		 "[device]\nname = A card\n"
		 "agent = [::1]:18515\n"
		 "token-file = %s\n"
		 "[link]\nkind = socket\nnetns = lab\n"
		 "interface = veth1\n"
		 "address = 10.77.0.3/24\n"
		 "gateway = 10.77.0.1\n"
		 "[features] ; overrides\nmarkers-tx = no\n"
		 "imm = yes\n"
		 "[startup]\nrequest = peer-to-peer\n"
		 "rtr = write,read\n[timing]\nsettle-ms = 20\n"
		 "[limits]\nstreams = 7\n"
		 "[hooks]\nreset = ./again.sh\n"
		 "reset-timeout-ms = 90000\n"
		 "health = cat console && false\n",
		 strrchr(token, '/') + 1);
	CU_ASSERT_TRUE_FATAL(load(text, &d, why));
	unlink(token);
	CU_ASSERT_STRING_EQUAL(d.name, "A card");
	CU_ASSERT_STRING_EQUAL(d.agent, "::1");
	CU_ASSERT_EQUAL(d.agent_port, 18515);
	CU_ASSERT_STRING_EQUAL(d.token_file, token);
	CU_ASSERT_STRING_EQUAL(d.link_netns, "lab");
	CU_ASSERT_STRING_EQUAL(d.link_gateway, "10.77.0.1");
	CU_ASSERT_TRUE(d.request.known && d.request.enhanced);
	CU_ASSERT_EQUAL(d.request.rev, 2);
	CU_ASSERT_EQUAL(d.request.rtr, AGENT_RTR_WRITE | AGENT_RTR_READ);
	CU_ASSERT_STRING_EQUAL(d.hook_reset, "./again.sh");
	CU_ASSERT_STRING_EQUAL(d.hook_health, "cat console && false");
	CU_ASSERT_EQUAL(d.hook_reset_ms, 90000);
	CU_ASSERT_EQUAL(d.hook_health_ms, DEVICE_HEALTH_MS);
	CU_ASSERT_STRING_EQUAL(d.folder, "/tmp/");
	CU_ASSERT_EQUAL(d.features_no, 1ull << AGENT_FEATURE_BIT_MARKERS_TX);
	CU_ASSERT_EQUAL(d.features_yes, 1ull << AGENT_FEATURE_BIT_IMM);
	CU_ASSERT_EQUAL(d.settle_ms, 20);
	CU_ASSERT_EQUAL(d.streams, 7);
}

/* A key that is listed is taken, and means something. */
static void every_key_that_is_listed_is_known(void)
{
	struct device_key k;
	size_t n = 0;

	for (; device_key_at(n, &k); n++) {
		struct device d;
		char why[512];

		CU_ASSERT_FATAL(*k.section && *k.name && *k.value && k.text);
		CU_ASSERT(*k.text && !strchr(k.text, '\n'));
		device_init(&d);
		if (!device_key_set(&d, "x", k.section, k.name, "\t", why,
				    sizeof(why)))
			CU_ASSERT_PTR_NULL(strstr(why, "a key that"));
	}
	CU_ASSERT_EQUAL(n, 31 + AGENT_FEATURES);
}

static void reports_can_tell_which_device_it_is(void)
{
	static const char *const names[] = {"maker",    "model",  "serial",
					    "firmware", "driver", "operator"};
	struct device d;
	char why[512];

	CU_ASSERT_TRUE_FATAL(load("[device]\nagent = 127.0.0.1:1\nmaker = a\n"
				  "model = b\nserial = c\nfirmware = d\n"
				  "driver = e\noperator = f\n",
				  &d, why));
	for (unsigned i = 0; i < DEVICE_IDENTITY; i++) {
		CU_ASSERT_STRING_EQUAL(
			device_identity_name((enum device_identity)i),
			names[i]);
		CU_ASSERT_EQUAL(d.identity[i][0], "abcdef"[i]);
	}
}
/* That its line is one octet too long. */
#define TEN        "xxxxxxxxxx"
#define FIFTY      TEN TEN TEN TEN TEN
#define LONG_VALUE FIFTY FIFTY FIFTY TEN TEN TEN TEN "xx"

static void what_is_wrong_is_named(void)
{
	static const struct {
		const char *text;
		int line;
		const char *what;
	} wrong[] = {
		{"[device]\nagent = 127.0.0.1:1\nbogus = 1\n", 3, "bogus"},
		{"[device]\nagent = somewhere:1\n", 2, "agent"},
		{"[device]\nagent = 127.0.0.1\n", 2, "agent"},
		{"[device]\nagent = 127.0.0.1:0\n", 2, "agent"},
		{"[device]\nagent = 127.0.0.1:65536\n", 2, "agent"},
		{"[device]\nagent = 127.0.0.1:1\n[link]\nkind = ip\n", 4,
		 "kind"},
		{"[device]\nagent = 127.0.0.1:1\n[features]\nwarp = yes\n", 4,
		 "warp"},
		{"[device]\nagent = 127.0.0.1:1\n[features]\nimm = maybe\n", 4,
		 "yes or no"},
		{"[device]\nagent = 127.0.0.1:1\n[timing]\nsettle-ms = -1\n", 4,
		 "settle-ms"},
		{"[device]\nagent = 127.0.0.1:1\n[hooks]\n"
		 "health-timeout-ms = 0\n",
		 4, "health-timeout-ms"},
		{"[device]\nagent = 127.0.0.1:1\n[hooks]\nheal = true\n", 4,
		 "heal"},
		{"[device]\nagent = 127.0.0.1:1\n[limits]\nstreams = 0\n", 4,
		 "streams"},
		{"[device]\nagent = 127.0.0.1:1\n[other]\nx = 1\n", 4, "other"},
		{"[device]\nagent = 127.0.0.1:1\nnonsense\n", 3, "key = value"},
		{"[device]\nfirmwear = 1\n", 2, "did you mean firmware?"},
		{"[features]\nmarker-rx = no\n", 2, "did you mean markers-rx?"},
		{"[device]\nkind = raw\n", 2, "kind is one of [link]"},
		{"[limit]\nstreams = 2\n", 2, "did you mean limits?"},
		{"[link]\nkind = udp\n", 2,
		 "kind = udp: expected socket, raw, sctp or auto"},
		{"[link]\nsctp-udp = 65536\n", 2,
		 "sctp-udp = 65536: expected a port, 1 to 65535, or no"},
		{"[device]\nagent = 127.0.0.1:1\nname = x\n"
		 "agent = 127.0.0.1:2\n",
		 4, "agent = 127.0.0.1:2: line 2 already has"},
		{"[features]\nimm = yes\n[device]\nagent = 127.0.0.1:1\n"
		 "[features]\nimm = no\n",
		 6, "[features] imm = no: line 2 already has"},
		{"[device]\nname = a\n  b\n", 3, "line 2 already has"},
		{"[device]\nagent = 127.0.0.1:1\n"
		 "token-file = /nowhere/at-all\n",
		 3,
		 "token-file = /nowhere/at-all: it does not exist; is the "
		 "device "
		 "up"},
		{"[device]\nagent = 127.0.0.1:1\ntoken-file = /dev/zero\n", 3,
		 "token-file = /dev/zero: not a file, but a device"},
		{"[device]\nname = \033[2J\n", 2, "control character"},
		{"[device]\nname = " LONG_VALUE "\n", 2,
		 "a line of more than 198 octets"},
	};
	struct device d;
	char why[512];

	for (size_t i = 0; i < UNIT_COUNT(wrong); i++) {
		CU_ASSERT_FALSE(load(wrong[i].text, &d, why));
		CU_ASSERT_TRUE(says(why, wrong[i].line, wrong[i].what));
	}
}

static void what_is_missing_is_named(void)
{
	struct device d;
	char why[512];

	CU_ASSERT_FALSE(load("[device]\nname = x\n", &d, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "agent is missing"));
	CU_ASSERT_FALSE(device_load(&d, "/nowhere/at-all", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why,
			       "/nowhere/at-all: No such file or directory");
	CU_ASSERT_FALSE(device_load(&d, "/tmp", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "/tmp: not a file, but a folder");
}

/* The rest of such a line was dropped without a word. */
static void a_nul_is_refused(void)
{
	static const char text[] =
		"[device]\nagent = 127.0.0.1:1\n[limits]\0\nstreams = 1\n";
	struct device d;
	char why[512];

	CU_ASSERT_FALSE(device_parse(&d, path, text, sizeof(text) - 1, why,
				     sizeof(why)));
	CU_ASSERT_TRUE(says(why, 3, "a NUL"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a whole file is read", a_whole_file},
		{"every key that is listed is known",
		 every_key_that_is_listed_is_known},
		{"reports can say which device it is",
		 reports_can_tell_which_device_it_is},
		{"file, line and key of what is wrong", what_is_wrong_is_named},
		{"what is missing is named", what_is_missing_is_named},
		{"a NUL is refused", a_nul_is_refused},
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int status = unit_run("device", tests, UNIT_COUNT(tests));

	unlink(path);
	return status;
}
