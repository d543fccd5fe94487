# SPDX-License-Identifier: BSD-2-Clause
"""The commands that `make faults` runs, and how their results are judged."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree

SOME = ["mpa/crc/wrong_*", "mpa/rtr_sent", "rdmap/header"]


class Command:
    """A command with one output; it is complete, or not there."""

    stdout = True
    ends = (2, 3, 4)  # the statuses after a fault

    def __init__(self, name, words, outputs=(), due=0):
        self.name, self.words, self.outputs, self.due = name, words, outputs, due
        self.whole = {}

    def learn(self, outcome):
        """The result without a fault."""
        self.whole = self.read(outcome)

    def read(self, outcome):
        files = {}
        for folder, _, names in os.walk(outcome.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    files[os.path.relpath(path, outcome.folder)] = f.read()
        if self.stdout:
            files["standard output"] = outcome.out
        return files

    def left(self, outcome):
        """Files that are there, and are none of the command's."""
        return [name for name in os.listdir(outcome.folder) if name not in self.outputs]

    def is_whole(self, outcome):
        """None, or why an output of the due status is not what it should be."""
        files = self.read(outcome)
        for name in sorted(set(files) | set(self.whole)):
            if files.get(name) != self.whole.get(name):
                return f"{name} differs, or is not there"
        return None

    def reasons(self, _):
        """Why something in the output was not judged."""
        return ""

    def is_honest(self, outcome, _):
        """None, or why an output that came with an error misleads."""
        for name in self.outputs:
            if os.path.lexists(os.path.join(outcome.folder, name)):
                return f"{name} is there"
        return None


class Bundle(Command):
    """A signature differs each time: what `report verify` says is compared.
    The run is not complete, so that the bundle is forced, and status 1 due."""

    def __init__(self, name, words, output, verify):
        super().__init__(name, words, [output], due=1)
        self.verify = verify

    def read(self, outcome):
        said = subprocess.run(self.verify + [self.outputs[0]], cwd=outcome.folder,
                              capture_output=True, check=False)
        return {"the bundle": said.stdout + said.stderr}


class Audit(Command):
    """Its report says how long it took. A capture that breaks off is judged as far as
    it goes."""
    ends = Command.ends + (5,)

    def read(self, outcome):
        return {name: re.sub(rb" in [0-9.]+ s\b", b"", octets)
                for name, octets in super().read(outcome).items()}

    def is_whole(self, outcome):
        """With a fault elsewhere the status stays 1. Then one line says what was not
        judged, and nothing is found but what is there."""
        wrong = super().is_whole(outcome)
        if not wrong or len(outcome.err.strip().splitlines()) != 1:
            return wrong
        whole = self.whole["standard output"].splitlines()
        found = [line for line in self.read(outcome)["standard output"].splitlines()
                 if re.match(rb"FAIL|WARN|  (due|seen): ", line)]
        return None if found and all(line in whole for line in found) else wrong


class Exploration(Command):
    """Its programs take their time; it finds nothing, or says that it failed."""

    def left(self, outcome):
        # The program during which something failed is kept, and named.
        return [name for name in super().left(outcome)
                if not (name.endswith(".program") and name in outcome.err)]

    def is_whole(self, outcome):
        for name in self.outputs:
            if not os.path.exists(os.path.join(outcome.folder, name)):
                return f"{name} is not there"
        return self.is_honest(outcome, False)

    def is_honest(self, outcome, device):
        path = os.path.join(outcome.folder, "made")
        if os.path.exists(path) and not device:
            with open(path, encoding="utf-8") as f:
                report = json.load(f)
            if report["totals"]["fail"] or report["exit_status"] != outcome.status:
                return f"its report has status {report['exit_status']}, {report['totals']}"
        return None


class Run(Command):
    """A run: its verdicts are those without the fault, or ERROR."""

    stdout = False

    def __init__(self, name, program, words, cases=(), due=0):
        super().__init__(name, [program, "run", "--quiet", "--report", "json=r.json",
                                "--report", "junit=r.xml", "--report", "text=r.txt",
                                "--journal", "j"] + words + list(cases),
                         ["r.json", "r.xml", "r.txt", "j"], due)
        self.cases = list(cases)
        self.verdicts = {}

    def learn(self, outcome):
        self.verdicts = self.report(outcome)

    @staticmethod
    def report(outcome):
        with open(os.path.join(outcome.folder, "r.json"), encoding="utf-8") as f:
            return {c["id"]: c["verdict"] for c in json.load(f)["cases"]}

    def differs(self, outcome, also):
        got = self.report(outcome)
        if also and not got and outcome.status == 4:
            return None  # it has no case, but a note, and the number planned
        if set(self.verdicts) - set(got):
            return f"r.json has {len(got)} cases, not {len(self.verdicts)}"
        for case, verdict in sorted(self.verdicts.items()):
            if got[case] != verdict and got[case] not in also and "any" not in also:
                return f"{case}: {got[case]}, not {verdict}"
        return None

    def rest(self, outcome):
        """The other reports hold as much as the JSON."""
        n = len(self.verdicts)
        if outcome.status == 4 and os.path.exists(os.path.join(outcome.folder, "r.json")) and \
                not self.report(outcome):
            return None
        path = os.path.join(outcome.folder, "r.xml")
        if os.path.exists(path):
            tree = xml.etree.ElementTree.parse(path).getroot()
            ids = {c.get("classname", "") + c.get("name", "") for c in tree.iter("testcase")}
            if len(ids) < n:
                return f"r.xml has {len(ids)} cases, not {n}"
        path = os.path.join(outcome.folder, "r.txt")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                if not re.search(r"^\d+ passed, ", f.read(), re.M):
                    return "r.txt has no end"
        return None

    def is_whole(self, outcome):
        for name in self.outputs:
            if not os.path.exists(os.path.join(outcome.folder, name)):
                return f"{name} is not there"
        with open(os.path.join(outcome.folder, "j"), "rb") as f:
            lines = f.read().split(b"\n")
        if len(lines) != len(self.verdicts) + 2 or lines[-1]:
            return f"the journal has {len(lines) - 1} lines"
        return self.differs(outcome, ()) or self.rest(outcome)

    def is_honest(self, outcome, device):
        if os.path.exists(os.path.join(outcome.folder, "r.json")):
            wrong = self.differs(outcome, ("any",) if device else ("error", "blocked"))
            if wrong:
                return wrong
        return self.rest(outcome)

    def reasons(self, outcome):
        path = os.path.join(outcome.folder, "r.json")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as f:
            return "\n".join(c["reason"] or "" for c in json.load(f)["cases"])


