/* SPDX-License-Identifier: BSD-2-Clause */
/* The sockets of SCTP: what arrives, what is queued, and their end. */
#include "harness/lab/sctp/kernel/kernel.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct association *associations[ASSOCIATIONS];
size_t association_count;
int listener = -1;

void closed(struct association *a)
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

bool receive(struct association *a)
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

struct sctp_status status_of(const struct association *a)
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

void send_queued(struct association *a)
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

uint8_t *queue(struct association *a, unsigned sid, uint32_t ppid,
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

struct association *association_new(int fd)
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

void forget_all(void)
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
