/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal/identity.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "harness/text/json_memory.h"

#define FORMAT        1
#define SELECTORS_MAX (16u << 10) /* octets kept of them */

struct identity {
	json_t *run;    /* has to be the same: strings */
	json_t *chosen; /* may differ */
	bool agent;     /* was asked */
};

__attribute__((format(printf, 3, 4))) static void set(json_t *o,
						      const char *key,
						      const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	/* A name that is not UTF-8 is an empty one. */
	json_t *value = text ? json_string(text) : NULL;

	json_object_set_new(o, key, value ? value : json_string(""));
	free(text);
}

/* The digest of the running program: another build may judge differently. */
static void set_build(json_t *o)
{
	FILE *f = fopen("/proc/self/exe", "re");
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char digest[EVP_MAX_MD_SIZE] = {0}, part[16384];
	unsigned octets = 0;
	bool ok = f && c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;
	char text[17] = "unknown";
	size_t n;

	while (ok && (n = fread(part, 1, sizeof(part), f)) > 0)
		ok = EVP_DigestUpdate(c, part, n) == 1;
	if (ok && !ferror(f) && EVP_DigestFinal_ex(c, digest, &octets) == 1)
		for (unsigned i = 0; i < 8; i++)
			snprintf(text + 2 * i, 3, "%02x", digest[i]);
	EVP_MD_CTX_free(c);
	if (f)
		fclose(f);
	set(o, "build", "%s", text);
}

static const char *text_of(const char *s)
{
	return s ? s : "";
}

static void set_chosen(json_t *o, const struct run_options *r)
{
	char selectors[SELECTORS_MAX] = "";
	size_t at = 0;

	for (size_t i = 0; i < r->selector_count; i++) {
		size_t n = strlen(r->selectors[i]);

		if (at + n + 8 > sizeof(selectors)) {
			at += (size_t)sprintf(selectors + at, " ...");
			break;
		}
		at += (size_t)sprintf(selectors + at, "%s%s", at ? " " : "",
				      r->selectors[i]);
	}
	set(o, "selectors", "%s", selectors);
	if (r->shards)
		set(o, "shard", "%u/%u", r->shard, r->shards);
	else
		set(o, "shard", "%s", "");
	set(o, "rerun", "%s", text_of(r->rerun_path));
	set(o, "seed", "%llu", (unsigned long long)r->seed);
	set(o, "destructive", "%s", r->destructive ? "yes" : "no");
}

static void set_segmentation(json_t *o, const struct segmentation *s)
{
	static const char *const names[] = {
		[SEGMENT_WHOLE] = "whole",
		[SEGMENT_OCTETS] = "octets",
		[SEGMENT_RANDOM] = "random",
		[SEGMENT_REORDERED] = "reordered",
		[SEGMENT_DUPLICATED] = "duplicated",
	};

	if (s->kind == SEGMENT_RANDOM)
		set(o, "segmentation", "random:%llu",
		    (unsigned long long)s->seed);
	else
		set(o, "segmentation", "%s", names[s->kind]);
}

struct identity *identity_of(const struct run_options *o, const char *link)
{
	static const char *const peers[] = {
		[PEER_JUDGED] = "yes", [PEER_JUDGED_STRICTLY] = "strict"};
	struct identity *id = calloc(1, sizeof(*id));
	const struct device *d = o->device;

	if (!id)
		return NULL;
	id->run = json_object();
	id->chosen = json_object();
	set(id->run, "suite", "warpspec %s", WARPSPEC_VERSION);
	set_build(id->run);
	set(id->run, "device", "%s", d->name);
	/* The buffer is too small for all of them. */
	set(id->run, "refdut", "%s", o->builtin ? text_of(o->builtin->as) : "");
	set(id->run, "control", "%s",
	    o->builtin ? text_of(o->builtin->control) : "");
	set(id->run, "without", "%s",
	    o->builtin ? text_of(o->builtin->without) : "");
	set(id->run, "link", "%s", link);
	set(id->run, "spec", "%s", o->spec);
	set_segmentation(id->run, &o->segmentation);
	if (o->second)
		set(id->run, "second-connection", "%s", "yes");
	set(id->run, "judge-peer", "%s",
	    (size_t)o->peer < sizeof(peers) / sizeof(peers[0]) && peers[o->peer]
		    ? peers[o->peer]
		    : "no");
	set(id->run, "request", "%s%s%s%s",
	    !d->request.known     ? ""
	    : d->request.rtr      ? "peer-to-peer"
	    : d->request.enhanced ? "enhanced"
				  : "plain",
	    d->request.rtr & AGENT_RTR_SEND ? " send" : "",
	    d->request.rtr & AGENT_RTR_WRITE ? " write" : "",
	    d->request.rtr & AGENT_RTR_READ ? " read" : "");
	set_chosen(id->chosen, o);
	return id;
}

