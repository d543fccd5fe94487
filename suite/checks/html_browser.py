#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""html_browser.py CHROMIUM CHROMEDRIVER DIR AXE - checks pages of runs, in
DIR/run, DIR/part, DIR/hostile and DIR/wall, with DIR/run.json, in a browser. One line each: "ok
NAME" or "not ok NAME"."""
import base64
import json
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

chromium, chromedriver, folder, axe = sys.argv[1:]
with open(f"{folder}/run.json", encoding="utf-8") as f:
    run = json.load(f)


def tell(name, wrong):
    print(f"{'not ok' if wrong else 'ok'} {name}", flush=True)
    for line in wrong[:8]:
        print(f"  {str(line)[:300]}")


options = webdriver.ChromeOptions()
options.binary_location = chromium
for argument in ("headless=new", "disable-gpu", "window-size=1200,900",
                 "disable-dev-shm-usage", f"user-data-dir={folder}/profile"):
    options.add_argument(f"--{argument}")
if os.geteuid() == 0:  # the sandbox does not work for root
    options.add_argument("--no-sandbox")
options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
browser = webdriver.Chrome(service=Service(chromedriver), options=options)
cdp, script = browser.execute_cdp_cmd, browser.execute_script
cdp("Network.enable", {})

failing = next(c for c in run["cases"] if c["verdict"] == "fail")
choice = next(c for c in run["cases"] if c["verdict"] == "info")
name = lambda c: c["id"].replace("/", ".")
PAGES = {
    "all of it": "run/index.html",
    "overview": "part/index.html",
    "requirements": "run/requirements.html",
    "failing": f"run/cases/{name(failing)}.html",
    "choice": f"run/cases/{name(choice)}.html",
    "requirement": f"run/requirements/{failing['requirements'][0]}.html",
    "hostile": "hostile/index.html",
    "hostile case": f"hostile/cases/{name(failing)}.html",
}


def go(page):
    browser.get(f"file://{folder}/{PAGES[page]}")


def media(scheme=None, kind=""):
    cdp("Emulation.setEmulatedMedia", {
        "media": kind,
        "features": [{"name": "prefers-color-scheme", "value": scheme or ""}]})


# --- contrast, as the browser computes it (WCAG 2.1 s1.4.3) ---------------
CONTRAST = r"""
const parse = c => { const m = c.match(/[\d.]+/g).map(Number);
    return m.length < 4 ? [...m, 1] : m };
const part = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = c => .2126 * part(c[0]) + .7152 * part(c[1]) + .0722 * part(c[2]);
const ground = e => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] === 1) return c; if (c[3] > 0) return null }
    return null };
const bad = [], seen = new Set();
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let n = 0;
for (let t; (t = walk.nextNode());) {
    const e = t.parentElement;
    if (!t.textContent.trim() || e.closest("script,style,title,desc,[hidden]")) continue;
    const s = getComputedStyle(e), drawn = e.closest("svg");
    const ink = parse(drawn ? s.fill : s.color), g = ground(e);
    const size = parseFloat(s.fontSize), bold = s.fontWeight >= 700;
    const key = [ink, g, size, bold].join();
    n++;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!g) { bad.push("no ground: " + e.outerHTML.slice(0, 80)); continue }
    const [a, b] = [light(ink), light(g)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5))
        bad.push(ratio.toFixed(2) + ": " + e.outerHTML.slice(0, 100));
}
return n ? bad : ["no text was found"];
"""

# Words of narrow cells that are broken, and columns a letter wide.
BROKEN = r"""
const bad = [];
for (const c of document.querySelectorAll("th, td")) {
    if (c.closest("details:not([open])") || !c.getClientRects().length) continue;
    const walk = document.createTreeWalker(c, NodeFilter.SHOW_TEXT);
    for (let t; (t = walk.nextNode());) {
        if (t.parentElement.closest("pre, .hex, td code") && !t.parentElement.closest("a"))
            continue;
        for (const m of t.data.matchAll(/[\w.]+/g)) {
            const r = document.createRange();
            r.setStart(t, m.index);
            r.setEnd(t, m.index + m[0].length);
            if (m[0].length < 30 && r.getClientRects().length > 1)
                bad.push(m[0] + " in " + c.textContent.slice(0, 60));
        }
    }
}
return bad;
"""

