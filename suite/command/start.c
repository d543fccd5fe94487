/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <string.h>

#include "harness/lab/netns.h"
#include "harness/lab/privilege.h"
#include "harness/lab/veth.h"
#include "suite/cli/complain.h"
#include "suite/device/links.h"
#include "suite/device/target.h"

const char *link_kind(const struct cli *c, const struct device *d)
{
	if (c->link)
		return c->link;
	return d->link_kind[0] && strcmp(d->link_kind, "auto") != 0
		       ? d->link_kind
		       : "socket";
}

/* The network of the device, as its file names it. */
static bool join_network(const struct cli *c, const struct device *d, char *why,
			 size_t cap)
{
	char line[256];

	if (!d->link_netns[0] || netns_join(d->link_netns, line, sizeof(line)))
		return true;
	snprintf(why, cap, "%s: [link] netns: %s", c->device_file, line);
	return false;
}

/* As the device file describes it; without one, the built-in device. */
static int load_device(const struct cli *c, struct device *d)
{
	char why[512];

	device_init(d);
	if (c->device_file && !device_load(d, c->device_file, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return 0;
}

/* --- the built-in device ----------------------------------------------------- */

int start_builtin(struct cli *c, struct device *d)
{
	char why[512];
	bool usage;

	if (builtin_start(&c->builtin, d, &usage, why, sizeof(why)))
		return 0;
	return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
}

/* --- a device with an agent -------------------------------------------------- */

#define NEEDS_AGENT "[device] target: only 'run' works without an agent"

int find_agent(struct cli *c, struct device *d)
{
	char why[512];
	int status = load_device(c, d);

	if (status)
		return status;
	if (!join_network(c, d, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (device_is_alone(d))
		return complain(EXIT_USAGE, NEEDS_AGENT);
	return 0;
}

int start_agent(struct cli *c, struct device *d)
{
	if (c->device_file)
		return 0;
	if (c->ipv6)
		c->builtin.bind = "::1";
	return start_builtin(c, d);
}

/* --- a device for a run ------------------------------------------------------ */

static bool is_builtin(const struct cli *c)
{
	return !c->device_file && !c->target && !c->connect;
}

/* A device without an agent, as the command line describes it. */
static int take_target(const struct cli *c, struct device *d)
{
	char why[512];
	bool unknown = false;

	if (c->target &&
	    !device_set_target(d, c->target, &unknown, why, sizeof(why)))
		return complain(unknown ? EXIT_DEVICE : EXIT_USAGE, why);
	if (c->private_data &&
	    !device_set_private_data(d, c->private_data, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->buffer && !device_set_buffer(d, c->buffer, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->connect) {
		if (!c->connect[0] || strlen(c->connect) >= sizeof(d->connect))
			return complain(EXIT_USAGE,
					"connect-with: expected a command of "
					"at most 255 octets");
		strcpy(d->connect, c->connect);
		if (strcmp(d->name, "unnamed device") == 0)
			snprintf(d->name, sizeof(d->name), "%.180s",
				 c->connect);
	}
	if (c->connections)
		d->connections = c->connections;
	if (!device_is_alone(d))
		return 0;
	if (c->command != COMMAND_RUN)
		return complain(EXIT_USAGE, NEEDS_AGENT);
	if (c->run.destructive)
		return complain(
			EXIT_USAGE,
			"--destructive: not possible without an agent: the "
			"service behind the port may be in use");
	return 0;
}

/* Enter a network for both ends of the raw link. */
static bool enter_lab(struct cli *c, struct device *d, char *why, size_t cap)
{
	struct lab lab;

	if (!lab_enter(&lab, c->ipv6 ? LAB_IPV6 : LAB_IPV4, why, cap))
		return false;
	c->builtin.bind = lab.device_address;
	snprintf(d->link_interface, sizeof(d->link_interface), "%s",
		 lab.peer_interface);
	snprintf(d->link_address, sizeof(d->link_address), "%s",
		 lab.peer_address);
	return true;
}

/* The built-in device, which a run may reset and break. */
static int start_resettable(struct cli *c, struct device *d)
{
	int status = start_builtin(c, d);

	if (status)
		return status;
	c->run.hooks = builtin_hooks();
	c->run.builtin = &c->builtin;
	/* Nobody misses it. */
	c->run.destructive = true;
	return 0;
}

/*
 * Open the link, in the network that it needs. Whatever needs privileges comes
 * first; then all of them are dropped.
 */
static int open_link(struct cli *c, struct device *d)
{
	char why[512];
	const char *kind = link_kind(c, d);
	bool raw = strcmp(kind, "raw") == 0;
	bool in_lab = raw && is_builtin(c);
	bool on_sctp = strcmp(kind, "sctp") == 0;
	/* Who shares an address of IP alone, answers for the others. */
	bool ip_alone = on_sctp && d->sctp_ip_alone;

	if (c->ipv6)
		c->builtin.bind = "::1";
	if (in_lab && !enter_lab(c, d, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	/* The built-in device is where its agent is. */
	if (on_sctp && !c->device_file)
		snprintf(d->link_address, sizeof(d->link_address), "%s",
			 c->builtin.bind ? c->builtin.bind : "127.0.0.1");
	if (ip_alone)
		c->run.jobs = 1;
	if (!join_network(c, d, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (!links_open(kind, d, runner_workers(d, c->run.jobs, raw), why,
			sizeof(why)))
		return complain(EXIT_USAGE, why);
	if ((raw || ip_alone) && !privilege_drop(why, sizeof(why)))
		return complain(EXIT_SUITE, why);
	/* In the lab there is nobody else. */
	if (raw && !in_lab && !links_claim(why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	/* With another identity, other files can be written. */
	if (raw && !publish_check(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return 0;
}

/*
 * For the raw link, the built-in device and this process enter a network of
 * their own.
 */
int start_device(struct cli *c, struct device *d)
{
	char why[512];
	int status = load_device(c, d);

	if (!status)
		status = take_target(c, d);
	if (status)
		return status;
	/* Before anything is given up that a reset may need. */
	if ((d->hook_health[0] || d->hook_reset[0] || d->hook_log[0]) &&
	    !(c->run.hooks = hooks_open(d, why, sizeof(why))))
		return complain(EXIT_SUITE, why);
	status = open_link(c, d);
	if (status == 0 && is_builtin(c))
		status = start_resettable(c, d);
	return status;
}
