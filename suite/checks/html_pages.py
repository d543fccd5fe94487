#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""html_pages.py DIR RUN.json - checks the pages of a run without a browser: links
have targets, ids are unique, nothing is fetched from the network, every case
and requirement has its page, and every case with evidence has its ladder. One line each: "ok NAME" or "not ok NAME"."""
import html
import json
import os
import re
import sys
from urllib.parse import unquote

folder, report = sys.argv[1:]
with open(report, encoding="utf-8") as f:
    run = json.load(f)


def tell(name, wrong):
    print(f"{'not ok' if wrong else 'ok'} {folder}: {name}")
    for line in wrong[:5]:
        print(f"  {line[:300]}")


pages = {}
for path, _, names in os.walk(folder):
    for name in names:
        if not name.endswith(".html"):
            continue
        with open(os.path.join(path, name), encoding="utf-8") as f:
            pages[os.path.join(path, name)] = f.read()

TAG = re.compile(r"<[a-z][^<>]*>")
HREF = re.compile(r'\shref="?([^"\s>]*)')
ID = re.compile(r'\sid="?([^"\s>]*)')
ids, twice = {}, []
for page, text in pages.items():
    found = [i for tag in TAG.findall(text) for i in ID.findall(tag)]
    ids[page] = set(found)
    if len(found) != len(ids[page]):
        twice.append(page)
tell("no id is there twice in a page", twice)

dead = []
for page, text in pages.items():
    for link in {html.unescape(h) for h in HREF.findall(text)}:
        target, _, anchor = link.partition("#")
        target = (os.path.normpath(os.path.join(os.path.dirname(page),
                                                unquote(target)))
                  if target else page)
        # The text of a section: the reader follows it, the page does not load
        # it.
        if re.fullmatch(r"https://www\.rfc-editor\.org/rfc/rfc\d+#"
                        r"(section|appendix)-[0-9A-Z.]+", link):
            continue
        if re.match(r"[a-z]+:|//", link):
            dead.append(f"{page}: {link}: leads out")
        elif target in pages:
            if anchor and unquote(anchor) not in ids[target]:
                dead.append(f"{page}: {link}: no such place in it")
        elif not os.path.exists(target):
            dead.append(f"{page}: {link}: nothing there")
        # Zipped pages have their captures.
        elif target.endswith(".pcapng") and not target.startswith(folder + os.sep):
            dead.append(f"{page}: {link}: is not among the pages")
tell("every link leads somewhere", dead)

FETCHES = re.compile(r"<(script|link|img|iframe|object|embed|video|audio|base|"
                     r"form|source)\b[^<>]*(src|href|data|action)=|"
                     r"url\(|@import|\son[a-z]+=[\"']?\w", re.I)
tell("nothing is fetched, and no attribute is a script",
     [f"{page}: {m[0]}" for page, text in pages.items()
      if (m := FETCHES.search(re.sub(r"&[a-z#0-9]+;|<script>.*?</script>", "",
                                     " ".join(TAG.findall(text)))))])
tell("each page says what it may do",
     [page for page, text in pages.items()
      if "default-src 'none'" not in text[:400]])

cases = [c for c in os.listdir(f"{folder}/cases")]
tell("each case has a page", [] if len(cases) == len(run["cases"])
     else [f"{len(cases)} pages of {len(run['cases'])} cases"])
wrong = []
for c in run["cases"]:
    page = f"{folder}/cases/{c['id'].replace('/', '.')}.html"
    text = pages.get(page, "")
    events = len(c.get("evidence", {}).get("events", []))
    if text.count("<svg ") != (events > 0):
        wrong.append(f"{c['id']}: {events} events, and "
                     f"{text.count('<svg ')} ladders")
    if len(re.findall(r"<(?:section|p) id=e\d", text)) != events:
        wrong.append(f"{c['id']}: not all of {events} events are told")
    marks = [m for e in c.get("evidence", {}).get("events", [])
             for m in e.get("marks", []) if m["from"] < len(e["octets"]) // 2]
    if marks and "<mark>" not in text:
        wrong.append(f"{c['id']}: octets are objected to, and not marked")
    for q in c["requirements"]:
        if f"{folder}/requirements/{q}.html" not in pages:
            wrong.append(f"{c['id']}: no page of {q}")
tell("each case that left evidence has its ladder and its events", wrong)
