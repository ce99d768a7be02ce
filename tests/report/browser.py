# SPDX-License-Identifier: Apache-2.0
"""What a page looks like in a real headless browser, and whether tidy finds it valid. A page is shown in
a frame of the asked width with every part opened; a script beside it measures what was drawn."""
import html, json, os, re, shutil, subprocess, tempfile
import xml.etree.ElementTree as tree

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
tidy = shutil.which("tidy")

MEASURE = """
const frame = document.querySelector('iframe');
frame.onload = () => {
  const d = frame.contentDocument, w = frame.contentWindow;
  d.querySelectorAll('details').forEach(x => x.open = true);
  const box = x => x.getBoundingClientRect();
  const focus = [...d.querySelectorAll('a,summary,[tabindex]')].filter(x => { x.focus(); return d.activeElement === x; });
  const out = {
    width: w.innerWidth, wide: d.documentElement.scrollWidth,
    parts: [...d.querySelectorAll('h3')].map(x => [x.textContent, box(x).height]),
    sections: [...d.querySelectorAll('details:not(.ptx)')].map(x => box(x).height),
    drawings: [...d.querySelectorAll('svg')].map(x => [box(x).width, box(x).height]),
    columns: [...d.querySelectorAll('table.source')].map(x => new Set([...x.querySelectorAll('td.code')].map(y => Math.round(box(y).left))).size),
    cut: [...d.querySelectorAll('table.source td')].filter(x => x.scrollWidth > x.clientWidth + 1).length,
    overlaps: [...d.querySelectorAll('svg')].flatMap(x => {
      const labels = [...x.querySelectorAll('text')].map(y => [y.textContent, box(y)]);
      return labels.flatMap(([s, a], i) => labels.slice(i + 1).filter(([, b]) => a.left + 2 < b.right && b.left + 2 < a.right &&
        a.top + 3 < b.bottom && b.top + 3 < a.bottom).map(([r]) => s + ' / ' + r)); }),
    focusable: d.querySelectorAll('a,summary,[tabindex]').length, focused: focus.length,
    requests: w.performance.getEntriesByType('resource').length,
    colours: [w.getComputedStyle(d.body).color, w.getComputedStyle(d.body).backgroundColor]};
  document.querySelector('pre').textContent = JSON.stringify(out);
};
"""


def measure(text, width, dark=False):
    """What the browser drew of the page, and its console."""
    work = tempfile.mkdtemp()
    page = os.path.join(work, "page.html")
    with open(page, "w", encoding="utf-8") as f:
        f.write(f'<!DOCTYPE html><meta charset="utf-8"><pre></pre><iframe width="{width}" height="900" '
                f'style="border:0" srcdoc="{html.escape(text)}"></iframe><script>{MEASURE}</script>')
    r = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                        *(["--blink-settings=preferredColorScheme=0"] if dark else []),
                        f"--user-data-dir={work}/profile", "--virtual-time-budget=10000", "--dump-dom",
                        "file://" + page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    shutil.rmtree(work, ignore_errors=True)
    found = re.search(r"<pre>(\{.*?\})</pre>", r.stdout, re.S)
    return (json.loads(html.unescape(found[1])) if found else None,
            [line for line in r.stderr.splitlines() if "CONSOLE" in line])


def validity(path):
    """Complaints of tidy about the page; None: it is not installed."""
    if not tidy:
        return None
    r = subprocess.run([tidy, "-errors", "-quiet", "--doctype", "html5", "--warn-proprietary-attributes", "yes",
                        "-utf8", path], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    return r.stderr.splitlines()


def judge(check, name, path):
    """The rules that hold for every page; gives its text and its tree."""
    text = open(path, encoding="utf-8").read()
    check(f"{name}: under 2 MiB: {len(text)}", len(text.encode()) < 2 << 20)
    check(f"{name}: a document type", text.startswith("<!DOCTYPE html>\n"))
    root = tree.fromstring(text.split("\n", 1)[1])
    check(f"{name}: nothing from elsewhere", not re.search(r"https?:|//[a-z]|@import|url\(|<script|<link|src=", text))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    check(f"{name}: ids are unique", len(ids) == len(set(ids)))
    links = [e.get("href") for e in root.iter("a")]
    check(f"{name}: links lead to parts of the page", links and all(h[0] == "#" and h[1:] in ids for h in links))
    style = "".join(e.text for e in root.iter("style"))
    for d in root.iter("svg"):
        for c in {c for e in d.iter() for c in (e.get("class") or "").split()}:
            check(f"{name}: nothing says how a shape of class {c} is drawn", re.search(rf"\.{c}\b", style))
        check(f"{name}: a drawing without a description", d.get("role") == "img" and d.get("aria-label"))
        check(f"{name}: an empty drawing", len(list(d)) >= 3)
    for e in root.iter():
        if e.tag in ("rect", "circle", "line", "text"):
            for k in ("x", "y", "width", "height", "cx", "cy", "x1", "x2", "y1", "y2"):
                check(f"{name}: {e.tag} {k}={e.get(k)}", not e.get(k) or 0 <= float(e.get(k)) < 10000)
    wrong = validity(path)
    check(f"{name}: tidy: {wrong}", not wrong)
    return text, root


def draw(check, name, text, views):
    """Every part drawn at each (width, dark?), nothing wider than the screen, console empty."""
    for width, dark in views:
        seen, console = measure(text, width, dark)
        what = f"{name} at {width}{' dark' if dark else ''}"
        check(f"{what}: console {console}", not console)
        check(f"{what}: drawn", seen is not None)
        if not seen:
            continue
        check(f"{what}: its width is {seen['width']}", seen["width"] == width)
        check(f"{what}: scrolls sideways: {seen['wide']}", seen["wide"] <= width)
        check(f"{what}: parts {seen['parts']}", all(h > 10 for _, h in seen["parts"]))
        check(f"{what}: sections {seen['sections']}", all(h > 60 for h in seen["sections"]))
        check(f"{what}: drawings {seen['drawings']}", all(w > 100 and h > 30 for w, h in seen["drawings"]))
        check(f"{what}: the source's columns: {seen['columns']}", all(n == 1 for n in seen["columns"]))
        check(f"{what}: cells cut off: {seen['cut']}", not seen["cut"])
        check(f"{what}: labels over labels: {seen['overlaps']}", not seen["overlaps"])
        check(f"{what}: reachable by keyboard: {seen['focused']} of {seen['focusable']}",
              seen["focused"] == seen["focusable"] > 2)
        check(f"{what}: requests", seen["requests"] == 0)
        light = sum(map(int, re.findall(r"\d+", seen["colours"][1])[:3])) > 380
        check(f"{what}: colours {seen['colours']}", light != dark)
