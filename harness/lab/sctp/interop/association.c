/* SPDX-License-Identifier: BSD-2-Clause */
/* The association of a test, made by either side. */
#include "harness/lab/sctp/interop/interop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct link_listener *listener;

struct association *ours;
struct observe *events;
struct peer peer;
uint16_t port;
char theirs[32];
struct choices with;

void open_link(void)
{
	char why[LINK_WHY] = "";
	const struct link_sctp c = {.address = own, .ip_alone = !guest_udp};

	memset(&saw, 0, sizeof(saw));
	/* After a failed test: the guest accepts one association at a time. */
	if (commands >= 0)
		close(commands);
	connect_commands();
	our_link = link_sctp_open(&c, why);
	if (!our_link) {
		fprintf(stderr, "%s\n", why);
		exit(2);
	}
	our_link->options.rcvbuf = with.rcvbuf;
	with.link.udp_port = guest_udp;
	link_sctp_set(our_link, &with.link);
	link_sctp_watch(our_link, watch, NULL);
	port++;
}

static const char *guest_keys(void)
{
	return with.guest ? with.guest : "streams=10";
}

static struct link_conn *associate(bool we_connect)
{
	struct link_conn *c = NULL;

	if (we_connect) {
		ask("listen address=%s port=%u %s", guest, port, guest_keys());
		CU_ASSERT_EQUAL_FATAL(
			link_connect(our_link, guest, port, soon(), &c),
			LINK_OK);
		ask("accept");
	} else {
		CU_ASSERT_EQUAL_FATAL(
			link_listen(our_link, own, &port, &listener), LINK_OK);
		ask_ahead("connect address=%s port=%u udp=%u local=%s %s", own,
			  port, link_sctp_udp_port(our_link), guest,
			  guest_keys());
		CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &c),
				      LINK_OK);
		hear();
		must_be_ok();
	}
	snprintf(theirs, sizeof(theirs), "association=%ld",
		 told("association"));
	return c;
}

void set_up(bool we_connect)
{
	open_link();
	events = observe_new();
	ours = association_new(associate(we_connect));
	CU_ASSERT_TRUE_FATAL(events && ours);
	CU_ASSERT_TRUE_FATAL(peer_init_session(&peer, ours, 0, events, 0));
}

void by_default(void)
{
	memset(&with, 0, sizeof(with));
	with.link = (struct link_sctp_options){
		.adaptation = true,
		.indication = SESSION_ADAPTATION_DDP,
		.outbound = STREAMS,
		.inbound = STREAMS,
	};
}

void close_link(void)
{
	link_listener_close(listener);
	listener = NULL;
	link_close_provider(our_link);
	close(commands);
	commands = -1;
	by_default();
}

void tear_down(void)
{
	CU_ASSERT_EQUAL(saw.ordered[0], 0);
	peer_end(&peer, false);
	association_free(ours, true);
	observe_free(events);
	close_link();
}
