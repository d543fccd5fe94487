/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/lab/veth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The commands for ip(8): both ends up, the kernel's end with addresses that
 * are valid at once, and frames as large as RDMA networks usually have them. */
static const char script[] = "link set lo up\n"
			     "link add device0 mtu 9216 type veth "
			     "peer name peer0 mtu 9216\n"
			     "addr add 10.77.0.2/24 dev device0\n"
			     "addr add fd00:77::2/64 dev device0 nodad\n"
			     "link set device0 up\n"
			     "link set peer0 up\n";

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* In a user namespace of its own, everyone may have a network. This user and
 * group keep their own numbers there. */
static bool unshare_as_user(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return false;
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	bool ok = write_text("/proc/self/uid_map", map);

	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	return ok && write_text("/proc/self/gid_map", map);
}

/* ip may do to the network whatever this process may. Otherwise a program that
 * is started by a user other than root loses this. */
static void pass_net_admin(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, caps) != 0)
		return;
	caps[0].inheritable |= 1u << CAP_NET_ADMIN;
	if (syscall(SYS_capset, &header, caps) == 0)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0,
		      0);
}

/* False: errno. */
static bool write_script(int to)
{
	size_t done = 0, all = sizeof(script) - 1;

	while (done < all) {
		ssize_t n = write(to, script + done, all - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Runs ip -batch - with `script`; returns its exit status, or -1 with errno. */
static int run_ip(void)
{
	int in[2], status = -1;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) != 0)
		return -1; /* errno */
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (dup2(in[0], STDIN_FILENO) < 0) {
			perror("warpspec: ip: dup2");
			_exit(126);
		}
		pass_net_admin();
		execlp("ip", "ip", "-batch", "-", (char *)NULL);
		execl("/sbin/ip", "ip", "-batch", "-", (char *)NULL);
		execl("/usr/sbin/ip", "ip", "-batch", "-", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	bool told = pid > 0 && write_script(in[1]);
	int error = errno;

	close(in[1]);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	errno = told ? 0 : error;
	return told && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool lab_enter(struct lab *lab, enum lab_family family, char *why, size_t cap)
{
	if (unshare(CLONE_NEWNET) != 0 && !unshare_as_user()) {
		snprintf(why, cap,
			 "a network of its own needs CAP_SYS_ADMIN, or user "
			 "namespaces (%s): run it with sudo",
			 strerror(errno));
		return false;
	}
	int status = run_ip();

	if (status == 127) {
		snprintf(why, cap,
			 "the program ip is not installed (Debian: iproute2)");
		return false;
	}
	if (status != 0) {
		snprintf(why, cap,
			 "ip could not make a pair of interfaces (veth)%s%s",
			 status < 0 && errno ? ": " : "",
			 status < 0 && errno ? strerror(errno) : "");
		return false;
	}
	/* The peer's end belongs to no host: its kernel must not use it. */
	write_text("/proc/sys/net/ipv6/conf/peer0/disable_ipv6", "1");
	/* A device's TCP, also over IPv6, gives up after one second and a half
	 * instead of after 15 minutes. */
	write_text("/proc/sys/net/ipv4/tcp_retries2", "1");
	bool v6 = family == LAB_IPV6;

	*lab = (struct lab){.peer_interface = "peer0",
			    .device_address = v6 ? "fd00:77::2" : "10.77.0.2",
			    .peer_address =
				    v6 ? "fd00:77::3/64" : "10.77.0.3/24"};
	return true;
}
