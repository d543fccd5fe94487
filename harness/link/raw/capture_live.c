/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/capture_live.h"

#include <pcap/pcap.h>
#include <stdlib.h>

enum { SNAPLEN = 262144, BUFFER = 32 << 20, LINK_RAW = 101 };

struct capture_live {
	pcap_t *pcap;
	uint64_t number;
	uint64_t dropped; /* in all, of */
	uint32_t counted; /* what libpcap counts in 32 bits */
};

/* It only sees TCP and SCTP, tagged or not; SCTP may be in UDP, on any port. */
static int choose(pcap_t *p)
{
	struct bpf_program chosen;
	int bad = pcap_compile(p, &chosen, "tcp or sctp or udp or vlan", 1,
			       PCAP_NETMASK_UNKNOWN);

	if (bad)
		return bad;
	bad = pcap_setfilter(p, &chosen);
	pcap_freecode(&chosen);
	return bad;
}

static const char *reason(pcap_t *p, int status)
{
	const char *more = pcap_geterr(p);

	return *more ? more : pcap_statustostr(status);
}

struct capture_live *capture_live_open(const char *interface,
				       char why[CAPTURE_FILE_WHY])
{
	char said[PCAP_ERRBUF_SIZE] = "";
	struct capture_live *c = calloc(1, sizeof(*c));
	pcap_t *p = c ? pcap_create(interface, said) : NULL;

	if (!p) {
		snprintf(why, CAPTURE_FILE_WHY, "%.200s",
			 *said ? said : "out of memory");
		free(c);
		return NULL;
	}
	c->pcap = p;
	pcap_set_snaplen(p, SNAPLEN);
	pcap_set_promisc(p, 1);
	pcap_set_timeout(p, CAPTURE_LIVE_BATCH_MS);
	pcap_set_buffer_size(p, BUFFER);
	pcap_set_tstamp_precision(p, PCAP_TSTAMP_PRECISION_NANO);
	int status = pcap_activate(p);

	if (status >= 0 && (choose(p) || pcap_setnonblock(p, 1, said)))
		status = PCAP_ERROR;
	if (status >= 0)
		return c;
	snprintf(why, CAPTURE_FILE_WHY, "%.200s", reason(p, status));
	capture_live_close(c);
	return NULL;
}

int capture_live_fd(const struct capture_live *c)
{
	return pcap_get_selectable_fd(c->pcap);
}

enum capture_status capture_live_next(struct capture_live *c,
				      struct capture_packet *p,
				      char why[CAPTURE_FILE_WHY])
{
	struct pcap_pkthdr *header;
	const u_char *octets;
	int status = pcap_next_ex(c->pcap, &header, &octets);
	int link = pcap_datalink(c->pcap);

	if (status == 0)
		return CAPTURE_END;
	if (status < 0) {
		snprintf(why, CAPTURE_FILE_WHY, "%.200s",
			 reason(c->pcap, status));
		return CAPTURE_BROKEN;
	}
	*p = (struct capture_packet){
		.number = ++c->number,
		.link = link == DLT_RAW ? LINK_RAW : (unsigned)link,
		.octets = octets,
		.n = header->caplen,
		.length = header->len,
		.at_ns = (uint64_t)header->ts.tv_sec * 1000000000 +
			 (uint64_t)header->ts.tv_usec,
	};
	return CAPTURE_PACKET;
}

uint64_t capture_live_dropped(struct capture_live *c)
{
	struct pcap_stat s;

	if (pcap_stats(c->pcap, &s) == 0) {
		c->dropped += s.ps_drop - c->counted;
		c->counted = s.ps_drop;
	}
	return c->dropped;
}

void capture_live_close(struct capture_live *c)
{
	if (!c)
		return;
	pcap_close(c->pcap);
	free(c);
}
