# SPDX-License-Identifier: BSD-2-Clause
"""
The decisions of the reference device (harness/refdut/decision): which file
states the rule of each, and which functions override it. A call of a decision
is a call of the topmost one: a planted fault, then the choices that may be
made, then the rule. x_otherwise() in an override calls the next one below it.
"""

import glob
import os
import re

DEVICE = "harness/refdut/"
STATED = re.compile(
    r"^(RULE|MUTANT|COINCIDENCE|VARIANT|ALSO)\(([^{}]*?)\)\n\{", re.M)


class Override:
    def __init__(self, name, function, source, choice):
        self.name, self.function = name, function
        self.source, self.choice = source, choice


class Decisions:
    def __init__(self):
        self.rules = {}      # decision: source
        self.overrides = {}  # decision: [Override]
        self.names = set()   # of all faults and choices
        self.asked = set()   # decisions that a chain was wanted of
        self.sources = sorted(
            path for path in glob.glob(DEVICE + "**/*.c", recursive=True)
            if not re.search(r"_(test|prove|bench|fuzz|tool)\.c$", path))
        self.texts = {}
        for path in self.sources:
            with open(path, encoding="utf-8") as f:
                self.texts[path] = f.read()
            for kind, inside in STATED.findall(self.texts[path]):
                self.state(path, kind, inside)

    def state(self, path, kind, inside):
        words = re.findall(r"\w+", re.sub(r'"(?:[^"\\]|\\.)*"', "", inside))
        decision = words[-1]
        if kind == "RULE":
            self.rules[decision] = path
            return
        name = words[1 if kind == "VARIANT" else 0]
        function = name + "_answers"
        if kind == "ALSO":
            function = "%s_%s_answers" % (name, decision)
        choice = os.sep + "choices" + os.sep in path
        self.names.add(name)
        self.overrides.setdefault(decision, []).append(
            Override(name, function, path, choice))

    def chain(self, decision, planted, choices):
        """The overrides from the top down, with the named choices; the rule
        follows the last."""
        self.asked.add(decision)
        of = self.overrides.get(decision, [])
        return [o for o in of if not o.choice and o.name == planted] + \
            [o for o in of if o.choice and o.name in (choices or ())]

    def choices_asked(self):
        """The choices about the decisions that were called."""
        return {o.name for decision in self.asked
                for o in self.overrides.get(decision, []) if o.choice}

    def home_of(self, function):
        """The file that defines a function of the device, or None."""
        defined = re.compile(r"^(?!return\b)\w[\w \t]*[ \t*\n]\**%s\([^;{}]*\)\n\{" %
                             re.escape(function), re.M)
        for path in self.sources:
            if defined.search(self.texts[path]):
                return path
        return None