# --- what a screen reader reads --------------------------------------------


def value(node, key):
    return (node.get(key) or {}).get("value")


def heard(page):
    """Flaws in the tree that assistive technology reads."""
    nodes = [n for n in cdp("Accessibility.getFullAXTree", {})["nodes"]
             if not n.get("ignored")]
    roles, wrong, last = {}, [], 0
    for n in nodes:
        role = value(n, "role")
        roles.setdefault(role, []).append(n)
        said = (value(n, "name") or "").strip()
        if role in ("link", "button", "checkbox", "searchbox", "textbox", "image",
                    "img", "region", "navigation", "graphics-document") and not said:
            wrong.append(f"a {role} without a name")
        if role == "heading":
            level = next(p["value"]["value"] for p in n["properties"]
                         if p["name"] == "level")
            if level > last + 1:
                wrong.append(f"heading {said!r}: level {level} behind {last}")
            last = level
            if not said:
                wrong.append("a heading without words")
    for role in ("main", "banner", "contentinfo"):
        if len(roles.get(role, [])) != 1:
            wrong.append(f"{len(roles.get(role, []))} landmarks {role}")
    names = [value(n, "name") for r in ("navigation", "region") for n in roles.get(r, [])]
    tops = [h for h in roles.get("heading", [])
            if {"name": "level", "value": {"type": "integer", "value": 1}} in h["properties"]]
    if len(tops) != 1:
        wrong.append(f"{len(tops)} headings of level 1")
    if len({n for n in names if n}) != len(names) and page != "hostile case":
        wrong.append(f"landmarks of one name: {sorted(names)}")
    if roles.get("table") and not roles.get("columnheader"):
        wrong.append("tables, and no header of a column")
    if not browser.title.strip() or not script("return document.documentElement.lang"):
        wrong.append("no title, or no language")
    return wrong + script("""
        return [...document.querySelectorAll("table")].filter(t =>
            [...t.querySelectorAll("th")].some(h => !h.scope) || !t.querySelector("th"))
            .map(t => "headers without a scope: " + t.outerHTML.slice(0, 80))""")


