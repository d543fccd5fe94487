/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a device file: one table has their names, the form of their
 * values, their purpose, and where the values are stored. */
#ifndef SUITE_DEVICE_KEYS_H
#define SUITE_DEVICE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/device/device.h"

struct device_key {
	const char *section, *name;
	const char *value; /* the form of a valid value */
	const char *text;  /* its purpose, one line */
};

/* In the order of a device file, section by section; false: no more. */
bool device_key_at(size_t i, struct device_key *key);

/* Its name in reports: "maker". */
const char *device_identity_name(enum device_identity i);

/*
 * Read a key of the device file at `path`. False: one line in why, with the key
 * and what was expected.
 */
bool device_key_set(struct device *d, const char *path, const char *section,
		    const char *key, const char *value, char *why, size_t cap);

/* "ADDRESS:PORT" or "[v6]:PORT" into agent and agent_port. */
bool device_set_agent(struct device *d, const char *text);

/* A path as written in the file at `path`: relative to that file. */
bool device_path_beside(const char *path, const char *value, char *to,
			size_t cap);

#endif
