# SPDX-License-Identifier: BSD-2-Clause
"""
The rows that a description gives, as C that calls the compiled functions: one
program for each C file, which includes that file and so reaches its statics.
What was read of the C, and proved, and what the compiler made of it, are held
against each other there.
"""

import os
import subprocess

HEAD = """\
/* Made by suite/prove from its descriptions. */
#include "%s"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	uint64_t in[8], due;
	const char *mutant;
};
static unsigned rows, wrong;
static int planted, falsified;

static int skipped(const struct row *r)
{
	return !r->mutant != !planted;
}

static void judge(const char *what, const struct row *r, uint64_t is)
{
	rows++;
	if (is == (r->due ^ (uint64_t)falsified))
		return;
	wrong++;
	if (falsified)
		return;
	printf("%%s(", what);
	for (unsigned i = 0; i < 8; i++)
		printf("%%s%%#" PRIx64, i ? ", " : "", r->in[i]);
	printf("): is %%#" PRIx64 ", due %%#" PRIx64 "\\n", is, r->due);
}
"""

DEVICE_HEAD = """
static void plant(const char *mutant)
{
	overrides_clear();
	if (mutant && !mutants_plant(mutant))
		abort();
}
"""
MODEL_HEAD = """
static void plant(const char *mutant)
{
	(void)mutant;
}
"""

FUNCTION = """
static const struct row rows_%(name)s[] = {
%(rows)s
};
static void try_%(name)s(void)
{
	for (size_t i = 0; i < sizeof(rows_%(name)s) / sizeof(*rows_%(name)s); i++) {
		const struct row *r = &rows_%(name)s[i];
		uint64_t is;

		if (skipped(r))
			continue;
		plant(r->mutant);
		is = (uint64_t)%(name)s(%(args)s);
		plant(NULL);
		judge("%(name)s", r, is & UINT64_C(%(mask)#x));
	}
}
"""

TAIL = """
int main(int argc, char **argv)
{
	planted = argc > 1 && strcmp(argv[1], "planted") == 0;
	falsified = argc > 1 && strcmp(argv[1], "falsified") == 0;
%s
	printf("%%u rows, %%u wrong\\n", rows, wrong);
	return wrong != 0;
}
"""


class Table:
    def __init__(self):
        self.rows = {}    # source: {function: {(args, mutant): due}}
        self.shapes = {}  # function: (number of arguments, bits it returns)

    def merge(self, other):
        for source, functions in other.rows.items():
            for function, rows in functions.items():
                for (args, mutant), due in rows.items():
                    self.add(source, function, args, due,
                             other.shapes[function][1], mutant)

    def add(self, source, function, args, due, bits, mutant=None):
        """What is due of a call. One call has one answer."""
        rows = self.rows.setdefault(source, {}).setdefault(function, {})
        key = (tuple(args), mutant)
        if rows.setdefault(key, due) != due:
            raise ValueError("%s%r: due is %#x and %#x" %
                             (function, args, due, rows[key]))
        self.shapes[function] = len(args), bits

    def count(self, mutants):
        return sum(1 for fs in self.rows.values() for rows in fs.values()
                   for _, m in rows if bool(m) == mutants)

    def write(self, folder, source):
        device = source.startswith("harness/refdut/")
        text = HEAD % source
        if device:
            text += '#include "harness/refdut/decision/overrides.h"\n'
        text += DEVICE_HEAD if device else MODEL_HEAD
        functions = self.rows[source]
        for name, rows in sorted(functions.items()):
            n, bits = self.shapes[name]
            text += FUNCTION % {
                "name": name, "mask": (1 << bits) - 1,
                "args": ", ".join("r->in[%d]" % i for i in range(n)),
                "rows": "\n".join(
                    "\t{{%s}, UINT64_C(%#x), %s}," %
                    (", ".join("UINT64_C(%#x)" % a for a in args), due,
                     '"%s"' % mutant if mutant else "NULL")
                    for (args, mutant), due in rows.items())}
        text += TAIL % "".join("\ttry_%s();\n" % f for f in sorted(functions))
        base = os.path.join(folder,
                            source[:-2].replace("/", "_") + "_table")
        with open(base + ".c", "w") as f:
            f.write(text)
        return base, device

    def start(self, folder):
        """Write and compile all, two at once; [(source, program, process)]."""
        os.makedirs(folder, exist_ok=True)
        running = []
        for source in sorted(self.rows):
            base, device = self.write(folder, source)
            running.append((source, base, subprocess.Popen(
                "%s -w -o %s %s.c %s" %
                (os.environ["COMPILE"], base, base,
                 os.environ["LIBREFDUT" if device else "LIBWARPSPEC"]),
                shell=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True)))
            if len(running) > 1:
                running[-2][2].wait()
        return running
