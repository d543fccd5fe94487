/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SCTP link and the peer on it against the SCTP of a kernel, which
 * kernel_tool.c plays in a guest: whoever makes the association, and whoever
 * begins the session. Prints a line of counts.
 *
 *   interop_tool OWN GUEST COMMANDS UDP [TEST]
 *
 * OWN and GUEST are addresses of one family; at COMMANDS the guest takes its
 * commands (TCP); UDP is where its SCTP takes datagrams, and 0 is SCTP over
 * IP alone.
 */
#include "harness/lab/sctp/interop/interop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct unit_test tests[] = {
	{"the_association_is_one_of_ddp", the_association_is_one_of_ddp},
	{"stream_counts_are_agreed", stream_counts_are_agreed},
	{"indications_are_told", indications_are_told},
	{"nobody_listens", nobody_listens},
	{"a_session_is_accepted", a_session_is_accepted},
	{"a_session_is_ended_by_the_other", a_session_is_ended_by_the_other},
	{"a_session_is_rejected", a_session_is_rejected},
	{"enhanced_codes_pass", enhanced_codes_pass},
	{"a_stream_is_used_again", a_stream_is_used_again},
	{"streams_share_an_association", streams_share_an_association},
	{"thousands_both_ways", thousands_both_ways},
	{"segments_up_to_the_path_mtu", segments_up_to_the_path_mtu},
	{"larger_ones_are_put_together", larger_ones_are_put_together},
	{"an_association_is_shut_down", an_association_is_shut_down},
	{"an_association_is_aborted", an_association_is_aborted},
	{"what_is_lost_comes_again", what_is_lost_comes_again},
	{"what_comes_twice_is_taken_once", what_comes_twice_is_taken_once},
	{"what_overtakes_is_put_in_order", what_overtakes_is_put_in_order},
	{"an_accept_is_overtaken", an_accept_is_overtaken},
	{"acknowledgments_are_delayed", acknowledgments_are_delayed},
	{"a_window_closes_and_opens", a_window_closes_and_opens},
	{"several_addresses", several_addresses},
	{"many_associations", many_associations},
	{"the_guest_objects", the_guest_objects},
};

int main(int argc, char **argv)
{
	struct unit_test chosen[UNIT_COUNT(tests)];
	size_t n = 0;
	char name[64];

	if (argc < 5 || argc > 6) {
		fprintf(stderr, "usage: interop_tool OWN GUEST COMMANDS UDP "
				"[TEST]\n");
		return 2;
	}
	for (size_t i = 0; i < UNIT_COUNT(tests); i++)
		if (argc == 5 || strcmp(tests[i].name, argv[5]) == 0)
			chosen[n++] = tests[i];
	own = argv[1];
	guest = argv[2];
	commands_port = (uint16_t)strtoul(argv[3], NULL, 10);
	guest_udp = (uint16_t)strtoul(argv[4], NULL, 10);
	port = (uint16_t)(10000 + getpid() % 20000);
	by_default();
	snprintf(name, sizeof(name), "sctp-kernel, %s, IPv%d",
		 guest_udp ? "in UDP" : "over IP alone",
		 strchr(guest, ':') ? 6 : 4);
	return unit_run(name, chosen, n);
}
