/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library to preload: it counts the calls of calls.def, and makes some of
 * them fail. A file that all processes of a command share holds the counts and
 * says which calls fail (struct plan; trial.py writes it). FAULTS names the
 * file. A call is counted by the part of the process that makes it: the n-th
 * call is the n-th of all processes of that part.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) CALL_##name,
#define OWN(name, ...)  CALL_##name,
enum call {
#include "suite/checks/faults/calls.def"
	CALLS
};
#undef CALL
#undef OWN

enum part { SUITE, WORKER, DEVICE, AGENT, PARTS, NONE = PARTS };

enum mode {
	COUNT,       /* and keep the stack of each call */
	FAIL,        /* calls FROM to TO fail */
	SHORT,       /* calls FROM to TO read or write one octet */
	INTERRUPTED, /* of FROM calls that can wait, about one: EINTR */
	NOT_YET,     /* of FROM calls that need not wait, about one: EAGAIN */
	FULL,        /* regular files hold FROM octets in total */
	JUMP,        /* from the FROM-th look at the clock on, it is off */
};

#define STACK 24
#define LOG   4000000u

struct plan {
	uint32_t calls, mode, part, call;
	uint64_t from, to;
	int64_t off; /* seconds */
	int32_t error;
	uint32_t attached, hits, crash_part, crash_signal, logged, in_library;
	uint32_t unused;
	uint64_t octets, hit_stack[STACK], crash_stack[STACK];
	uint64_t count[PARTS][CALLS];
	struct {
		uint32_t part_call, n;
		uint64_t stack;
	} log[LOG];
};

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static struct plan *plan;
static unsigned part = NONE;
static __thread int inside;
/* A sanitizer has its own allocator, which is the next one. */
static void *(*next_malloc)(size_t) = __libc_malloc;
static void *(*next_calloc)(size_t, size_t) = __libc_calloc;
static void *(*next_realloc)(void *, size_t) = __libc_realloc;

static void *find(const char *name)
{
	inside++;
	void *at = dlsym(RTLD_NEXT, name);

	inside--;
	return at;
}

static void keep_stack(uint64_t *to)
{
	void *at[STACK] = {0};

	inside++;
	backtrace(at, STACK);
	inside--;
	for (int i = 0; i < STACK; i++)
		to[i] = (uintptr_t)at[i];
}

static void keep_call(enum call call, uint64_t n)
{
	uint64_t at[STACK], hash = 1469598103934665603u;
	uint32_t i = __atomic_fetch_add(&plan->logged, 1, __ATOMIC_RELAXED);

	if (i >= LOG)
		return;
	keep_stack(at);
	/* The first is this function. Nine are enough to find the place. */
	for (int k = 2; k < 11; k++)
		hash = (hash ^ at[k]) * 1099511628211u;
	plan->log[i].part_call = part << 16 | call;
	plan->log[i].n = (uint32_t)n;
	plan->log[i].stack = hash;
}

static int hit(int error)
{
	if (!__atomic_fetch_add(&plan->hits, 1, __ATOMIC_RELAXED))
		keep_stack(plan->hit_stack);
	errno = error;
	return 1;
}

/* The call is to fail in the planned way; errno says why. */
static int in_mode(enum mode mode, enum call call)
{
	if (!plan || inside || part == NONE)
		return 0;
	uint64_t n = __atomic_add_fetch(&plan->count[part][call], 1,
					__ATOMIC_RELAXED);

	if (plan->mode == COUNT)
		keep_call(call, n);
	if (plan->mode != mode || part != plan->part || plan->call != call ||
	    n < plan->from || n > plan->to)
		return 0;
	return hit(plan->error);
}

static int fails(enum call call)
{
	return in_mode(FAIL, call);
}

static int each(enum mode mode, int error)
{
	static uint32_t n;

	if (!plan || inside || plan->mode != mode || part != plan->part)
		return 0;
	/* Not in step with a loop of the program. */
	uint32_t drawn = __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);

	drawn *= 2654435761u;
	return (drawn >> 16) % plan->from ? 0 : hit(error);
}

/* A regular file never makes a caller wait. */
static int is_nonblocking(int fd, int flags)
{
	struct stat s;

	inside++;
	int is = (flags & MSG_DONTWAIT || fcntl(fd, F_GETFL) & O_NONBLOCK) &&
		 !fstat(fd, &s) && !S_ISREG(s.st_mode);

	inside--;
	return is;
}

static int waits(int fd, int flags)
{
	if (!plan || inside)
		return 0;
	/* The kernel interrupts no call that does not wait. */
	if (is_nonblocking(fd, flags))
		return each(NOT_YET, EAGAIN);
	return each(INTERRUPTED, EINTR);
}