try:
    go("all of it")
    took = script("const t = performance.getEntriesByType('navigation')[0];"
                  "return t.loadEventEnd - t.startTime")
    print(f"bench html-overview-opens {took / 1000:.2f} s (at most 1 on a "
          "machine that has nothing else to do)")
    for page in list(PAGES)[1:]:
        go(page)
        for scheme in ("light", "dark"):
            media(scheme)
            tell(f"{page}: contrast, {scheme}", script(CONTRAST))
        tell(f"{page}: landmarks, headings, names", heard(page))
        if axe:
            with open(axe, encoding="utf-8") as f:
                script(f.read())
            found = browser.execute_async_script(
                "axe.run().then(arguments[0], e => arguments[0]({violations:"
                "[{id: String(e), nodes: []}]}))")["violations"]
            tell(f"{page}: axe", [f"{v['id']}: {[n['html'][:80] for n in v['nodes'][:2]]}"
                                  for v in found])
        wide = script("return [document.documentElement.scrollWidth, innerWidth]")
        tell(f"{page}: no wider than the window", [wide] if wide[0] > wide[1] else [])
    media()

    # --- the filter ----------------------------------------------------------
    ROWS = ("return [...document.querySelectorAll('#cases tbody tr')].filter(r =>"
            "r.className && r.checkVisibility()).length")
    SHOW = "document.querySelectorAll('details').forEach(d => d.open = true);"
    go("all of it")
    if len(run["cases"]) > 300:
        tell("a long table of cases is closed", [n for n in [script(ROWS)] if n])
        tall = script("return document.documentElement.scrollHeight")
        tell("the overview has an end", [f"{tall} pixels" for _ in [1] if tall > 60000])
        tell("failed cases stay in sight", [] if script(
            "return document.querySelectorAll('#failed tbody tr').length") == sum(
                c["verdict"] in ("fail", "warn", "xfail", "error") for c in run["cases"])
            else ["they do not"])
        browser.get(f"file://{folder}/{PAGES['all of it']}#all-cases")
        tell("its link opens it", [] if script(
            "return document.getElementById('every').open") else ["it is closed"])
    script(SHOW)
    total, passes = len(run["cases"]), run["totals"]["pass"]
    of_crc = sum(c["id"].startswith("mpa/crc/") and c["verdict"] != "pass"
                 for c in run["cases"])
    tell("filter: all cases at first", [n for n in [script(ROWS)] if n != total])
    browser.find_element(By.ID, "show-pass").send_keys(" ")
    tell("filter: a verdict goes, by the keyboard",
         [n for n in [script(ROWS)] if n != total - passes])
    field = browser.find_element(By.CSS_SELECTOR, "#words input")
    field.send_keys("mpa/crc/")
    # The page filters some time after the last key, and then shows how many
    # are left.
    browser.set_script_timeout(10)
    browser.execute_async_script("""
        const [wanted, done] = arguments, shown = document.getElementById("shown");
        const look = () => shown.textContent.startsWith(wanted) && done();
        new MutationObserver(look).observe(shown, {childList: true});
        look(); setTimeout(done, 5000)""", f"{of_crc} case")
    tell("filter: words", [n for n in [script(ROWS)] if n != of_crc])
    shown = browser.find_element(By.ID, "shown").text
    tell("filter: the count is shown", [shown] if not shown.startswith(f"{of_crc} case") else [])

    # --- the keyboard, and no scripts ------------------------------------------
    go("overview")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    first = browser.switch_to.active_element
    tell("keyboard: the first stop leads to the content",
         [] if first.get_attribute("href").endswith("#main")
         and first.location["x"] >= 0 else [first.get_attribute("outerHTML")])
    first.send_keys(Keys.ENTER)
    tell("keyboard: and is followed", [] if script(
        "return document.activeElement.id === 'main'") else ["no focus there"])
    cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    go("all of it")
    for summary in browser.find_elements(By.TAG_NAME, "summary"):
        summary.send_keys(Keys.ENTER)
    browser.find_element(By.ID, "show-pass").send_keys(" ")
    cdp("Emulation.setScriptExecutionDisabled", {"value": False})
    tell("without scripts: a verdict goes all the same",
         [n for n in [script(ROWS)] if n != total - passes])
    tell("without scripts: no field that would do nothing",
         [] if script("return document.getElementById('words').hidden") else ["it is shown"])

    # --- ladders, paper, narrow ---------------------------------------------------
    if failing.get("evidence", {}).get("events"):
        go("failing")
        box = script("const b = document.querySelector('svg.ladder')"
                     ".getBoundingClientRect(); return [b.width, b.height]")
        out = script("""
            const r = document.querySelector('svg.ladder').getBoundingClientRect();
            return [...document.querySelectorAll('svg.ladder text')].filter(t => {
                const b = t.getBoundingClientRect();
                return b.left < r.left - 1 || b.right > r.right + 1 || b.bottom > r.bottom + 1
            }).map(t => t.textContent)""")
        tell("ladder: drawn, and no word is outside of it",
             out + ([box] if min(box) < 100 else []))
    for page in ("overview", "failing"):
        go(page)
        pdf = base64.b64decode(cdp("Page.printToPDF", {})["data"])
        media(kind="print")
        tell(f"{page}: on paper", ([] if pdf[:5] == b"%PDF-" else ["no PDF"]) + script("""
            const badge = document.querySelector('.v');
            return (badge && getComputedStyle(badge).color !== 'rgb(0, 0, 0)' ?
                ['a badge in pale ink'] : []).concat(
                [...document.querySelectorAll('.filter')].filter(e => e.offsetHeight)
                .map(() => 'a filter'))"""))
        cdp("Emulation.setDeviceMetricsOverride",
            {"width": 700, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        tell(f"{page}: on paper, no word of a narrow column is broken", script(BROKEN))
        cdp("Emulation.clearDeviceMetricsOverride", {})
        media()
    cdp("Emulation.setDeviceMetricsOverride",
        {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": False})
    for page in PAGES:
        go(page)
        wide = script("return [document.documentElement.scrollWidth, innerWidth]")
        tell(f"{page}: fits a narrow window", [wide] if wide[0] > wide[1] else [])
        if not page.startswith("hostile"):
            tell(f"{page}: narrow, no word is broken", script(BROKEN))
    go("all of it")
    script(SHOW)
    tall = script("return document.documentElement.scrollHeight")
    looked_at = sum(c["verdict"] in ("fail", "warn", "error", "xfail") for c in run["cases"])
    tell("narrow: cases that need no look are folded",
         [n for n in [script(ROWS)] if n != looked_at]
         + [f"{tall} pixels" for _ in [1] if tall > 20000 + 400 * looked_at])
    browser.find_element(By.CSS_SELECTOR, "#cases tbody[data-file='mpa/crc'] .fold input"
                         ).send_keys(" ")
    folded = sum(c["id"].startswith("mpa/crc/")
                 and c["verdict"] not in ("fail", "warn", "error", "xfail")
                 for c in run["cases"])
    tell("narrow: a file is unfolded, by the keyboard",
         [n for n in [script(ROWS)] if n != looked_at + folded])
    # --- devices side by side -------------------------------------------------------
    WALL = """
        const wide = [...document.querySelectorAll('.side th[scope=col]')].filter(h =>
            h.getBoundingClientRect().right > innerWidth + 1).map(h => h.textContent);
        const thin = [...document.querySelectorAll('.side td')].filter(c =>
            c.textContent && c.getBoundingClientRect().width < 24).map(c => c.textContent);
        document.querySelectorAll('details').forEach(d => { d.open = true; });
        const broken = [...document.querySelectorAll('.side td')].filter(c =>
            c.scrollWidth > c.clientWidth + 1).map(c => c.textContent);
        const rows = [...document.querySelectorAll('.side tbody tr')];
        const all = rows.filter(r => r.closest('table') === rows.at(-1).closest('table'));
        const row = all[all.length >> 1];
        row.scrollIntoView();
        const head = row.closest('table').querySelector('thead th').getBoundingClientRect();
        return [wide, thin, broken, head.top]"""
    for width in (1280, 390):
        cdp("Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        browser.get(f"file://{folder}/wall/index.html")
        wide, thin, broken, top = script(WALL)
        tell(f"side by side at {width}: no cell is a letter wide", thin)
        tell(f"side by side at {width}: no cell reaches into the next", broken)
        if width == 1280:
            tell("side by side: every device is in sight", wide)
            tell("side by side: their names stay in sight", [top] if abs(top) > 1 else [])
        else:
            tell("side by side: a narrow page scrolls the table alone", [] if script(
                "return document.documentElement.scrollWidth <= innerWidth") else ["the page"])
    # --- the result -----------------------------------------------------------
    tell("nothing forged, and nothing alerted", [
        t for t in [script("return document.querySelectorAll('#forged, img, iframe').length")] if t])
    tell("no error on the console", [
        e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"])
    asked = []
    for entry in browser.get_log("performance"):
        m = json.loads(entry["message"])["message"]
        if m["method"] == "Network.requestWillBeSent":
            url = m["params"]["request"]["url"]
            if not url.startswith(("file:", "data:", "about:", "chrome:")):
                asked.append(url)
    tell("no word to any network", asked)
finally:
    browser.quit()
