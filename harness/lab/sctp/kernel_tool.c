/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP over the kernel's SCTP, as the other side for interop_tool.c: an
 * independent reading of RFC 5043 that includes and links nothing of the rest
 * of this project. It sends what it is asked to, always in its proper place. It
 * judges what it receives: payload protocol, unordered, DDP-SSNs, the legal
 * sequences, the headers and octets of segments. An objection is a breach, and
 * is kept until it is asked for.
 *
 *   kernel_tool PORT
 *
 * accepts one TCP connection after another there. A line is a command, followed
 * by KEY=VALUE; the answer is one line, OK ... or ERR ..., as soon as the
 * command is complete, or after ms= (40000). Everything that a connection made
 * ends with it.
 *
 *   listen address= port= [SETTINGS]
 *   accept                            an association: OK association=1 ...
 *   connect address= port= udp= [local=] [SETTINGS]
 *   status association=               OK up=1 indication=1|none in= out= ...
 *   say association= stream= function= [octets=]
 *   control association= stream=      the next control message:
 *                                     OK function=1 octets=5 segments=0
 *   segments association= stream= count= size=
 *   taken association= stream= count= this many segments have arrived in turn
 *   fresh association= stream=        another session may begin
 *   pause association=, resume association=    stop reading; continue
 *   shutdown association=, abort association=
 *   end association=                  OK shutdown | OK aborted
 *   breaches [count=]                 OK 0, or OK N: the first; and forgets
 *
 * SETTINGS are adaptation= (1; 0: none), streams= (10), rcvbuf= (octets),
 * sack=0 (acknowledges late) and fragments=1 (sends messages that are too
 * large).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/sctp.h>

enum {
	ASSOCIATIONS = 64,
	STREAMS = 32,
	IN_FLIGHT = 32768, /* RFC 5043 s10 */
	CONTROLS = 16,     /* not yet asked for, of a stream */
	MESSAGE = 70000,
	LINE = 1024,
	PATIENCE_MS = 40000,
	RCVBUF = 4 << 20, /* for many small messages at once */
	AGAIN_MS = 5,     /* to ask whether all is acknowledged */

	PPID_SEGMENT = 16,
	PPID_CONTROL = 17,
	INITIATE = 1,
	ACCEPT = 2,
	REJECT = 3,
	TERMINATE = 4,
	ENHANCED = 4, /* 5, 6, 7 are 1, 2, 3 with RFC 6581's data */
	PRIVATE_MOST = 512,
	ADAPTATION_DDP = 1,

	/* A Send of one segment: RFC 5041 s4.3, RFC 5040 s4.1. */
	SEND_HEAD = 18,
	DDP_LAST_V1 = 0x41,
	RDMAP_V1_SEND = 0x43,
};

/* --- the state of an association ----------------------------------------- */

enum phase { IDLE, INITIATED, OFFERED, OPEN, OVER, BROKEN };

struct chunk {
	bool control;
	size_t n;
	uint8_t octets[]; /* after the DDP-SSN */
};

struct control {
	uint16_t function;
	size_t octets;
	unsigned segments; /* that arrived before it */
};

struct early {
	struct chunk *chunk[IN_FLIGHT]; /* by DDP-SSN, modulo that */
};

struct stream {
	enum phase phase;
	uint16_t function; /* of the Initiate */
	bool they_ended, we_ended, we_spoke;
	uint16_t tx_ssn, rx_ssn;
	uint32_t tx_msn, rx_msn;
	unsigned segments, overtaken;
	struct early *early;
	struct control controls[CONTROLS];
	size_t control_count;
};

struct outgoing {
	uint16_t stream;
	uint32_t ppid;
	bool after_all; /* once the chunks before it are acknowledged */
	size_t n;
	struct outgoing *next;
	uint8_t octets[];
};

struct association {
	int fd; /* -1: not in use */
	bool up, refused, shut_down, aborted, paused, adaptation;
	uint32_t indication;
	uint8_t in[MESSAGE];
	size_t in_octets;
	struct stream stream[STREAMS];
	struct outgoing *first, **last;
};

static struct association *associations[ASSOCIATIONS];
static size_t association_count;
static int listener = -1;
static unsigned breaches;
static char first_breach[256];

static void breach(unsigned stream, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!breaches++)
		snprintf(first_breach, sizeof(first_breach), "stream %u: %s",
			 stream, text);
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

static void *must_alloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	return p;
}

/* --- the legal sequences of a session: RFC 5043 s6 ----------------------- */

