"""The site in headless Chromium: what a reader of wide and of narrow pages sees, and finds.

Code wraps or scrolls, no page is wider than its window, names in tables stay whole, and the search
leads from words that users type to the page that answers.
"""

import http.server
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading

LIMIT_S = 240
WIDTHS = (1280, 390)
# A word, and one of the addresses among the first five that it must find.
WORDS = {"half": "performance/#16-bit", "fp16": "performance/#16-bit", "convert": "convert/",
         "uninstall": "packages/#install", "raspberry pi": "boards/#raspberry", "jetson": "boards/",
         "rk3588": "boards/", "input_shapes": "options/"}
HARNESS = """<!doctype html><body><script>
const job = JOB, found = {faults: [], words: {}};
const pause = ms => new Promise(done => setTimeout(done, ms));
async function shown(url, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  const loaded = new Promise(done => frame.onload = done);
  frame.src = url;
  document.body.append(frame);
  await loaded;
  return frame;
}
function faults(page) {
  const root = page.documentElement, all = query => [...page.querySelectorAll(query)], list = [];
  if (root.scrollWidth > root.clientWidth) list.push(`is ${root.scrollWidth} pixels wide`);
  for (const code of all("pre > code")) {
    if (code.scrollWidth <= code.clientWidth + 1) continue;
    const cut = code.closest(".language-sh") ||
        !/auto|scroll/.test(page.defaultView.getComputedStyle(code).overflowX);
    if (cut) list.push("cuts " + code.textContent.slice(0, 40));
  }
  for (const name of all("td:first-child > code"))
    if (/^\\w+$/.test(name.textContent) && name.getClientRects().length > 1)
      list.push("breaks " + name.textContent);
  return list;
}
async function look(width, page) {
  const frame = await shown("/" + page, width);
  for (const fault of faults(frame.contentDocument))
    found.faults.push(`${page || "index"} at ${width} pixels ${fault}`);
  frame.remove();
}
async function search(word) {
  const frame = await shown("/?q=" + encodeURIComponent(word), 1280);
  for (let i = 0; i < 100 && !found.words[word]?.length; ++i) {
    await pause(100);
    found.words[word] = [...frame.contentDocument.querySelectorAll(".md-search-result__link")]
        .slice(0, 5).map(link => link.getAttribute("href").replace(/\\?h=[^#]*/, ""));
  }
  frame.remove();
}
async function run() {
  const work = job.widths.flatMap(width => job.pages.map(page => () => look(width, page)));
  await Promise.all([1, 2, 3, 4].map(async () => { while (work.length) await work.pop()(); }));
  for (const word of job.words) await search(word);
}
run().catch(error => found.faults.push(String(error)))
    .then(() => fetch("/found", {method: "POST", body: JSON.stringify(found)}));
</script>"""


def looked(chromium, site, job):
    """What the harness found, None after LIMIT_S seconds."""
    found, ended = [], threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(site))

        def do_GET(self):  # pylint: disable=invalid-name
            if self.path != "/harness":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(HARNESS.replace("JOB", json.dumps(job)).encode())

        def do_POST(self):  # pylint: disable=invalid-name
            found.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            ended.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # a frame that was removed while it loaded
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(  # pylint: disable=consider-using-with
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             f"http://127.0.0.1:{server.server_address[1]}/harness"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ended.wait(LIMIT_S)
        browser.terminate()
        browser.wait()
    server.shutdown()
    return found[0] if found else None


def findings(site):
    """What is wrong with the site, None without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        return None
    site = pathlib.Path(site)
    pages = sorted("" if page.parent == site else f"{page.parent.relative_to(site)}/"
                   for page in site.glob("**/index.html"))
    found = looked(chromium, site, {"pages": pages, "widths": WIDTHS, "words": list(WORDS)})
    if found is None:
        return [f"Chromium was not done after {LIMIT_S} s"]
    lost = [f"the search for {word!r} finds {found['words'].get(word)}, not {address}"
            for word, address in WORDS.items()
            if not any(address in link for link in found["words"].get(word, []))]
    return found["faults"] + lost
