"""MkDocs's hook: what its search leaves out, and what comes first."""


def on_page_markdown(_markdown, page, **_):
    if page.file.src_uri.endswith("_source.md"):  # the header itself, beside its reference
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri == "options.md":
        page.meta["search"] = {"boost": 4}
