# SPDX-License-Identifier: BSD-2-Clause
"""Files in which all mutants are, and one is chosen when the program starts.

An expression becomes (chosen(17) ? changed : chosen(18) ? ... : (it)), a
statement a chain of if. Only the unchanged branch has further places inside:
one mutant is chosen at most. Lines stay where they are."""
import collections

HEADER = '''/* Made by suite/checks/unthought: which mutant this process is. */
#ifndef UNTHOUGHT_H
#define UNTHOUGHT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
extern unsigned unthought_selected;
extern unsigned char *unthought_notes; /* NULL: nothing is noted */
#define UNTHOUGHT_REACHED 1u
#define UNTHOUGHT_DIFFERS 2u
#define UNTHOUGHT(id) \\
	((unthought_notes \\
		? (void)(unthought_notes[id] |= \\
				UNTHOUGHT_REACHED | UNTHOUGHT_DIFFERS) \\
		: (void)0), \\
	 unthought_selected == (id))
#define UNTHOUGHT_IF(id, differs) \\
	((unthought_notes \\
		? (void)(unthought_notes[id] |= UNTHOUGHT_REACHED | \\
				((differs) ? UNTHOUGHT_DIFFERS : 0u)) \\
		: (void)0), \\
	 unthought_selected == (id))
#endif
'''

SUPPORT = '''/* Made by suite/checks/unthought. */
#include "unthought.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned unthought_selected;
unsigned char *unthought_notes;

/* UNTHOUGHT: the number of the mutant; 0 or nothing: none. UNTHOUGHT_NOTES: a
 * file with an octet for each of them. */
__attribute__((constructor)) static void choose(void)
{
	const char *number = getenv("UNTHOUGHT");
	const char *notes = getenv("UNTHOUGHT_NOTES");
	int fd = notes ? open(notes, O_RDWR | O_CLOEXEC) : -1;

	unthought_selected = number ? (unsigned)strtoul(number, NULL, 10) : 0;
	if (fd < 0)
		return;
	unthought_notes = mmap(NULL, %d, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
	if (unthought_notes == MAP_FAILED)
		unthought_notes = NULL;
	close(fd);
}
'''


def one_line(text):
    return " ".join(text.split("\n"))


def chosen(m):
    if m.differs:
        return f"UNTHOUGHT_IF({m.number}, {one_line(m.differs)})"
    return f"UNTHOUGHT({m.number})"


def written(file, mutants):
    """The text of the file with all these mutants in it."""
    sites = collections.defaultdict(list)  # (begin, end): [(mutant, text)]
    for m in mutants:
        for begin, end, text in m.edits:
            sites[begin, end].append((m, one_line(text)))
    order = sorted(sites, key=lambda s: (s[0], -s[1]))
    for outer, inner in zip(order, order[1:]):
        assert inner[0] >= outer[1] or inner[1] <= outer[1], \
            (file.path, file.text[slice(*outer)], file.text[slice(*inner)])
    place = 0

    def until(begin, end):
        """From here to there, with the sites that are next in order."""
        nonlocal place
        out, at = [], begin
        while place < len(order) and order[place][0] < end:
            site = order[place]
            place += 1
            out += [file.text[at:site[0]], at_site(site, until(*site))]
            at = site[1]
        return "".join(out) + file.text[at:end]

    def at_site(site, inner):
        some = sites[site]
        if some[0][0].statement:
            chain = "".join(f"if ({chosen(m)}) {{ {text} }} else "
                            for m, text in some)
            return f"{{ {chain}{{ {inner} }} }}"
        chain = "".join(f"{chosen(m)} ? ({text}) : " for m, text in some)
        whole = f"!!({inner})" if any(m.boolean for m, _ in some) \
            else f"({inner})"
        return f"({chain}{whole})"

    head = f'#include "unthought.h"\n#line 1 "{file.path}"\n'
    return head + until(0, len(file.text))