def prepare(warpspec, folder):
    """What the commands read."""
    def run(*words, status=(0,)):
        said = subprocess.run([warpspec] + list(words), cwd=folder, capture_output=True,
                              text=True)
        if said.returncode not in status:
            raise SystemExit(f"faults: warpspec {' '.join(words)}: {said.stderr}")
        return said.stdout

    run("run", "--quiet", "--refdut", "--report", "json=good.json", "--captures", "caps", *SOME)
    run("run", "--quiet", "--refdut", "--link", "sctp", "--report", "json=chunks.json",
        "--captures", "chunks", "sctp/ordering")
    run("run", "--quiet", "--refdut=ignore_bad_crc", "--evidence", "all", "--report",
        "json=bad.json", *SOME, status=(1,))
    for k in ("1", "2"):
        run("run", "--quiet", "--refdut", "--shard", k + "/2", "--report",
            f"json=shard{k}.json", *SOME)
    with open(os.path.join(folder, "s.ini"), "w", encoding="utf-8") as f:
        f.write(run("ics", "--refdut"))
    with open(os.path.join(folder, "wrong.ini"), "w", encoding="utf-8") as f:
        f.write(run("ics", "--refdut").replace("\nmarkers-rx = yes\n", "\nmarkers-rx = no\n"))
    run("run", "--quiet", "--refdut", "--ics", "s.ini", "--report", "json=held.json", "mpa/crc")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for words in (
            ["req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
             "-subj", "/CN=an authority"],
            ["req", *key, "-keyout", "key.pem", "-out", "lab.csr", "-subj", "/CN=a laboratory"],
            ["x509", "-req", "-in", "lab.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
             "-CAcreateserial", "-days", "10", "-out", "cert.pem"]):
        subprocess.run(["openssl"] + words, cwd=folder, capture_output=True, check=True)
    run("report", "bundle", "--force", "held.json", "--ics", "s.ini", "--key", "key.pem", "--cert",
        "cert.pem", "-o", "sound.tar", status=(1,))
    return sorted(os.path.join(root, name)
                  for root, _, names in os.walk(os.path.join(folder, "caps")) for name in names)


def commands(warpspec, given, captures):
    """All of them, by name."""
    def at(name):
        return os.path.join(given, name)

    verify = [warpspec, "report", "verify", "--ca", at("ca.pem")]
    listed = [
        Run("run", warpspec, ["--refdut", "--jobs", "2"], SOME),
        Run("sctp", warpspec, ["--refdut", "--jobs", "2", "--link", "sctp"],
            ["rdmap/header", "sctp/session/*"]),
        Run("raw", warpspec, ["--refdut", "--jobs", "2", "--link", "raw"],
            ["mpa/crc/wrong_*", "rdmap/header"]),
        Run("statement", warpspec, ["--refdut", "--jobs", "1", "--ics", at("wrong.ini")],
            ["mpa/crc/crc_is_supported"], due=1),
        Command("merge", [warpspec, "report", "merge", at("shard1.json"), at("shard2.json"),
                          "-o", "made"], ["made"]),
        *[Command("diff-" + kind, [warpspec, "report", "diff", "--format", kind,
                                   at("good.json"), at("bad.json")], due=1)
          for kind in ("text", "markdown", "html")],
        Command("matrix", [warpspec, "report", "matrix", "--format", "html", "-o", "made",
                           at("good.json"), at("bad.json")], ["made"]),
        Command("html", [warpspec, "report", "html", at("bad.json"), "-o", "made"], ["made"]),
        *[Command(kind, [warpspec, "report", kind, at("bad.json")])
          for kind in ("text", "summary", "junit", "tap", "sarif", "github", "json")],
        Bundle("bundle", [warpspec, "report", "bundle", "--force", at("held.json"), "--ics", at("s.ini"),
                          "--key", at("key.pem"), "--cert", at("cert.pem"), "-o", "made"],
               "made", verify),
        Command("verify", verify + [at("sound.tar")], due=1),
        Audit("audit", [warpspec, "audit", "--report", "text"] + captures[:3],
                due=None),
        Audit("audit-sctp", [warpspec, "audit", "--report", "text"] +
              [os.path.join(at("chunks"), name)
               for name in sorted(os.listdir(at("chunks")))[:3]], due=None),
        Command("list", [warpspec, "list", "--json", "mpa/crc"]),
        Command("ics", [warpspec, "ics", "--refdut"]),
        Exploration("explore", [warpspec, "explore", "--quiet", "--refdut", "--seed", "1", "--ops",
                            "300", "--steps", "100", "--jobs", "1", "--journal", "j",
                            "--report", "json=made"], ["made", "j"]),
    ]
    if os.geteuid() != 0:
        listed = [c for c in listed if c.name != "raw"]
    return {c.name: c for c in listed}