/* Of the peer's control message, in its turn; NULL: it is legal there. */
static const char *control_is(struct stream *s, unsigned function,
			      size_t octets)
{
	if (s->they_ended)
		return "a control message after its Session Terminate";
	switch (function) {
	case INITIATE:
	case INITIATE + ENHANCED:
		if (s->phase != IDLE)
			return "an Initiate that begins nothing";
		s->phase = OFFERED;
		s->function = (uint16_t)function;
		break;
	case ACCEPT:
	case ACCEPT + ENHANCED:
		if (s->phase != INITIATED || function != s->function + 1u)
			return "an Accept of nothing that was asked";
		s->phase = OPEN;
		break;
	case REJECT:
	case REJECT + ENHANCED:
		if (s->phase != INITIATED || function != s->function + 2u)
			return "a Reject of nothing that was asked";
		s->phase = OVER;
		break;
	case TERMINATE:
		if (s->phase != OPEN && s->phase != INITIATED)
			return "a Terminate of no session";
		if (octets)
			return "a Terminate with private data";
		s->they_ended = true;
		if (s->phase == INITIATED || s->we_ended)
			s->phase = OVER;
		break;
	default:
		return "a function code that is in no registry";
	}
	return octets > PRIVATE_MOST ? "more than 512 octets of private data"
				     : NULL;
}

/* The n octets of a Send with this MSN, after its header. */
static uint8_t payload(uint32_t msn, size_t i)
{
	return (uint8_t)(msn + i);
}

static const char *segment_is(struct stream *s, const struct chunk *c)
{
	const uint8_t *h = c->octets;

	if (s->phase != OPEN || s->they_ended)
		return "a segment outside of a session";
	if (c->n < SEND_HEAD)
		return "a segment shorter than its head";
	if (h[0] != DDP_LAST_V1 || h[1] != RDMAP_V1_SEND || get32(h + 2) ||
	    get32(h + 6) || get32(h + 14))
		return "the head of a segment is not that of a Send";
	if (get32(h + 10) != s->rx_msn + 1)
		return "not the MSN that is due";
	s->rx_msn++;
	for (size_t i = SEND_HEAD; i < c->n; i++)
		if (h[i] != payload(s->rx_msn, i - SEND_HEAD))
			return "other octets in a segment than were sent";
	s->segments++;
	return NULL;
}

static void in_its_turn(struct stream *s, unsigned sid, const struct chunk *c)
{
	const char *why;

	if (s->phase == BROKEN)
		return;
	if (!c->control) {
		why = segment_is(s, c);
	} else {
		uint16_t function = get16(c->octets);
		size_t octets = c->n - 2;

		why = control_is(s, function, octets);
		for (size_t i = 0; !why && i < octets; i++)
			if (c->octets[2 + i] != payload(function, i))
				why = "other private data than was sent";
		if (s->control_count < CONTROLS)
			s->controls[s->control_count++] =
				(struct control){function, octets, s->segments};
	}
	if (!why)
		return;
	breach(sid, "%s", why);
	s->phase = BROKEN;
}

static void took(struct association *a, const struct sctp_rcvinfo *info)
{
	uint32_t ppid = ntohl(info->rcv_ppid);
	unsigned sid = info->rcv_sid;
	bool control = ppid == PPID_CONTROL;
	size_t n = a->in_octets;

	if (!control && ppid != PPID_SEGMENT) {
		breach(sid, "payload protocol %u", ppid);
		return;
	}
	if (!(info->rcv_flags & SCTP_UNORDERED))
		breach(sid, "an ordered chunk");
	if (sid >= STREAMS || n < (control ? 4 : 2)) {
		breach(sid, "%zu octets with payload protocol %u", n, ppid);
		return;
	}
	struct stream *s = &a->stream[sid];
	uint16_t ssn = get16(a->in);
	struct chunk *c;

	if (!s->early)
		s->early = must_alloc(sizeof(*s->early));
	if ((uint16_t)(ssn - s->rx_ssn) >= IN_FLIGHT ||
	    s->early->chunk[ssn % IN_FLIGHT]) {
		breach(sid, "DDP-SSN %u, which was there before", ssn);
		return;
	}
	c = must_alloc(sizeof(*c) + n);
	c->control = control;
	c->n = n - 2;
	memcpy(c->octets, a->in + 2, c->n);
	s->early->chunk[ssn % IN_FLIGHT] = c;
	s->overtaken += ssn != s->rx_ssn;
	while ((c = s->early->chunk[s->rx_ssn % IN_FLIGHT])) {
		s->early->chunk[s->rx_ssn % IN_FLIGHT] = NULL;
		s->rx_ssn++;
		in_its_turn(s, sid, c);
		free(c);
	}
}

/* --- sockets of SCTP ----------------------------------------------------- */

