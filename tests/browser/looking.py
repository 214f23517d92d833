"""A page is opened in a window of some width, and what it says and asks for is kept."""


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
