/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/builtin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "suite/device/keys.h"
#include "suite/device/target.h"

#define READY       "warpspec-refdut: agent "
#define READY_ALONE "listening "
#define START_MS    10000

static pid_t running;
/* For another start of the same. */
static struct builtin started;
static struct device *started_for;

/* The program next to this one, or above: tests are in deeper folders. False:
 * errno says why the one at path, next to this one, cannot be run. */
static bool find_program(char *path, size_t cap)
{
	static const char name[] = "/warpspec-refdut";
	int error = 0;
	char own[1024];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n <= 0) {
		snprintf(path, cap, "/proc/self/exe");
		return false;
	}
	own[n] = '\0';
	char folder[sizeof(own)];

	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(own, '/') ? strrchr(own, '/') - own : 0), own);
	for (unsigned up = 0; up < 8; up++) {
		char *slash = strrchr(own, '/');

		if (!slash)
			break;
		*slash = '\0';
		snprintf(path, cap, "%.*s%s", (int)(cap - sizeof(name)), own,
			 name);
		if (access(path, X_OK) == 0)
			return true;
		if (!up)
			error = errno;
	}
	snprintf(path, cap, "%.*s%s", (int)(cap - sizeof(name)), folder, name);
	errno = error;
	return false;
}

/*
 * Off loopback its agent wants a token. It is in a file without a name, which
 * both processes have open under the same number. False: no such file.
 */
static bool make_token(struct device *d)
{
	uint8_t octets[16];
	char text[2 * sizeof(octets) + 1];
	int fd = memfd_create("warpspec-token", 0);

	if (fd < 0 || getrandom(octets, sizeof(octets), 0) != sizeof(octets))
		return false;
	for (size_t i = 0; i < sizeof(octets); i++)
		snprintf(text + 2 * i, 3, "%02x", octets[i]);
	snprintf(d->token_file, sizeof(d->token_file), "/proc/self/fd/%d", fd);
	for (size_t n = 0; n < sizeof(text) - 1;) {
		ssize_t k = write(fd, text + n, sizeof(text) - 1 - n);

		if (k < 0 && errno != EINTR)
			return false;
		n += k > 0 ? (size_t)k : 0;
	}
	return true;
}

/* "MUTANT,+A,+B" into "MUTANT" and "A,B". What does not fit is cut, and no
 * name that the device knows. */
static void split(const char *as, char *mutant, size_t mutant_cap,
		  char *variants, size_t variants_cap)
{
	mutant[0] = variants[0] = '\0';
	while (*as) {
		size_t n = strcspn(as, ",");
		bool choice = *as == '+';
		char *to = choice ? variants : mutant;
		size_t cap = choice ? variants_cap : mutant_cap;
		size_t at = strlen(to);

		snprintf(to + at, cap - at, "%s%.*s", at ? "," : "",
			 (int)(n - choice), as + choice);
		as += n + (as[n] == ',');
	}
}

__attribute__((noreturn)) static void cannot_become(void)
{
	fprintf(stderr, "warpspec: warpspec-refdut cannot be started: %s\n",
		strerror(errno));
	_exit(127);
}

static void become(const struct builtin *b, const char *path,
		   const struct device *d, int out)
{
	const char *argv[24];
	char port[8], mutant[256], variants[1024];
	size_t n = 0;
	int nothing;

	split(b->as ? b->as : "", mutant, sizeof(mutant), variants,
	      sizeof(variants));
	/* Ctrl-C is for the suite, which then ends this process. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, STDOUT_FILENO) < 0)
		cannot_become();
	if (b->alone && (nothing = open("/dev/null", O_WRONLY)) >= 0)
		dup2(nothing, STDERR_FILENO); /* what is received on each
					       * stream */
	argv[n++] = "warpspec-refdut";
	snprintf(port, sizeof(port), "%u", d->agent_port);
	if (b->alone) {
		argv[n++] = "--ulp";
		argv[n++] = !b->offers          ? "rping"
			    : b->offers_in_send ? "buffer-send"
						: "buffer";
	}
	argv[n++] = b->alone ? "--port" : "--agent-port";
	argv[n++] = port;
	if (b->bind) {
		argv[n++] = "--bind";
		argv[n++] = b->bind;
		argv[n++] = "--token-file";
		argv[n++] = d->token_file;
	}
	argv[n++] = "--startup-timeout-ms";
	/* Long enough for a peer on a machine with much else to do; of a
	 * control device nothing depends on it but how long it takes. */
	argv[n++] = !b->control || b->patient ? "1000" : "250";
	if (mutant[0]) {
		argv[n++] = "--mutant";
		argv[n++] = mutant;
	}
	if (variants[0]) {
		argv[n++] = "--variant";
		argv[n++] = variants;
	}
	if (b->control) {
		argv[n++] = "--control";
		argv[n++] = b->control;
	}
	if (b->spec && strcmp(b->spec, "rfc7306") != 0) {
		argv[n++] = "--spec";
		argv[n++] = b->spec;
	}
	if (b->without) {
		argv[n++] = "--without";
		argv[n++] = b->without;
	}
	argv[n] = NULL;
	execv(path, (char *const *)(uintptr_t)argv);
	cannot_become();
}