static void closed(struct association *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

static void notified(struct association *a)
{
	union sctp_notification what;

	memset(&what, 0, sizeof(what));
	memcpy(&what, a->in,
	       a->in_octets < sizeof(what) ? a->in_octets : sizeof(what));
	switch (what.sn_header.sn_type) {
	case SCTP_ASSOC_CHANGE:
		if (what.sn_assoc_change.sac_state == SCTP_COMM_UP)
			a->up = true;
		else if (what.sn_assoc_change.sac_state == SCTP_COMM_LOST)
			a->aborted = true;
		else if (what.sn_assoc_change.sac_state == SCTP_SHUTDOWN_COMP)
			a->shut_down = true;
		else if (what.sn_assoc_change.sac_state == SCTP_CANT_STR_ASSOC)
			a->refused = true;
		break;
	case SCTP_ADAPTATION_INDICATION:
		a->adaptation = true;
		a->indication = what.sn_adaptation_event.sai_adaptation_ind;
		break;
	}
}

/* False: nothing has arrived. */
static bool receive(struct association *a)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct sctp_rcvinfo))];
	} control;
	struct iovec piece = {a->in + a->in_octets, MESSAGE - a->in_octets};
	struct msghdr m = {.msg_iov = &piece,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	struct sctp_rcvinfo info = {0};
	ssize_t n = recvmsg(a->fd, &m, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
		return false;
	if (n <= 0) {
		if (n < 0 && errno == ECONNREFUSED)
			a->refused = true;
		else if (n < 0)
			a->aborted = true;
		else
			a->shut_down = true;
		closed(a);
		return false;
	}
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == IPPROTO_SCTP &&
		    c->cmsg_type == SCTP_RCVINFO)
			memcpy(&info, CMSG_DATA(c), sizeof(info));
	a->in_octets += (size_t)n;
	if (!(m.msg_flags & MSG_EOR)) {
		if (a->in_octets == MESSAGE)
			breach(info.rcv_sid, "a message of %d octets", MESSAGE);
		a->in_octets %= MESSAGE;
		return true;
	}
	if (m.msg_flags & MSG_NOTIFICATION)
		notified(a);
	else
		took(a, &info);
	a->in_octets = 0;
	return true;
}

static struct sctp_status status_of(const struct association *a)
{
	struct sctp_status status = {0};
	socklen_t n = sizeof(status);

	if (a->fd < 0 ||
	    getsockopt(a->fd, IPPROTO_SCTP, SCTP_STATUS, &status, &n) != 0)
		memset(&status, 0, sizeof(status));
	return status;
}

static bool all_acknowledged(const struct association *a)
{
	const struct sctp_status status = status_of(a);

	return !status.sstat_unackdata && !status.sstat_penddata;
}

/* What there is room for. */
static void send_queued(struct association *a)
{
	while (a->first && a->fd >= 0) {
		struct outgoing *o = a->first;
		union {
			struct cmsghdr head;
			char room[CMSG_SPACE(sizeof(struct sctp_sndinfo))];
		} control = {0};
		struct iovec piece = {o->octets, o->n};
		struct msghdr m = {.msg_iov = &piece,
				   .msg_iovlen = 1,
				   .msg_control = &control,
				   .msg_controllen = sizeof(control)};
		const struct sctp_sndinfo info = {
			.snd_sid = o->stream,
			.snd_flags = SCTP_UNORDERED,
			.snd_ppid = htonl(o->ppid),
		};

		if (o->after_all && !all_acknowledged(a))
			return;
		control.head = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(info)),
			.cmsg_level = IPPROTO_SCTP,
			.cmsg_type = SCTP_SNDINFO,
		};
		memcpy(CMSG_DATA(&control.head), &info, sizeof(info));
		if (sendmsg(a->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			if (errno == EAGAIN || errno == EINTR)
				return;
			breach(o->stream, "%zu octets are not sent: %s", o->n,
			       strerror(errno));
		}
		a->first = o->next;
		if (!a->first)
			a->last = &a->first;
		free(o);
	}
}

/* To be filled in after the DDP-SSN. */
static uint8_t *queue(struct association *a, unsigned sid, uint32_t ppid,
		      bool after_all, size_t n)
{
	struct outgoing *o = must_alloc(sizeof(*o) + 2 + n);

	o->stream = (uint16_t)sid;
	o->ppid = ppid;
	o->after_all = after_all;
	o->n = 2 + n;
	put16(o->octets, a->stream[sid].tx_ssn++);
	*a->last = o;
	a->last = &o->next;
	return o->octets + 2;
}

static struct association *association_new(int fd)
{
	struct association *a;

	if (association_count == ASSOCIATIONS) {
		close(fd);
		return NULL;
	}
	a = must_alloc(sizeof(*a));
	a->fd = fd;
	a->last = &a->first;
	associations[association_count++] = a;
	return a;
}

