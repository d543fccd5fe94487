/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/lab/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/types.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A report of a sanitizer needs the program itself, a program that names its
 * lines, and, for leaks, the right to trace.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

unsigned confine(const struct confinement *c, char *why, size_t cap)
{
	(void)c;
	snprintf(why, cap,
		 "this build has a sanitizer, whose reports need "
		 "access to files and processes");
	return 0;
}

#else

/* --- Landlock ----------------------------------------------------------- */

/*
 * As in linux/landlock.h of Linux 6.12; the headers of a host may be older than
 * its kernel. The numbers of the calls are the same on all architectures that
 * Debian has.
 */
enum {
	LANDLOCK_CREATE = 444,
	LANDLOCK_ADD = 445,
	LANDLOCK_RESTRICT = 446,
	LANDLOCK_VERSION = 1,
	RULE_PATH_BENEATH = 1,
	RULE_NET_PORT = 2,
};

#define FS_WRITE_FILE  (UINT64_C(1) << 1)
#define FS_READ_FILE   (UINT64_C(1) << 2)
#define FS_READ_DIR    (UINT64_C(1) << 3)
#define FS_REMOVE_FILE (UINT64_C(1) << 5)
#define FS_MAKE_REG    (UINT64_C(1) << 8)
#define FS_TRUNCATE    (UINT64_C(1) << 14)
/* What each version adds: ioctl() on devices is left as it is. */
#define FS_OF_1        ((UINT64_C(1) << 13) - 1)
#define FS_REFER       (UINT64_C(1) << 13)
#define NET_BIND       (UINT64_C(1) << 0)
#define NET_CONNECT    (UINT64_C(1) << 1)
#define SCOPE_ABSTRACT (UINT64_C(1) << 0)
#define SCOPE_SIGNAL   (UINT64_C(1) << 1)

enum { VERSION_REFER = 2, VERSION_TRUNCATE, VERSION_NET, VERSION_SCOPES = 6 };

/* An older kernel accepts a longer structure if the rest is zero. */
struct ruleset {
	__u64 files, net, scoped;
};

struct beneath {
	__u64 access;
	__s32 parent;
} __attribute__((packed));

struct port {
	__u64 access;
	__u64 port;
};

/* A path that is not there needs no rule. */
static void allow(int rules, const char *path, uint64_t access)
{
	struct beneath b = {.access = access,
			    .parent = open(path, O_PATH | O_CLOEXEC)};
	struct stat st;

	if (b.parent < 0)
		return;
	if (fstat(b.parent, &st) == 0 && !S_ISDIR(st.st_mode))
		b.access &= FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE;
	syscall(LANDLOCK_ADD, rules, RULE_PATH_BENEATH, &b, 0);
	close(b.parent);
}

static void allow_files(int rules, uint64_t handled, const char *folder)
{
	static const char *const read[] = {
		"/usr",
		"/lib",
		"/lib32",
		"/lib64",
		"/libx32",
		"/proc",
		"/sys",
		"/etc/ssl",
		"/etc/pki",
		"/etc/localtime",
		"/etc/gai.conf",
		"/etc/hosts",
		"/etc/ld.so.cache",
	};
	static const char *const devices[] = {"/dev/null", "/dev/zero",
					      "/dev/random", "/dev/urandom"};

	for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
		allow(rules, read[i], FS_READ_FILE | FS_READ_DIR);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		allow(rules, devices[i], FS_READ_FILE | FS_WRITE_FILE);
	if (folder)
		allow(rules, folder,
		      handled & (FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE |
				 FS_REMOVE_FILE | FS_MAKE_REG | FS_TRUNCATE));
}

