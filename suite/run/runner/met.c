/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/runner/met.h"

/* The values of one dimension; those beyond the device's limits only if they
 * occurred. */
static size_t values_of(const struct dimensions_met *met, enum dimension d,
			uint64_t low, uint64_t high, struct result_values *out)
{
	size_t n = 0;

	for (size_t c = 0; c < dimension_classes(d); c++) {
		struct dimension_class k = dimension_class(d, c);
		bool was = dimension_class_met(met, d, c) != 0;

		if (!was && (k.empty || k.low > high || k.high < low))
			continue;
		if (k.low < low && k.high >= low)
			k.low = low;
		if (k.high > high && k.low <= high)
			k.high = high;
		out[n++] = (struct result_values){k.low, k.high, was};
	}
	return n;
}

void met_tell(const struct dimensions_met *met,
	      const struct dimension_limits *limits, struct run_result *out)
{
	static struct result_dimension told[DIMENSION_COUNT];
	static struct result_values values[DIMENSION_SLOTS];
	size_t n = 0;

	for (unsigned i = 0; i < DIMENSION_COUNT; i++) {
		enum dimension d = (enum dimension)i;
		const struct dimension_info *info = dimension_info(d);

		told[i] = (struct result_dimension){
			.name = info->name,
			.unit = info->unit,
			.what = info->what,
			.low = info->low,
			.high = dimension_high(d, limits),
			.device_chooses = info->families & DIMENSION_DEVICE,
			.values = values + n,
		};
		told[i].count = values_of(met, d, told[i].low, told[i].high,
					  values + n);
		n += told[i].count;
	}
	out->dimensions = told;
	out->dimension_count = DIMENSION_COUNT;
}
