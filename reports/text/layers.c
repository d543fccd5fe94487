/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/layers.h"

#include <string.h>

static struct layer *layer_of(struct layer *layers, size_t *n, const char *id)
{
	size_t length = strcspn(id, "/");

	for (size_t i = 0; i < *n; i++)
		if (strlen(layers[i].name) == length &&
		    memcmp(layers[i].name, id, length) == 0)
			return &layers[i];
	if (*n == LAYERS_MOST || length >= sizeof(layers->name))
		return NULL;
	layers[*n] = (struct layer){.name = ""};
	memcpy(layers[*n].name, id, length);
	return &layers[(*n)++];
}

size_t layers_of(const struct run_result *run, struct layer layers[LAYERS_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++) {
		struct layer *l = layer_of(layers, &n, run->results[i].id);

		if (l)
			l->n[run->results[i].verdict]++;
	}
	return n;
}
