/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/ethernet.h"

#include <errno.h>
#include <libnet.h>
#include <linux/filter.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/provider.h"

/* In immediate mode each frame, however short, takes a slot of the largest: 128
 * of them, as a device acknowledges a hundred segments at once. */
enum { ETHERNET_BUFFER = 4 << 20 };

struct ethernet {
	pcap_t *pcap;
	libnet_t *net;
	char interface[IF_NAMESIZE];
	int fd;
	uint32_t mtu;
	bool show_sent;
	uint64_t unsent; /* frames that the interface did not take */
};

/* The user data of libpcap's callbacks. */
struct receiving {
	ethernet_frame_fn *fn;
	void *user;
};

/* Its type, and its MTU. */
static bool check_interface(struct ethernet *e, const char *interface,
			    char why[LINK_WHY])
{
	struct ifreq type = {0}, mtu = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(type.ifr_name, sizeof(type.ifr_name), "%s", interface);
	memcpy(mtu.ifr_name, type.ifr_name, sizeof(mtu.ifr_name));
	bool ok = fd >= 0 && ioctl(fd, SIOCGIFHWADDR, &type) == 0 &&
		  ioctl(fd, SIOCGIFMTU, &mtu) == 0;

	if (!ok)
		link_fail(why, 0, "interface %.32s: %s", interface,
			  strerror(errno));
	if (fd >= 0)
		close(fd);
	e->mtu = (uint32_t)mtu.ifr_mtu;
	/* libpcap takes the loopback for one. */
	if (ok && type.ifr_hwaddr.sa_family != ARPHRD_ETHER) {
		link_fail(why, 0,
			  "interface %.32s is not an Ethernet interface",
			  interface);
		return false;
	}
	return ok;
}

static bool set_filter(struct ethernet *e, const char *text, char why[LINK_WHY])
{
	struct bpf_program program;

	if (pcap_compile(e->pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN) !=
	    0) {
		link_fail(why, 0, "libpcap: filter: %.100s",
			  pcap_geterr(e->pcap));
		return false;
	}
	bool ok = pcap_setfilter(e->pcap, &program) == 0;

	pcap_freecode(&program);
	if (!ok)
		link_fail(why, 0, "libpcap: filter: %.100s",
			  pcap_geterr(e->pcap));
	return ok;
}

static bool open_pcap(struct ethernet *e, const char *interface,
		      bool *privilege, char why[LINK_WHY])
{
	char error[PCAP_ERRBUF_SIZE] = "";

	e->pcap = pcap_create(interface, error);
	if (!e->pcap) {
		link_fail(why, 0, "libpcap: %.120s", error);
		return false;
	}
	pcap_set_snaplen(e->pcap, ETHERNET_FRAME);
	pcap_set_promisc(e->pcap, 1);
	pcap_set_immediate_mode(e->pcap, 1);
	pcap_set_buffer_size(e->pcap, ETHERNET_BUFFER);
	pcap_set_tstamp_precision(e->pcap, PCAP_TSTAMP_PRECISION_NANO);
	int status = pcap_activate(e->pcap);

	*privilege = status == PCAP_ERROR_PERM_DENIED ||
		     status == PCAP_ERROR_PROMISC_PERM_DENIED;
	if (status < 0) {
		const char *text = pcap_geterr(e->pcap);

		link_fail(why, 0, "interface %.32s: %.100s", interface,
			  status == PCAP_ERROR && *text
				  ? text
				  : pcap_statustostr(status));
		return false;
	}
	if (pcap_datalink(e->pcap) != DLT_EN10MB) {
		link_fail(why, 0,
			  "interface %.32s is not an Ethernet interface",
			  interface);
		return false;
	}
	e->fd = pcap_get_selectable_fd(e->pcap);
	if (e->fd < 0 || pcap_setnonblock(e->pcap, 1, error) != 0) {
		link_fail(why, 0, "interface %.32s: libpcap: %.120s", interface,
			  e->fd < 0 ? "no descriptor to wait for" : error);
		return false;
	}
	return true;
}

/*
 * One handle sends for all links on an interface, in all the processes that
 * inherit it, because closing such a socket takes the kernel long. It is for
 * sending only: packets received on it are dropped.
 */
static struct sender {
	libnet_t *net;
	char interface[IF_NAMESIZE];
	unsigned users;
} sender;