/* The line that it prints when it is ready, or its output so far if it is
 * not. Returns an errno, 0 if the device itself has no more to say, or ETIME. */
static int read_line(int fd, char *line, size_t cap)
{
	uint64_t deadline = clock_after_ms(START_MS);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t n = 0;
	int error = 0;

	while (!error && n + 1 < cap) {
		int ready = poll(&p, 1, clock_poll_ms(deadline));
		ssize_t got = ready > 0 ? read(fd, line + n, 1) : -1;

		if (ready == 0)
			error = ETIME;
		else if (got < 0)
			error = errno == EINTR ? 0 : errno;
		else if (got == 0 || line[n] == '\n')
			break;
		else
			n++;
	}
	line[n] = '\0';
	return error;
}

/* At the agent's port of d, if it has one. */
static bool start(const struct builtin *b, struct device *d, bool *usage,
		  char *why, size_t cap)
{
	char path[1024], line[256];
	int out[2];
	int status = 0;

	*usage = false;
	if (!find_program(path, sizeof(path))) {
		snprintf(why, cap,
			 "%s: %s; it is installed beside warpspec, or built by "
			 "'make'",
			 path, strerror(errno));
		return false;
	}
	fflush(NULL);
	if (pipe(out) < 0 || (running = fork()) < 0) {
		snprintf(why, cap, "warpspec-refdut: %s", strerror(errno));
		running = 0;
		return false;
	}
	if (running == 0) {
		close(out[0]);
		become(b, path, d, out[1]);
	}
	close(out[1]);
	int error = read_line(out[0], line, sizeof(line));
	close(out[0]);
	if (b->alone && strncmp(line, READY_ALONE, strlen(READY_ALONE)) == 0 &&
	    device_set_target(d, line + strlen(READY_ALONE), usage, why, cap))
		return true;
	if (strncmp(line, READY, strlen(READY)) == 0 &&
	    device_set_agent(d, line + strlen(READY)))
		return true;
	kill(running, SIGKILL);
	waitpid(running, &status, 0);
	running = 0;
	*usage = WIFEXITED(status) && WEXITSTATUS(status) == 2;
	/* The device itself has printed the error in its options, in one
	 * line. */
	snprintf(why, cap, "%s%s%s",
		 *usage ? "" : "the built-in device did not start",
		 *usage || !error ? "" : ": ",
		 *usage || !error ? "" : strerror(error));
	return false;
}

bool builtin_start(const struct builtin *b, struct device *d, bool *usage,
		   char *why, size_t cap)
{
	*usage = false;
	if (b->bind && !make_token(d)) {
		snprintf(why, cap, "a token for the built-in device: %s",
			 strerror(errno));
		return false;
	}
	if (!start(b, d, usage, why, cap))
		return false;
	started = *b;
	started_for = d;
	char mutant[48], variants[48];

	split(b->as ? b->as : "", mutant, sizeof(mutant), variants,
	      sizeof(variants));
	snprintf(d->name, sizeof(d->name), "built-in device%s%s%s%s%s%s",
		 mutant[0] ? ", mutant " : "", mutant,
		 variants[0] ? ", variant " : "", variants,
		 b->control ? ", control " : "", b->control ? b->control : "");
	return true;
}

void builtin_stop(void)
{
	if (!running)
		return;
	kill(running, SIGTERM);
	waitpid(running, NULL, 0);
	running = 0;
}

pid_t builtin_pid(void)
{
	return running;
}

static void health(struct hooks *h, struct hook_result *out)
{
	int status;

	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
	if (running && waitpid(running, &status, WNOHANG) != running)
		return;
	out->end = HOOK_ILL;
	snprintf(out->line, sizeof(out->line), "the built-in device has ended");
	if (running)
		snprintf(out->output, sizeof(out->output),
			 "warpspec-refdut: %s %d",
			 WIFSIGNALED(status) ? "signal" : "exit status",
			 WIFSIGNALED(status) ? WTERMSIG(status)
					     : WEXITSTATUS(status));
	running = 0;
}

static void reset(struct hooks *h, struct hook_result *out)
{
	bool usage;

	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
	builtin_stop();
	if (!start(&started, started_for, &usage, out->line, sizeof(out->line)))
		out->end = HOOK_UNCLEAR;
}

struct hooks *builtin_hooks(void)
{
	static struct hooks hooks = {.health = health, .reset = reset};

	return &hooks;
}
