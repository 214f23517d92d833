"""A page is written of runs one of which has an evil name, and opened; what it says and asks for is kept."""

import shutil

EVIL = "<script>document.title='hacked'<∕script>.run"  # with a sign that only looks like a slash


def three_runs(example, folder):
    """Name three runs of the example, the second a copy under the evil name."""
    shutil.copy(example / "neural.run", folder / EVIL)
    return [example / "bm25.run", folder / EVIL, example / "fair.run"]


def written(page, folder):
    """Write a page into a folder."""
    path = folder / "page.html"
    path.write_text(page, "utf-8")
    return path


def opened(chromium, page, width):
    """Open a page; nothing may be said on its console, nothing asked for, and nothing wider than the window."""
    window = chromium.new_page(viewport={"width": width, "height": 900})
    said = []
    window.on("console", lambda message: said.append(message.text))
    window.on("pageerror", lambda fault: said.append(str(fault)))
    window.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
    window.goto(page.as_uri())
    assert said == []
    assert window.evaluate("document.scripts.length") == 0
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    return window