static unsigned confine_by_landlock(const struct confinement *c)
{
	long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
	struct ruleset r = {.files = FS_OF_1};
	unsigned kinds = CONFINES_FILES;

	if (version < 1)
		return 0;
	r.files |= version >= VERSION_REFER ? FS_REFER : 0;
	r.files |= version >= VERSION_TRUNCATE ? FS_TRUNCATE : 0;
	if (version >= VERSION_NET && c->tcp_port) {
		r.net = NET_BIND | NET_CONNECT;
		kinds |= CONFINES_PORTS;
	}
	if (version >= VERSION_SCOPES) {
		r.scoped = SCOPE_ABSTRACT | SCOPE_SIGNAL;
		kinds |= CONFINES_SIGNALS;
	}
	int rules = (int)syscall(LANDLOCK_CREATE, &r, sizeof(r), 0);

	if (rules < 0)
		return 0;
	allow_files(rules, r.files, c->folder);
	if (r.net)
		syscall(LANDLOCK_ADD, rules, RULE_NET_PORT,
			&(struct port){NET_CONNECT, c->tcp_port}, 0);
	bool in_force = syscall(LANDLOCK_RESTRICT, rules, 0) == 0;

	close(rules);
	return in_force ? kinds : 0;
}

/* --- seccomp -------------------------------------------------------------- */

/* They fail with EPERM. A call that this list does not have is allowed: another
 * C library, or a later one, may need calls that nobody has thought of. */
static const int denied[] = {
	/* other programs, */
	SCMP_SYS(execve), SCMP_SYS(execveat),
	/* other processes, */
	SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
	/* other namespaces, mounts and roots, */
	SCMP_SYS(setns), SCMP_SYS(unshare), SCMP_SYS(mount), SCMP_SYS(umount2),
	SCMP_SYS(move_mount), SCMP_SYS(open_tree), SCMP_SYS(fsopen),
	SCMP_SYS(fsmount), SCMP_SYS(fsconfig), SCMP_SYS(fspick),
	SCMP_SYS(mount_setattr), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
	SCMP_SYS(open_by_handle_at),
	/* the kernel itself and large parts of it that no case needs, */
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
	SCMP_SYS(io_uring_setup), SCMP_SYS(add_key), SCMP_SYS(request_key),
	SCMP_SYS(keyctl), SCMP_SYS(init_module), SCMP_SYS(finit_module),
	SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	/* and the host. */
	SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(acct),
	SCMP_SYS(quotactl), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
	SCMP_SYS(sethostname), SCMP_SYS(setdomainname)};

static bool confine_calls(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	bool ok = f;

	/* Calls of another architecture would pass by the list. */
	ok = ok && seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH,
				    SCMP_ACT_ERRNO(EPERM)) == 0;
	for (size_t i = 0; ok && i < sizeof(denied) / sizeof(*denied); i++)
		/* One that this architecture does not have needs no rule. */
		if (denied[i] >= 0)
			ok = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM),
					      denied[i], 0) == 0;
	ok = ok && seccomp_load(f) == 0;
	if (f)
		seccomp_release(f);
	return ok;
}

/* --- privileges ------------------------------------------------------------- */

/* A process of root keeps one: the folder of its captures may be somebody
 * else's. */
static void give_up_privileges(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &header, has) != 0)
		return;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t kept = i == CAP_TO_INDEX(CAP_DAC_OVERRIDE)
					? CAP_TO_MASK(CAP_DAC_OVERRIDE)
					: 0;

		has[i].permitted &= kept;
		has[i].effective &= kept;
		has[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, has);
}

/* --- all of them ------------------------------------------------------------------ */

unsigned confine(const struct confinement *c, char *why, size_t cap)
{
	unsigned kinds = 0;

	*why = '\0';
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		kinds |= confine_by_landlock(c);
		kinds |= confine_calls() ? CONFINES_CALLS : 0;
	}
	give_up_privileges();
	if ((kinds & (CONFINES_FILES | CONFINES_CALLS)) !=
	    (CONFINES_FILES | CONFINES_CALLS))
		snprintf(why, cap, "this kernel, or its container, lacks %s",
			 kinds & CONFINES_FILES   ? "seccomp"
			 : kinds & CONFINES_CALLS ? "Landlock"
						  : "Landlock and seccomp");
	return kinds;
}

#endif
