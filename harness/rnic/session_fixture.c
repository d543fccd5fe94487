/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/session_fixture.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/rnic/session_state.h"

struct command {
	enum fake_deed deed;
	uint32_t a, b;
};

static struct fake *fake_of(struct verbs_device *d)
{
	return (struct fake *)d;
}

static enum line_code refuse(struct verbs_device *d)
{
	snprintf(d->why, sizeof(d->why), "it will not");
	return LINE_DEVICE;
}

static enum line_code reg(struct verbs_device *d, struct verbs_memory *m)
{
	if (m->len == 0)
		return refuse(d);
	if (m->access & (AGENT_RW | AGENT_RA))
		m->access |= AGENT_LW;
	m->stag = ++fake_of(d)->stag << 8;
	m->handle = d;
	fake_of(d)->registered++;
	return LINE_NO_ERROR;
}

static void dereg(struct verbs_device *d, struct verbs_memory *m)
{
	m->handle = NULL;
	fake_of(d)->registered--;
}

static enum line_code change_access(struct verbs_device *d,
				    struct verbs_memory *m, unsigned access)
{
	(void)d;
	(void)m;
	(void)access;
	return LINE_NO_ERROR;
}

static enum line_code inval(struct verbs_device *d, struct verbs_memory *m)
{
	(void)d;
	(void)m;
	return LINE_NO_ERROR;
}

static enum line_code fake_listen(struct verbs_device *d, struct verbs_port *p)
{
	/* Somebody else has this one. */
	if (p->number == 666)
		return refuse(d);
	if (!p->number)
		p->number = (uint16_t)(4000 + fake_of(d)->stag++);
	p->handle = d;
	fake_of(d)->port = p;
	fake_of(d)->session = p->session;
	fake_of(d)->listening++;
	return LINE_NO_ERROR;
}

static void unlisten(struct verbs_device *d, struct verbs_port *p)
{
	p->handle = NULL;
	fake_of(d)->listening--;
}

static enum line_code fake_accept(struct verbs_device *d, void *request,
				  struct verbs_conn *c,
				  void (*ready)(struct verbs_conn *c))
{
	(void)request;
	if (fake_of(d)->refuses_accept)
		return refuse(d);
	c->handle = d;
	fake_of(d)->streams++;
	ready(c);
	return LINE_NO_ERROR;
}

static enum line_code reject(struct verbs_device *d, void *request,
			     struct verbs_conn *c)
{
	(void)d;
	(void)request;
	(void)c;
	return LINE_NO_ERROR;
}

static enum line_code fake_connect(struct verbs_device *d, struct verbs_conn *c,
				   const char *addr, uint16_t port)
{
	(void)addr;
	(void)port;
	c->handle = d;
	fake_of(d)->streams++;
	fake_of(d)->session = c->session;
	return LINE_NO_ERROR;
}

static enum line_code take_work(struct verbs_device *d, struct verbs_work *w)
{
	(void)w;
	return fake_of(d)->refuses_post ? refuse(d) : LINE_NO_ERROR;
}

static void fake_close(struct verbs_device *d, struct verbs_conn *c, bool abort)
{
	(void)c;
	(void)abort;
	fake_of(d)->closes++;
}

static void release(struct verbs_device *d, struct verbs_conn *c)
{
	c->handle = NULL;
	fake_of(d)->streams--;
}

static size_t fds(struct verbs_device *d, struct pollfd *at)
{
	at[0] = (struct pollfd){.fd = fake_of(d)->pipe[0], .events = POLLIN};
	return 1;
}

static struct verbs_conn *conn_numbered(struct fake *f, uint32_t number)
{
	struct verbs_conn *c = f->session->conns;

	while (c && c->number != number)
		c = c->next;
	assert(c);
	return c;
}

/* The work of that kind that was posted first. */
static struct verbs_work *oldest(struct verbs_conn *c, bool receive)
{
	struct verbs_work *found = NULL;

	for (struct verbs_work *w = c->work; w; w = w->next)
		if ((w->op == AGENT_RECV) == receive)
			found = w;
	assert(found);
	return found;
}

static void do_deed(struct fake *f, const struct command *command)
{
	struct verbs_frame frame = {.known = true,
				    .has_depths = true,
				    .ird = command->a,
				    .ord = command->b,
				    .private_octets = 2,
				    .private_data = {0x12, 0x34},
				    .peer = "192.0.2.1:9"};
	const struct verbs_consumer *consumer = f->base.consumer;
	struct verbs_done done = {.status = AGENT_DONE};
	struct verbs_work *w;

	switch (command->deed) {
	case FAKE_REQUEST:
		consumer->request_came(f->port, f, &frame);
		break;
	case FAKE_ESTABLISHED:
		consumer->conn_is(conn_numbered(f, command->a),
				  AGENT_ESTABLISHED, &frame);
		break;
	case FAKE_ENDS:
		consumer->conn_is(conn_numbered(f, command->a),
				  (enum agent_stream)command->b, NULL);
		break;
	case FAKE_RECEIVES:
		w = oldest(conn_numbered(f, command->a), true);
		done.len = command->b;
		done.has_inv = command->b == 3;
		done.inv = 0x1234;
		memset(w->octets, 'x', command->b);
		consumer->work_done(w, &done);
		break;
	case FAKE_COMPLETES:
		w = oldest(conn_numbered(f, command->a), false);
		done.status = (enum agent_status)command->b;
		done.len = done.status == AGENT_DONE ? w->len : 0;
		consumer->work_done(w, &done);
		break;
	}
}

