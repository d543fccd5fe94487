/* SPDX-License-Identifier: BSD-2-Clause */
/* The waited-for form of every verb: begin, then finish. */
#include "harness/agent/client.h"

enum agent_result agent_raw(struct agent *a, const char *text, uint64_t dl)
{
	agent_begin_raw(a, text);
	return agent_finish(a, dl);
}

enum agent_result agent_reset(struct agent *a, uint64_t dl)
{
	agent_begin_reset(a);
	return agent_finish(a, dl);
}

enum agent_result agent_bye(struct agent *a, uint64_t dl)
{
	agent_begin_bye(a);
	return agent_finish(a, dl);
}

enum agent_result agent_reg(struct agent *a, const struct agent_reg *r,
			    struct agent_region *out, uint64_t dl)
{
	agent_begin_reg(a, r, out);
	return agent_finish(a, dl);
}

enum agent_result agent_access(struct agent *a, const char *name,
			       unsigned access, uint64_t dl)
{
	agent_begin_access(a, name, access);
	return agent_finish(a, dl);
}

enum agent_result agent_fill(struct agent *a, const char *name, uint64_t off,
			     const void *octets, size_t n, uint64_t dl)
{
	agent_begin_fill(a, name, off, octets, n);
	return agent_finish(a, dl);
}

enum agent_result agent_dump(struct agent *a, const char *name, uint64_t off,
			     size_t n, uint8_t *out, uint64_t dl)
{
	agent_begin_dump(a, name, off, n, out);
	return agent_finish(a, dl);
}

enum agent_result agent_digest(struct agent *a, const char *name, uint64_t off,
			       uint64_t len, uint8_t sha256[32], uint64_t dl)
{
	agent_begin_digest(a, name, off, len, sha256);
	return agent_finish(a, dl);
}

enum agent_result agent_inval(struct agent *a, const char *name, uint64_t dl)
{
	agent_begin_inval(a, name);
	return agent_finish(a, dl);
}

enum agent_result agent_dereg(struct agent *a, const char *name, uint64_t dl)
{
	agent_begin_dereg(a, name);
	return agent_finish(a, dl);
}

enum agent_result agent_listen(struct agent *a, uint16_t port,
			       const struct agent_params *p,
			       struct agent_listener *out, uint64_t dl)
{
	agent_begin_listen(a, port, p, out);
	return agent_finish(a, dl);
}

enum agent_result agent_accept(struct agent *a, const char *listener,
			       uint32_t timeout_ms, struct agent_state *out,
			       uint64_t dl)
{
	agent_begin_accept(a, listener, timeout_ms, out);
	return agent_finish(a, dl);
}

enum agent_result agent_connect(struct agent *a, const char *addr,
				uint16_t port, const struct agent_params *p,
				char conn[AGENT_NAME], uint64_t dl)
{
	agent_begin_connect(a, addr, port, p, conn);
	return agent_finish(a, dl);
}

enum agent_result agent_state(struct agent *a, const char *conn,
			      uint32_t timeout_ms, enum agent_stream until,
			      struct agent_state *out, uint64_t dl)
{
	agent_begin_state(a, conn, timeout_ms, until, out);
	return agent_finish(a, dl);
}

enum agent_result agent_recv(struct agent *a, const struct agent_recv *r,
			     uint64_t dl)
{
	agent_begin_recv(a, r);
	return agent_finish(a, dl);
}

enum agent_result agent_post(struct agent *a, const struct agent_post *p,
			     uint64_t dl)
{
	agent_begin_post(a, p);
	return agent_finish(a, dl);
}

enum agent_result agent_events(struct agent *a, const char *conn,
			       uint32_t timeout_ms, uint32_t min,
			       struct agent_events *out, uint64_t dl)
{
	agent_begin_events(a, conn, timeout_ms, min, out);
	return agent_finish(a, dl);
}

enum agent_result agent_stop(struct agent *a, const char *conn,
			     enum agent_closing h, uint64_t dl)
{
	agent_begin_close(a, conn, h);
	return agent_finish(a, dl);
}

enum agent_result agent_provoke(struct agent *a, const char *conn,
				unsigned layer, unsigned etype, unsigned code,
				uint64_t dl)
{
	agent_begin_provoke(a, conn, layer, etype, code);
	return agent_finish(a, dl);
}