static void set_claims(json_t *o, uint64_t claims)
{
	char text[1024];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (claims >> i & 1)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%s%s",
				at ? "," : "",
				agent_feature_name((enum agent_feature)i));
	set(o, "features", "%s", text);
}

void identity_add_agent(struct identity *id, const struct testbed *bed)
{
	const struct agent_hello *h = &bed->hello;

	id->agent = true;
	set(id->run, "agent", "%s", h->agent);
	set(id->run, "impl", "%s", h->impl);
	set(id->run, "family", "%s", strchr(h->addr, ':') ? "6" : "4");
	set_claims(id->run, bed->claims);
	set(id->run, "hello",
	    "claims=%s untold=%u byte-order=%s max-ird=%u max-ord=%u "
	    "max-private=%u max-regions=%u max-recvs=%u max-posts=%u "
	    "max-region-len=%llu max-message=%llu crc=%u "
	    "startup-timeout-ms=%u",
	    h->claims, h->untold, h->big_endian ? "big" : "little", h->max_ird,
	    h->max_ord, h->max_private, h->max_regions, h->max_recvs,
	    h->max_posts, (unsigned long long)h->max_region_len,
	    (unsigned long long)h->max_message, (unsigned)h->crc,
	    h->startup_timeout_ms);
}

void identity_add(struct identity *id, const char *key, const char *value)
{
	set(id->run, key, "%s", value);
}

void identity_free(struct identity *id)
{
	if (!id)
		return;
	json_decref(id->run);
	json_decref(id->chosen);
	free(id);
}

char *identity_line(const struct identity *id)
{
	json_t *o = json_pack("{s:i, s:O, s:O}", "journal", FORMAT, "run",
			      id->run, "chosen", id->chosen);
	char *line = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(o);
	return line;
}

/* NULL: it is not there. */
static const char *told(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static bool compare(const struct identity *id, json_t *run, char *why,
		    size_t cap)
{
	const char *key;
	json_t *value;
	char others[256] = "";
	size_t at = 0;
	bool same = true;

	json_object_foreach(id->run, key, value)
	{
		const char *mine = json_string_value(value);
		const char *its = told(run, key);

		if (its && strcmp(mine, its) == 0)
			continue;
		if (same)
			snprintf(why, cap,
				 "of another run: %s: expected \"%.220s\", "
				 "found \"%.220s\"",
				 key, mine, its ? its : "");
		else if (at + strlen(key) + 3 < sizeof(others))
			at += (size_t)sprintf(others + at, "%s%s",
					      at ? ", " : "", key);
		same = false;
	}
	if (same && id->agent &&
	    json_object_size(run) != json_object_size(id->run)) {
		snprintf(why, cap,
			 "of another run: it records more about its run than "
			 "is known of this one");
		return false;
	}
	size_t n = same ? 0 : strlen(why);

	if (at)
		snprintf(why + n, cap - n, "; also: %s", others);
	return same;
}

bool identity_is(const struct identity *id, const char *line, size_t n,
		 char *otherwise, size_t otherwise_cap, char *why, size_t cap)
{
	json_t *o = json_memory_load(line, n, JSON_REJECT_DUPLICATES, NULL);
	bool is_short = !o && errno == ENOMEM;
	json_int_t format = json_integer_value(json_object_get(o, "journal"));
	json_t *chosen = json_object_get(o, "chosen");
	const char *key;
	json_t *value;
	bool same = false;

	*otherwise = '\0';
	if (is_short)
		snprintf(why, cap, "out of memory");
	else if (format != FORMAT)
		snprintf(why, cap,
			 "no journal, or one of another warpspec: form %lld, "
			 "and not %d",
			 (long long)format, FORMAT);
	else
		same = compare(id, json_object_get(o, "run"), why, cap);
	json_object_foreach(id->chosen, key, value)
	{
		const char *its = told(chosen, key);
		size_t at = strlen(otherwise);

		if (same && strcmp(json_string_value(value), its ? its : ""))
			snprintf(otherwise + at, otherwise_cap - at,
				 "%s%s \"%.100s\"", at ? ", " : "", key,
				 its ? its : "");
	}
	json_decref(o);
	return same;
}
