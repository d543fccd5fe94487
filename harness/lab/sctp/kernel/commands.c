/* SPDX-License-Identifier: BSD-2-Clause */
/* What each command does. */
#include "harness/lab/sctp/kernel/kernel.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* For an association that meets RFC 5043: as many streams in each direction,
 * and an indication. -1: answered. */
static int new_socket(int family)
{
	const unsigned streams = (unsigned)number_of("streams", 10);
	const struct sctp_initmsg init = {
		.sinit_num_ostreams = (uint16_t)streams,
		.sinit_max_instreams = (uint16_t)streams,
	};
	const struct sctp_setadaptation adaptation = {
		(uint32_t)number_of("adaptation", ADAPTATION_DDP)};
	const struct sctp_event_subscribe events = {
		.sctp_association_event = 1,
		.sctp_shutdown_event = 1,
		.sctp_adaptation_layer_event = 1,
	};
	const struct sctp_udpencaps udp = {
		.sue_address.ss_family = (sa_family_t)family,
		.sue_port = htons((uint16_t)number_of("udp", 0)),
	};
	/* Lost chunks are retransmitted soon. */
	const struct sctp_rtoinfo rto = {
		.srto_initial = 500, .srto_max = 2000, .srto_min = 200};
	const struct sctp_sack_info sack = {
		.sack_freq = (uint32_t)number_of("sack", 1)};
	const int on = 1, rcvbuf = (int)number_of("rcvbuf", RCVBUF);
	const struct {
		int name;
		const void *value;
		size_t n;
	} options[] = {
		{SCTP_INITMSG, &init, sizeof(init)},
		{SCTP_ADAPTATION_LAYER, &adaptation, sizeof(adaptation)},
		{SCTP_EVENTS, &events, sizeof(events)},
		{SCTP_REMOTE_UDP_ENCAPS_PORT, &udp, sizeof(udp)},
		{SCTP_RTOINFO, &rto, sizeof(rto)},
		{SCTP_DELAYED_SACK, &sack, sizeof(sack)},
		{SCTP_RECVRCVINFO, &on, sizeof(on)},
		{SCTP_NODELAY, &on, sizeof(on)},
		{SCTP_DISABLE_FRAGMENTS, &on, sizeof(on)},
	};
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			IPPROTO_SCTP);

	if (fd < 0) {
		say("ERR a socket of SCTP: %s", strerror(errno));
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf, sizeof(rcvbuf));
	/* Fragments are sent if they are requested. */
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].name == SCTP_DISABLE_FRAGMENTS &&
		    number_of("fragments", 0))
			continue;
		if (setsockopt(fd, IPPROTO_SCTP, options[i].name,
			       options[i].value, (socklen_t)options[i].n) == 0)
			continue;
		say("ERR option %d of SCTP: %s", options[i].name,
		    strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static void do_listen(void)
{
	struct sockaddr_storage at;
	socklen_t n = address_of("address", &at);
	int fd = n ? new_socket(at.ss_family) : -1;

	if (!n)
		say("ERR no address=");
	if (fd < 0)
		return;
	if (listener >= 0)
		close(listener);
	listener = fd;
	if (bind(fd, (struct sockaddr *)&at, n) != 0 || listen(fd, 64) != 0)
		say("ERR listen: %s", strerror(errno));
	else
		say("OK");
}

struct association *connecting;

static void do_connect(void)
{
	struct sockaddr_storage to, from;
	socklen_t n = address_of("address", &to);
	int fd = n ? new_socket(to.ss_family) : -1;

	if (!n)
		say("ERR no address=");
	if (fd < 0)
		return;
	socklen_t k = address_of("local", &from);

	if ((k && bind(fd, (struct sockaddr *)&from, k) != 0) ||
	    (connect(fd, (struct sockaddr *)&to, n) != 0 &&
	     errno != EINPROGRESS)) {
		say("ERR connect: %s", strerror(errno));
		close(fd);
		return;
	}
	connecting = association_new(fd);
	if (!connecting)
		say("ERR no room for an association");
}

/* NULL: answered. */
static struct association *asked_about(void)
{
	size_t i = number_of("association", 0);

	if (i >= 1 && i <= association_count)
		return associations[i - 1];
	say("ERR no association %zu", i);
	return NULL;
}

static void tell_association(const struct association *a)
{
	const struct sctp_status status = status_of(a);
	char indication[16] = "none";
	size_t i = 0;

	while (associations[i] != a)
		i++;
	if (a->adaptation)
		snprintf(indication, sizeof(indication), "%u", a->indication);
	say("OK association=%zu up=%d indication=%s out=%u in=%u largest=%u",
	    i + 1, a->up, indication, status.sstat_outstrms,
	    status.sstat_instrms, status.sstat_fragmentation_point);
}

static void do_say(struct association *a, unsigned sid)
{
	struct stream *s = &a->stream[sid];
	unsigned function = (unsigned)number_of("function", 0);
	size_t octets = number_of("octets", 0);
	/* RFC 5043 s6.6: not if it might overtake. */
	uint8_t *at = queue(a, sid, PPID_CONTROL, s->we_spoke, 2 + octets);

	put16(at, function);
	for (size_t i = 0; i < octets; i++)
		at[2 + i] = payload(function, i);
	s->we_spoke = true;
	switch (function) {
	case INITIATE:
	case INITIATE + ENHANCED:
		s->phase = INITIATED;
		s->function = (uint16_t)function;
		break;
	case ACCEPT:
	case ACCEPT + ENHANCED:
		s->phase = OPEN;
		break;
	case TERMINATE:
		s->we_ended = true;
		if (s->phase == OPEN && !s->they_ended)
			break;
		/* fall through */
	default:
		s->phase = OVER;
	}
	say("OK");
}

static void do_segments(struct association *a, unsigned sid)
{
	struct stream *s = &a->stream[sid];
	unsigned long count = number_of("count", 1);
	size_t size = number_of("size", 0);

	for (unsigned long i = 0; i < count; i++) {
		uint8_t *at =
			queue(a, sid, PPID_SEGMENT, false, SEND_HEAD + size);

		at[0] = DDP_LAST_V1;
		at[1] = RDMAP_V1_SEND;
		put32(at + 10, ++s->tx_msn);
		for (size_t k = 0; k < size; k++)
			at[SEND_HEAD + k] = payload(s->tx_msn, k);
	}
	say("OK");
}

static void do_fresh(struct stream *s)
{
	struct early *early = s->early;

	if (s->phase != OVER && s->phase != IDLE)
		breach(0, "a session begins where one is");
	for (unsigned i = 0; early && i < IN_FLIGHT; i++)
		if (early->chunk[i])
			breach(0, "a chunk of the session before is left");
	*s = (struct stream){.early = early};
	say("OK");
}

static void do_end(struct association *a, bool abort)
{
	const struct linger now = {.l_onoff = 1};

	if (a->fd >= 0 && abort) {
		setsockopt(a->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		closed(a);
	} else if (a->fd >= 0) {
		shutdown(a->fd, SHUT_WR);
	}
	say("OK");
}

static void of_association(struct association *a)
{
	unsigned sid = (unsigned)number_of("stream", 0);
	struct stream *s = &a->stream[sid % STREAMS];

	if (is("status")) {
		tell_association(a);
	} else if (is("say")) {
		do_say(a, sid % STREAMS);
	} else if (is("segments")) {
		do_segments(a, sid % STREAMS);
	} else if (is("fresh")) {
		do_fresh(s);
	} else if (is("pause") || is("resume")) {
		a->paused = is("pause");
		say("OK");
	} else if (is("shutdown") || is("abort")) {
		do_end(a, is("abort"));
	} else if (is("control")) {
		const struct control *c = &s->controls[0];

		if (!s->control_count)
			return;
		say("OK function=%u octets=%zu segments=%u", c->function,
		    c->octets, c->segments);
		s->control_count--;
		memmove(s->controls, s->controls + 1,
			s->control_count * sizeof(*c));
	} else if (is("taken")) {
		if (s->segments >= number_of("count", 1))
			say("OK segments=%u overtaken=%u", s->segments,
			    s->overtaken);
	} else if (is("end")) {
		if (a->aborted || a->shut_down)
			say("OK %s", a->aborted ? "aborted" : "shutdown");
	} else {
		say("ERR no such command");
	}
}

void perform(bool first)
{
	struct association *a;

	if (is("listen")) {
		do_listen();
	} else if (is("connect")) {
		if (first)
			do_connect();
		if (!connecting || answer[0])
			return;
		if (connecting->up)
			tell_association(connecting);
		else if (connecting->refused || connecting->aborted)
			say("ERR refused");
	} else if (is("accept")) {
		int fd = listener < 0 ? -1
				      : accept4(listener, NULL, NULL,
						SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0 && (a = association_new(fd))) {
			/* The peer can read messages sent before. */
			while (receive(a))
				;
			tell_association(a);
		}
	} else if (is("breaches")) {
		if (breaches < number_of("count", 0))
			return;
		say("OK %u%s%s", breaches, breaches ? ": " : "",
		    breaches ? first_breach : "");
		breaches = 0;
	} else if ((a = asked_about())) {
		of_association(a);
	}
}
