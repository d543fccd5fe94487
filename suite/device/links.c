/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/links.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/link/raw/raw.h"
#include "harness/link/sctp/sctp.h"

/* One for each worker of the run, and a few to replace those of workers that
 * crash. */
enum { LINKS_SPARE = 2 };

static struct {
	bool raw, sctp;
	struct link_sctp how; /* over UDP: of the next one that is taken */
	char own[LINK_ADDRESS];
	struct link **link;
	size_t count, next;
	struct link_raw_stats *stats; /* of each; shared with its process */
} links;

/* The program itself, so that the line can be copied. */
static void say_privilege(char *why, size_t cap)
{
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	snprintf(why, cap,
		 "the raw link needs CAP_NET_RAW: run it with sudo, or once "
		 "'setcap cap_net_raw+ep %s'",
		 self);
}

/* The address in the device file, or the source address of packets to the
 * agent. False: there is no route. */
static bool own_address(const struct device *d, char own[LINK_ADDRESS],
			char *why, size_t cap)
{
	size_t n = strcspn(d->link_address, "/");

	snprintf(own, LINK_ADDRESS, "%.*s", (int)n, d->link_address);
	if (n || link_socket_own_address(d->agent, own))
		return true;
	snprintf(why, cap, "no route to the device at %s", d->agent);
	return false;
}

/* A UDP port for each; one that replaces a finished worker gets another. */
static struct link *open_sctp(char line[LINK_WHY])
{
	struct link *link = link_sctp_open(&links.how, line);

	links.how.udp_port += links.how.udp_port != 0;
	return link;
}

/* SCTP directly over IP needs privileges; for the others, the first link shows
 * whether they are possible. */
static bool begin_sctp(const struct device *d, char *why, size_t cap)
{
	char line[LINK_WHY];

	if (!own_address(d, links.own, why, cap))
		return false;
	links.how = (struct link_sctp){.address = links.own,
				       .udp_port = (uint16_t)d->sctp_udp,
				       .ip_alone = d->sctp_ip_alone};
	for (size_t i = 0; i < (d->sctp_ip_alone ? links.count : 1); i++) {
		links.link[i] = open_sctp(line);
		if (links.link[i])
			continue;
		snprintf(why, cap, "%s", line);
		return false;
	}
	return true;
}

static bool make_room(unsigned workers, char *why, size_t cap)
{
	links.count = workers + 1 + LINKS_SPARE;
	links.link = calloc(links.count, sizeof(*links.link));
	if (links.link)
		return true;
	links.count = 0;
	snprintf(why, cap, "out of memory");
	return false;
}

bool links_open(const char *kind, const struct device *d, unsigned workers,
		char *why, size_t cap)
{
	struct link_raw c = {.interface = d->link_interface,
			     .address = d->link_address,
			     .gateway = d->link_gateway};
	char line[LINK_WHY];
	bool privilege;

	links.raw = strcmp(kind, "raw") == 0;
	links.sctp = strcmp(kind, "sctp") == 0;
	if (links.sctp)
		return make_room(workers, why, cap) && begin_sctp(d, why, cap);
	if (!links.raw && strcmp(kind, "socket") != 0) {
		snprintf(why, cap,
			 "[link] kind = %s: this build has socket, raw and "
			 "sctp",
			 kind);
		return false;
	}
	if (!links.raw)
		return true;
	if (!link_raw_check(&c, line)) {
		snprintf(why, cap, "%s", line);
		return false;
	}
	if (!make_room(workers, why, cap))
		return false;
	links.stats =
		mmap(NULL, links.count * sizeof(*links.stats),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (links.stats == MAP_FAILED) {
		links.stats = NULL;
		snprintf(why, cap, "out of memory");
		return false;
	}
	for (size_t i = 0; i < links.count; i++) {
		c.index = (unsigned)i;
		c.stats = &links.stats[i];
		links.link[i] = link_raw_open(&c, &privilege, line);
		if (links.link[i])
			continue;
		if (privilege)
			say_privilege(why, cap);
		else
			snprintf(why, cap, "%s", line);
		return false;
	}
	return true;
}

bool links_claim(char *why, size_t cap)
{
	char line[LINK_WHY];

	if (link_raw_claim(links.link, links.count, line) == LINK_OK)
		return true;
	snprintf(why, cap, "%s", line);
	return false;
}

struct link *links_take(void)
{
	char line[LINK_WHY];

	if (!links.raw && !links.sctp)
		return link_socket_open();
	if (links.sctp && !links.how.ip_alone &&
	    (links.next == links.count || !links.link[links.next]))
		return open_sctp(line);
	if (links.next == links.count)
		return NULL;
	struct link *link = links.link[links.next];

	links.link[links.next++] = NULL;
	return link;
}

bool links_have_addresses(void)
{
	return links.raw;
}

static void append(char *text, size_t cap, const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, cap - n, format, args);
	va_end(args);
}

const char *links_note(void)
{
	static char text[256];
	struct link_raw_stats all = {0};

	for (size_t i = 0; links.stats && i < links.count; i++) {
		const struct link_raw_stats *s = &links.stats[i];

		all.checksum_offloaded += s->checksum_offloaded;
		if (all.largest < s->largest)
			all.largest = s->largest;
		if (s->black_hole_mss &&
		    (!all.black_hole_mss ||
		     s->black_hole_mss < all.black_hole_mss))
			all.black_hole_mss = s->black_hole_mss;
	}
	text[0] = '\0';
	if (all.largest)
		append(text, sizeof(text), "segments merged to %llu octets",
		       (unsigned long long)all.largest);
	if (all.checksum_offloaded)
		append(text, sizeof(text), "%schecksums left to the hardware",
		       *text ? ", " : "");
	if (*text)
		append(text, sizeof(text),
		       "; offloads of the interface are active");
	if (all.black_hole_mss)
		append(text, sizeof(text),
		       "%sthe path drops large segments, and no router "
		       "reports it: the MSS is now %llu",
		       *text ? "; " : "",
		       (unsigned long long)all.black_hole_mss);
	return text;
}

void links_forget(void)
{
	for (size_t i = links.next; i < links.count; i++)
		link_close_provider(links.link[i]);
	links.next = links.count;
}
