/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/perform/startup.h"

#include <string.h>

#include "suite/language/case_program.h"

/* The octets after the key of another frame, or octets that are not a frame at
 * all. */
enum { KEY = 16, NOISE = 20, TOO_MUCH = 513 };

static struct req_must row_of(const uint64_t *s)
{
	switch ((enum stream_fault)s[STREAM_FAULT]) {
#define STARTUP(ident, name, text, responder, initiator)                       \
	case STARTUP_##ident:                                                  \
		return s[STREAM_INITIATES] ? (initiator) : (responder);
#include "suite/explore/startups.def"
#undef STARTUP
	default:
		return MPA_7_1_2_04;
	}
}

/* The correct key except for one octet. */
static const char *wrong_key(struct test *t, const uint64_t *s)
{
	const char *right =
		s[STREAM_INITIATES] ? "MPA ID Rep Frame" : "MPA ID Req Frame";
	char *key = (char *)(uintptr_t)octets_of(t, KEY, 0);

	memcpy(key, right, KEY);
	key[s[STREAM_FAULT_AT]] ^= 0x20;
	return key;
}

static struct startup frame_of(struct test *t, const uint64_t *s,
			       const struct stream_opts *o)
{
	struct startup f = {
		.reply = s[STREAM_INITIATES],
		.no_crc = o->crc == OFF,
		.m = o->markers,
		.enhanced = o->enhanced,
		.ird = o->ird,
		.ord = o->ord,
		.private_data = o->private_data,
		.private_octets = o->private_octets,
	};

	switch ((enum stream_fault)s[STREAM_FAULT]) {
	case STARTUP_KEY:
		f.key = wrong_key(t, s);
		break;
	case STARTUP_OTHER_KEY:
		f.reply = !f.reply;
		break;
	case STARTUP_PRIVATE:
		f.enhanced = false;
		f.private_data = pattern(t, TOO_MUCH, 1);
		f.private_octets = TOO_MUCH;
		f.exceeds = true;
		break;
	case STARTUP_PD_LENGTH:
		f.pd_length = IS(UINT16_MAX);
		break;
	default:
		break;
	}
	return f;
}

/* No length in it announces further octets. */
static void send_noise(struct test *t, const uint64_t *s)
{
	uint8_t noise[NOISE];

	memcpy(noise, pattern(t, NOISE, (unsigned)s[STREAM_FAULT_AT] + 1),
	       NOISE);
	noise[NOISE - 2] = noise[NOISE - 1] = 0;
	peer_sends_octets(t, noise, NOISE);
}

/* A device may await all octets of a Request before it refuses it: how long it
 * waits, only a SHOULD limits (RFC 5044 s7.1.2 rule 10). */
static void what_is_announced_follows(struct test *t, const uint64_t *s,
				      const struct stream_opts *o)
{
	struct startup f = frame_of(t, s, o);
	size_t n = UINT16_MAX - f.private_octets -
		   (f.enhanced ? MPA_ENHANCED_OCTETS : 0);

	if (!dut_startup(t).closed)
		peer_sends_octets(t, octets_of(t, n, 'p'), n);
}

void startup_is_wrong(struct test *t, const uint64_t *s,
		      const struct stream_opts *o)
{
	struct req_must row = row_of(s);

	if (s[STREAM_INITIATES]) {
		case_dials(t, o);
		awaits_request(t);
	} else {
		case_listens(t, o);
		peer_opens_tcp(t);
	}
	if (s[STREAM_FAULT] == STARTUP_NOISE)
		send_noise(t, s);
	else
		peer_sends_startup(t, frame_of(t, s, o));
	if (s[STREAM_FAULT] == STARTUP_PD_LENGTH && !s[STREAM_INITIATES])
		what_is_announced_follows(t, s, o);
	case_must(t, row,
		  s[STREAM_INITIATES] ? closed_without_fpdu()
				      : closed_without_reply());
	/* One may wait for its octets first. */
	if (s[STREAM_FAULT] != STARTUP_PD_LENGTH &&
	    agent_tells_startup_errors(t))
		case_must(t, row, agent_sees_failed_startup());
}