static void serve(struct verbs_device *d)
{
	struct command command;

	while (read(fake_of(d)->pipe[0], &command, sizeof(command)) ==
	       sizeof(command))
		do_deed(fake_of(d), &command);
}

static void destroy(struct verbs_device *d)
{
	fake_of(d)->destroyed++;
}

static const struct verbs_device_ops ops = {
	.reg = reg,
	.dereg = dereg,
	.access = change_access,
	.inval = inval,
	.listen = fake_listen,
	.unlisten = unlisten,
	.accept = fake_accept,
	.reject = reject,
	.connect = fake_connect,
	.recv = take_work,
	.post = take_work,
	.close = fake_close,
	.release = release,
	.fds = fds,
	.serve = serve,
	.destroy = destroy,
};

void fake_does(struct fixture *f, enum fake_deed deed, uint32_t a, uint32_t b)
{
	struct command command = {.deed = deed, .a = a, .b = b};
	ssize_t n = write(f->fake.pipe[1], &command, sizeof(command));

	assert(n == sizeof(command));
	(void)n;
}

struct running {
	struct fixture *fixture;
	int fd;
};

static void *run(void *arg)
{
	struct running *r = arg;
	struct fixture *f = r->fixture;

	verbs_session_run(r->fd, &f->fake.base, &f->facts, &f->token, f->guard,
			  "192.0.2.9");
	free(r);
	return NULL;
}

static uint64_t claim(enum agent_feature f)
{
	return UINT64_C(1) << f;
}

struct verbs_device *fake_new(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->base.ops = &ops;
	return pipe2(f->pipe, O_NONBLOCK | O_CLOEXEC) == 0 ? &f->base : NULL;
}

void fixture_open(struct fixture *f, const char *token)
{
	struct running *r = malloc(sizeof(*r));
	int pair[2];

	memset(f, 0, sizeof(*f));
	f->facts = (struct verbs_facts){
		.impl = "a_fake",
		.addr = "192.0.2.2",
		.features = claim(AGENT_FEATURE_BIT_SEND) |
			    claim(AGENT_FEATURE_BIT_WRITE) |
			    claim(AGENT_FEATURE_BIT_READ) |
			    claim(AGENT_FEATURE_BIT_MPA_V2),
		.max_ird = 8,
		.max_ord = 8,
		.max_private = 16,
		.max_regions = 4,
		.max_receives = 8,
		.max_posts = 4,
		.max_region_len = 1 << 20,
		.max_message = 1 << 20,
		.probed = true,
		.request_rev = 2,
		.request_enhanced = true,
		.reply_crc = VERBS_CRC_ECHOED,
		.reply_rtr = AGENT_RTR_WRITE,
	};
	if (token) {
		f->token.len = strlen(token);
		memcpy(f->token.octets, token, f->token.len);
	}
	f->guard = verbs_guard_new();
	if (!r || !f->guard || !fake_new(&f->fake) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		abort();
	f->fd = pair[0];
	f->in = fdopen(dup(pair[0]), "r");
	*r = (struct running){.fixture = f, .fd = pair[1]};
	if (!f->in || pthread_create(&f->thread, NULL, run, r) != 0)
		abort();
}

void fixture_close(struct fixture *f)
{
	shutdown(f->fd, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->fd);
	fclose(f->in);
	close(f->fake.pipe[0]);
	close(f->fake.pipe[1]);
	verbs_guard_free(f->guard);
}

const char *next_line_of(struct fixture *f)
{
	if (!fgets(f->reply, sizeof(f->reply), f->in))
		return "";
	f->reply[strcspn(f->reply, "\n")] = '\0';
	return f->reply;
}

const char *ask(struct fixture *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vdprintf(f->fd, format, ap);
	va_end(ap);
	dprintf(f->fd, "\n");
	return next_line_of(f);
}

void opened(struct fixture *f)
{
	fixture_open(f, NULL);
	STARTS(ask(f, "hello version=1"), "OK version=1 ");
}

void closed(struct fixture *f)
{
	fixture_close(f);
	CU_ASSERT_EQUAL(f->fake.registered, 0);
	CU_ASSERT_EQUAL(f->fake.listening, 0);
	CU_ASSERT_EQUAL(f->fake.streams, 0);
	CU_ASSERT_EQUAL(f->fake.destroyed, 1);
}