/* With ABORT, for an association that is up. */
static void forget_all(void)
{
	const struct linger now = {.l_onoff = 1};

	while (association_count) {
		struct association *a = associations[--association_count];

		if (a->fd >= 0)
			setsockopt(a->fd, SOL_SOCKET, SO_LINGER, &now,
				   sizeof(now));
		closed(a);
		for (unsigned i = 0; i < STREAMS; i++) {
			for (unsigned k = 0;
			     a->stream[i].early && k < IN_FLIGHT; k++)
				free(a->stream[i].early->chunk[k]);
			free(a->stream[i].early);
		}
		while (a->first) {
			struct outgoing *o = a->first;

			a->first = o->next;
			free(o);
		}
		free(a);
	}
	if (listener >= 0)
		close(listener);
	listener = -1;
	breaches = 0;
}

/* --- commands ------------------------------------------------------------ */

static char line[LINE], answer[LINE];

static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(answer, sizeof(answer), fmt, ap);
	va_end(ap);
}

/* The value of KEY=; NULL: it is not there. */
static const char *text_of(const char *key)
{
	static char value[128];
	size_t n = strlen(key);

	for (const char *at = strchr(line, ' '); at; at = strchr(at, ' ')) {
		at++;
		if (strncmp(at, key, n) != 0 || at[n] != '=')
			continue;
		snprintf(value, sizeof(value), "%.*s",
			 (int)strcspn(at + n + 1, " "), at + n + 1);
		return value;
	}
	return NULL;
}

static unsigned long number_of(const char *key, unsigned long otherwise)
{
	const char *text = text_of(key);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static bool is(const char *verb)
{
	size_t n = strlen(verb);

	return strncmp(line, verb, n) == 0 && (line[n] == ' ' || !line[n]);
}

static socklen_t address_of(const char *key, struct sockaddr_storage *out)
{
	const char *text = text_of(key);
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	if (!text)
		return 0;
	in.sin_port = in6.sin6_port = htons(
		(uint16_t)(strcmp(key, "address") == 0 ? number_of("port", 0)
						       : 0));
	text = text_of(key);
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		memcpy(out, &in, sizeof(in));
		return sizeof(in);
	}
	if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1) {
		memcpy(out, &in6, sizeof(in6));
		return sizeof(in6);
	}
	return 0;
}

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

/* The association that `connect` waits for. */
static struct association *connecting;

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

/* The command, as far as it can be answered: otherwise it is asked again. */
static void perform(bool first)
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

/* --- one connection ------------------------------------------------------ */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void answer_now(int fd)
{
	size_t n = strlen(answer);

	answer[n++] = '\n';
	(void)!write(fd, answer, n);
	answer[0] = line[0] = '\0';
	connecting = NULL;
}

/* Reads one more line of commands. False: the connection has ended. */
static bool command(int fd, size_t *have)
{
	ssize_t n = read(fd, line + *have, LINE - 1 - *have);

	if (n <= 0)
		return false;
	*have += (size_t)n;
	return *have < LINE - 1;
}

static void wait_for_more(int fd)
{
	struct pollfd p[ASSOCIATIONS + 2] = {
		{.fd = fd, .events = POLLIN},
		{.fd = listener, .events = POLLIN}};
	nfds_t n = 2;
	bool soon = false;

	for (size_t i = 0; i < association_count; i++) {
		struct association *a = associations[i];
		short events = a->paused ? 0 : POLLIN;

		if (a->first && a->first->after_all)
			soon = true;
		else if (a->first)
			events |= POLLOUT;
		p[n++] =
			(struct pollfd){.fd = a->paused && !events ? -1 : a->fd,
					.events = events};
	}
	/* A listener is polled, not served. */
	if (!is("accept"))
		p[1].fd = -1;
	poll(p, n, soon ? AGAIN_MS : 100);
	for (size_t i = 0; i < association_count; i++) {
		struct association *a = associations[i];

		while (!a->paused && a->fd >= 0 && receive(a))
			;
		send_queued(a);
	}
}

static void serve(int fd)
{
	size_t have = 0;
	long long end = 0;

	for (;;) {
		char *eol;
		struct pollfd in = {.fd = fd, .events = POLLIN};

		wait_for_more(fd);
		if (!end && poll(&in, 1, 0) > 0) {
			if (!command(fd, &have))
				return;
			eol = memchr(line, '\n', have);
			if (!eol)
				continue;
			*eol = '\0';
			have = 0; /* one at a time */
			end = now_ms() +
			      (long long)number_of("ms", PATIENCE_MS);
			answer[0] = '\0';
			perform(true);
		} else if (end) {
			perform(false);
		}
		if (end && !answer[0] && now_ms() >= end)
			say("ERR nothing came: %.200s", line);
		if (end && answer[0]) {
			answer_now(fd);
			end = 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6};
	const int on = 1;
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 2) {
		fprintf(stderr, "usage: kernel_tool PORT\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	at.sin6_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 4) != 0) {
		perror("kernel_tool: listen");
		return 1;
	}
	for (;;) {
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (c < 0)
			continue;
		serve(c);
		close(c);
		forget_all();
	}
}