static bool open_net(struct ethernet *e, const char *interface,
		     char why[LINK_WHY])
{
	char error[LIBNET_ERRBUF_SIZE] = "";
	struct sock_filter none = {.code = BPF_RET | BPF_K, .k = 0};
	struct sock_fprog program = {.len = 1, .filter = &none};

	if (sender.net && strcmp(sender.interface, interface) != 0) {
		link_fail(why, 0, "raw links are on one interface, %.32s",
			  sender.interface);
		return false;
	}
	if (!sender.net) {
		sender.net = libnet_init(LIBNET_LINK_ADV, interface, error);
		if (!sender.net) {
			link_fail(why, 0, "libnet: %.120s", error);
			return false;
		}
		snprintf(sender.interface, sizeof(sender.interface), "%s",
			 interface);
		setsockopt(libnet_getfd(sender.net), SOL_SOCKET,
			   SO_ATTACH_FILTER, &program, sizeof(program));
	}
	sender.users++;
	e->net = sender.net;
	return true;
}

static void close_net(void)
{
	if (--sender.users)
		return;
	libnet_destroy(sender.net);
	sender.net = NULL;
}

struct ethernet *ethernet_open(const char *interface, const char *filter,
			       bool *privilege, char why[LINK_WHY])
{
	struct ethernet *e = calloc(1, sizeof(*e));

	*privilege = false;
	if (!e) {
		link_fail(why, 0, "out of memory");
		return NULL;
	}
	snprintf(e->interface, sizeof(e->interface), "%s", interface);
	if (check_interface(e, interface, why) &&
	    open_pcap(e, interface, privilege, why) &&
	    set_filter(e, filter, why) && open_net(e, interface, why)) {
		pcap_setdirection(e->pcap, PCAP_D_IN);
		return e;
	}
	ethernet_close(e);
	return NULL;
}

void ethernet_close(struct ethernet *e)
{
	if (!e)
		return;
	if (e->pcap)
		pcap_close(e->pcap);
	if (e->net)
		close_net();
	free(e);
}

uint32_t ethernet_mtu(const struct ethernet *e)
{
	return e->mtu;
}

int ethernet_fd(const struct ethernet *e)
{
	return e->fd;
}

void ethernet_show_sent(struct ethernet *e, bool on)
{
	if (on != e->show_sent)
		pcap_setdirection(e->pcap, on ? PCAP_D_INOUT : PCAP_D_IN);
	e->show_sent = on;
}

static void on_frame(u_char *user, const struct pcap_pkthdr *h,
		     const u_char *octets)
{
	struct receiving *r = (struct receiving *)(void *)user;

	/* Nanoseconds, as requested. */
	r->fn(r->user, octets, h->caplen, h->len,
	      (uint64_t)h->ts.tv_sec * CLOCK_NS_PER_S +
		      (uint64_t)h->ts.tv_usec);
}

bool ethernet_receive(struct ethernet *e, ethernet_frame_fn *fn, void *user,
		      char why[LINK_WHY])
{
	struct receiving r = {.fn = fn, .user = user};

	if (pcap_dispatch(e->pcap, -1, on_frame, (u_char *)&r) >= 0)
		return true;
	link_fail(why, 0, "interface: %.120s", pcap_geterr(e->pcap));
	return false;
}

bool ethernet_send(struct ethernet *e, const uint8_t *frame, size_t n,
		   char why[LINK_WHY])
{
	int sent, error;

	do {
		errno = 0;
		sent = libnet_adv_write_link(e->net, frame, (uint32_t)n);
		error = errno;
	} while (sent < 0 && error == EINTR);
	if (sent == (int)n)
		return true;
	/* Its queue is full, or its cable is out: one lost frame, which may be
	 * sent again. */
	if (sent < 0 && error == ENOBUFS) {
		e->unsent++;
		return true;
	}
	const char *text = libnet_geterror(e->net);

	link_fail(why, 0, "interface: %.120s", *text ? text : strerror(error));
	return false;
}

/* libpcap does not report it: it takes it for something that will pass. */
bool ethernet_is_up(const struct ethernet *e, char why[LINK_WHY])
{
	struct ifreq r = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return true;
	memcpy(r.ifr_name, e->interface, sizeof(r.ifr_name));
	bool up = ioctl(fd, SIOCGIFFLAGS, &r) == 0 && r.ifr_flags & IFF_UP;

	close(fd);
	if (!up)
		link_fail(why, 0, "interface %.32s is down", e->interface);
	return up;
}

uint64_t ethernet_dropped(const struct ethernet *e)
{
	struct pcap_stat s = {0};

	return e->unsent + (pcap_stats(e->pcap, &s) == 0 ? s.ps_drop : 0);
}