static int is_stream(int fd)
{
	int type = 0;
	socklen_t n = sizeof(type);
	struct stat s;
	static int (*next)(int, int, int, void *, socklen_t *);

	if (!next)
		*(void **)&next = find("getsockopt");
	if (!next(fd, SOL_SOCKET, SO_TYPE, &type, &n))
		return type == SOCK_STREAM;
	inside++;
	int is = !fstat(fd, &s) && (S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode));

	inside--;
	return is;
}

/* The number of octets that this call may read or write; 0: it fails. */
static size_t room(enum call call, int fd, int flags, size_t n)
{
	if (!plan || inside || part == NONE)
		return n;
	if (plan->mode == SHORT)
		return in_mode(SHORT, call) && n && is_stream(fd) ? 1 : n;
	return fails(call) || waits(fd, flags) ? 0 : n;
}

/* --- calls that are forwarded -------------------------------------------- */

#define NEXT(name)                                                             \
	static __typeof__(name) *next;                                         \
	if (!next)                                                             \
	*(void **)&next = find(#name)
#define OWN(name, ...)
#define CALL(name, type, parameters, arguments, failure, ...)                  \
	type name parameters                                                   \
	{                                                                      \
		NEXT(name);                                                    \
		if (fails(CALL_##name))                                        \
			return failure;                                        \
		if (can_wait(CALL_##name) && each(INTERRUPTED, EINTR))         \
			return failure;                                        \
		return next arguments;                                         \
	}

static int can_wait(enum call call)
{
	return call == CALL_poll || call == CALL_epoll_wait ||
	       call == CALL_waitpid || call == CALL_accept4 ||
	       call == CALL_sendto || call == CALL_recvfrom ||
	       call == CALL_sendmsg || call == CALL_recvmsg;
}

#include "suite/checks/faults/calls.def"

/* --- memory -------------------------------------------------------------- */

void *malloc(size_t n)
{
	return fails(CALL_malloc) ? NULL : next_malloc(n);
}

void *calloc(size_t n, size_t of)
{
	return fails(CALL_calloc) ? NULL : next_calloc(n, of);
}

void *realloc(void *at, size_t n)
{
	return fails(CALL_realloc) ? NULL : next_realloc(at, n);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	NEXT(mmap);
	return fails(CALL_mmap) ? MAP_FAILED
				: next(at, n, prot, flags, fd, from);
}

/* --- files --------------------------------------------------------------- */

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list ap;

	NEXT(open);
	va_start(ap, flags);
	mode_t mode = mode_of(flags, ap);

	va_end(ap);
	return fails(CALL_open) ? -1 : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list ap;

	NEXT(openat);
	va_start(ap, flags);
	mode_t mode = mode_of(flags, ap);

	va_end(ap);
	return fails(CALL_openat) ? -1 : next(folder, path, flags, mode);
}

ssize_t read(int fd, void *to, size_t n)
{
	NEXT(read);
	size_t may = room(CALL_read, fd, 0, n);

	return n && !may ? -1 : next(fd, to, may);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	NEXT(pread);
	size_t may = room(CALL_pread, fd, 0, n);

	return n && !may ? -1 : next(fd, to, may, at);
}

static size_t space(int fd, size_t n)
{
	struct stat s;

	if (!plan || plan->mode != FULL || part == NONE || inside)
		return n;
	inside++;
	int is = !fstat(fd, &s) && S_ISREG(s.st_mode);

	inside--;
	if (!is)
		return n;
	uint64_t at = __atomic_fetch_add(&plan->octets, n, __ATOMIC_RELAXED);

	if (at + n <= plan->from)
		return n;
	hit(ENOSPC);
	return at < plan->from ? plan->from - at : 0;
}

ssize_t write(int fd, const void *from, size_t n)
{
	NEXT(write);
	size_t may = room(CALL_write, fd, 0, n);

	if (n && !may)
		return -1;
	may = space(fd, may);
	if (n && !may)
		errno = ENOSPC;
	return n && !may ? -1 : next(fd, from, may);
}

ssize_t send(int fd, const void *from, size_t n, int flags)
{
	NEXT(send);
	size_t may = room(CALL_send, fd, flags, n);

	return n && !may ? -1 : next(fd, from, may, flags);
}

ssize_t recv(int fd, void *to, size_t n, int flags)
{
	NEXT(recv);
	size_t may = room(CALL_recv, fd, flags, n);

	return n && !may ? -1 : next(fd, to, may, flags);
}

int fflush(FILE *f)
{
	NEXT(fflush);
	return fails(CALL_fflush) ? EOF : next(f);
}

int fclose(FILE *f)
{
	NEXT(fclose);
	int failed = fails(CALL_fclose), error = errno;
	int result = next(f);

	if (failed)
		errno = error;
	return failed ? EOF : result;
}

size_t fread(void *to, size_t of, size_t n, FILE *f)
{
	NEXT(fread);
	if (!fails(CALL_fread))
		return next(to, of, n, f);
	f->_flags |= 0x20; /* as ferror() sees it */
	return 0;
}

char *fgets(char *to, int n, FILE *f)
{
	NEXT(fgets);
	if (!fails(CALL_fgets))
		return next(to, n, f);
	f->_flags |= 0x20;
	return NULL;
}

int ioctl(int fd, unsigned long what, ...)
{
	static int (*next)(int, unsigned long, long);
	va_list ap;

	if (!next)
		*(void **)&next = find("ioctl");
	va_start(ap, what);
	long argument = va_arg(ap, long);

	va_end(ap);
	return fails(CALL_ioctl) ? -1 : next(fd, what, argument);
}

int fcntl(int fd, int what, ...)
{
	static int (*next)(int, int, long);
	va_list ap;

	if (!next)
		*(void **)&next = find("fcntl");
	va_start(ap, what);
	long argument = va_arg(ap, long);

	va_end(ap);
	return fails(CALL_fcntl) ? -1 : next(fd, what, argument);
}

/* --- time, processes ------------------------------------------------------ */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	NEXT(clock_gettime);
	if (fails(CALL_clock_gettime))
		return -1;
	int result = next(clock, t);

	if (plan && plan->mode == JUMP && clock == CLOCK_REALTIME &&
	    part != NONE &&
	    plan->count[part][CALL_clock_gettime] >= plan->from) {
		plan->hits++;
		t->tv_sec += plan->off;
	}
	return result;
}

/* It cannot fail. */
time_t time(time_t *to)
{
	static int (*next)(clockid_t, struct timespec *);
	struct timespec t;

	if (!next)
		*(void **)&next = find("clock_gettime");
	next(CLOCK_REALTIME, &t);
	if (plan && plan->mode == JUMP && part != NONE &&
	    plan->count[part][CALL_clock_gettime] >= plan->from)
		t.tv_sec += plan->off;
	if (to)
		*to = t.tv_sec;
	return t.tv_sec;
}

pid_t fork(void)
{
	NEXT(fork);
	if (fails(CALL_fork))
		return -1;
	pid_t pid = next();

	if (!pid && part == SUITE)
		part = WORKER;
	return pid;
}

/* --- the library itself ---------------------------------------------------- */

/* They do not check all of their allocations; libcrypto only when it starts. */
static int is_in_library(const uint64_t *stack)
{
	Dl_info info;

	/* Below this library and the frame of the signal; libc may be between. */
	for (int i = 3; i < 12; i++)
		if (dladdr((void *)(uintptr_t)stack[i], &info) &&
		    (strstr(info.dli_fname, "libusrsctp") ||
		     strstr(info.dli_fname, "libcrypto") ||
		     strstr(info.dli_fname, "libseccomp")))
			return 1;
	return 0;
}

static void crashed(int signal)
{
	uint32_t none = 0;

	if (plan && __atomic_compare_exchange_n(
			    &plan->crash_signal, &none, (uint32_t)signal, 0,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		plan->crash_part = part;
		keep_stack(plan->crash_stack);
		plan->in_library = is_in_library(plan->crash_stack);
	}
	raise(signal);
}

static unsigned part_of(const char *program)
{
	uint32_t none = 0;

	if (!strcmp(program, "warpspec-refdut"))
		return DEVICE;
	if (!strcmp(program, "warpspec-agent"))
		return AGENT;
	if (strcmp(program, "warpspec") != 0)
		return NONE;
	return __atomic_compare_exchange_n(&plan->attached, &none, 1, 0,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED)
		       ? SUITE
		       : WORKER;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULTS");
	static const int deadly[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
	void *at[2];

	inside++;
	if (dlsym(RTLD_DEFAULT, "__asan_init")) {
		*(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
		*(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
		*(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
	}
	backtrace(at, 2); /* it loads what it needs */
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0) {
		plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
		close(fd);
	}
	inside--;
	if (!plan || plan == MAP_FAILED || plan->calls != CALLS) {
		plan = NULL;
		return;
	}
	for (unsigned i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigaction(deadly[i],
			  &(struct sigaction){.sa_handler = crashed,
					      .sa_flags = SA_RESETHAND |
							  SA_NODEFER},
			  NULL);
	part = part_of(program_invocation_short_name);
}

/* What libraries call that are compiled for large files. */
#define SAME(name) __attribute__((alias(#name)))
int open64(const char *, int, ...) SAME(open);
int openat64(int, const char *, int, ...) SAME(openat);
FILE *fopen64(const char *, const char *) SAME(fopen);
ssize_t pread64(int, void *, size_t, off_t) SAME(pread);
