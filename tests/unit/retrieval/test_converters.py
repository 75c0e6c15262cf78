"""Each format gives text with its structure; boilerplate and markup stay outside."""

from __future__ import annotations

import io

import pytest

from retrieval.adapters.converters.read import read_document
from retrieval.domain.errors import (
    DocumentBinary,
    DocumentBomb,
    DocumentCorrupt,
    DocumentEmpty,
    DocumentEncrypted,
    DocumentScanned,
    DocumentUnreadableEncoding,
    DocumentUnsupported,
    DocumentWithoutText,
)

MARKDOWN = """---
title: "Support handbook"
---
# Plans

Pick a *plan* with [care](https://a.example).
It takes a minute.

## Prices

| Plan | Price |
|------|-------|
| Gold | `49` € |
| Iron | 9 € |

1. First
2. Second
   - Inner

```
code  line
```

<p>Raw <b>HTML</b></p>
"""

HTML = """<!doctype html><html><head><title>Help centre</title><style>p{}</style></head><body>
<nav><a href=/>Home</a></nav><header>Logo</header>
<main><h1>Returns</h1><p>Send it <b>back</b><br>within 30&nbsp;days.</p>
<ul><li>Shoes</li><li><p>Hats</p></li></ul><ol start=1><li>Pack</li><li>Post</li></ol>
<table><thead><tr><th>Kind</th><th>Days</th></tr></thead><tbody><tr><td>Shoes</td><td>90</td></tr></tbody></table>
<h2>Exceptions</h2><div>Gift <span>cards</span></div><script>alert(1)</script><p hidden>secret</p>
<pre>keep  this</pre><aside>Advert</aside></main><footer>Imprint</footer></body></html>"""


def kinds(document):
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def test_markdown_keeps_structure_and_drops_marks():
    document = read_document(MARKDOWN.encode(), "a.md")
    assert document.title == "Support handbook"
    assert kinds(document) == [
        ("heading", "Plans"),
        ("paragraph", "Pick a plan with care. It takes a minute."),
        ("heading", "Prices"),
        ("table_row", "Plan: Gold; Price: 49 €"),
        ("table_row", "Plan: Iron; Price: 9 €"),
        ("list_item", "1. First"),
        ("list_item", "2. Second"),
        ("list_item", "- Inner"),
        ("code", "code  line"),
        ("paragraph", "Raw HTML"),
    ]
    assert document.blocks[3].heading_path == ("Plans", "Prices")


def test_html_keeps_the_content_and_drops_the_page_around_it():
    document = read_document(HTML.encode(), "a.html")
    assert (document.title, document.format) == ("Help centre", "html")
    assert kinds(document) == [
        ("heading", "Returns"),
        ("paragraph", "Send it back within 30 days."),
        ("list_item", "- Shoes"),
        ("list_item", "- Hats"),
        ("list_item", "1. Pack"),
        ("list_item", "2. Post"),
        ("table_row", "Kind: Shoes; Days: 90"),
        ("heading", "Exceptions"),
        ("paragraph", "Gift cards"),
        ("code", "keep  this"),
    ]


def test_html_without_a_main_part_is_read_whole():
    document = read_document(
        b"<body><div>One</div><article>Two</article><article>Three</article></body>", "a.html"
    )
    assert document.text == "One\n\nTwo\n\nThree"


def test_html_believes_its_declared_encoding():
    page = '<html><head><meta charset="gbk"></head><body><p>退货政策</p></body></html>'
    assert read_document(page.encode("gbk"), "a.html").text == "退货政策"


def test_text_joins_wrapped_lines_and_keeps_lists():
    text = (
        "This paragraph was wrapped by an editor at\nsome width so its lines belong together.\n\n"
        "- one\n  goes on\n- two\n\nName: A\nTown: B\n\n=====\n"
    )
    assert kinds(read_document(text.encode(), "a.txt")) == [
        ("paragraph", "This paragraph was wrapped by an editor at some width so its lines belong together."),
        ("list_item", "- one goes on"),
        ("list_item", "- two"),
        ("list_item", "Name: A"),
        ("list_item", "Town: B"),
    ]


@pytest.mark.parametrize(
    "encoding, text",
    [
        ("utf-8", "Grüße aus München"),
        ("utf-8-sig", "Grüße aus München"),
        ("latin-1", "Die Rückgabe großer Möbel ist für alle Käufer kostenlos, auch in Österreich."),
        ("cp1252", "The “naïve” façade costs € 5 — don’t forget the résumé of the café."),
        ("gbk", "退货政策：商品自签收之日起七天内可以无理由退货，运费由买家承担。"),
        ("gb18030", "姓名,城市\n张三,北京\n李四,上海"),
        ("big5", "退貨政策：商品自簽收之日起七天內可以無理由退貨，運費由買家承擔。"),
        ("shift_jis", "返品ポリシー：商品到着後七日以内に返品できます。"),
        ("cp1251", "Политика возврата: товар можно вернуть в течение 14 дней после покупки."),
        ("utf-16", "Return policy for Düsseldorf"),
        ("utf-16-le", "Return policy for Düsseldorf"),
        ("utf-16-be", "Return policy for Düsseldorf"),
        ("utf-32", "Return policy for Düsseldorf"),
    ],
)
def test_the_encoding_of_a_text_is_found(encoding, text):
    assert read_document(text.encode(encoding), "a.txt").text == text


def test_foreign_letters_far_into_a_long_text_are_still_read():
    text = (
        "Plain line of an English document.\n" * 5000
        + "Die Rückgabe großer Möbel kostet für Käufer nichts.\n"
    )
    assert read_document(text.encode("latin-1"), "a.txt").text.endswith("für Käufer nichts.")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


@pytest.mark.parametrize(
    "data, error",
    [
        (b"", DocumentEmpty),
        (b" \n\t\n", DocumentWithoutText),
        (b"# \n\n---\n", DocumentWithoutText),
        (PNG, DocumentUnsupported),
        (b"\x7fELF" + bytes(500), DocumentUnsupported),
        (bytes(range(256)) * 40, DocumentBinary),
        (b"text with one \x00 byte", DocumentBinary),
        (bytes(128 + (i * 7919) % 127 for i in range(4000)), DocumentUnreadableEncoding),
        (b"%PDF-1.7\nnothing", DocumentCorrupt),
        (b"PK\x03\x04broken", DocumentUnsupported),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), DocumentUnsupported),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), DocumentEncrypted),
    ],
    ids=lambda value: value[:9].hex() if isinstance(value, bytes) else value.code,
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a", "a.pdf"])
def test_content_decides_and_not_the_name(data, error, name):
    with pytest.raises(error):
        read_document(data, name)


def archive(names, **options):
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, size in names.items():
            with packed.open(name, "w", force_zip64=True) as entry:
                for _ in range(size // 1_000_000 + 1):
                    entry.write(bytes(min(size, 1_000_000)))
    return file.getvalue()


def test_an_archive_says_what_it_is():
    with pytest.raises(DocumentUnsupported) as caught:
        read_document(archive({"META-INF/container.xml": 10}), "a.docx")
    assert "EPUB" in caught.value.message


def test_an_archive_that_explodes_is_a_bomb_whatever_its_name():
    bomb = archive({"word/document.xml": 400_000_000})
    assert len(bomb) < 1_000_000
    for name in ("a.docx", "a.md"):
        with pytest.raises(DocumentBomb):
            read_document(bomb, name)


def test_a_gzip_that_explodes_is_a_bomb():
    import zlib

    engine = zlib.compressobj(1, wbits=31)
    bomb = b"".join(engine.compress(bytes(1_000_000)) for _ in range(320)) + engine.flush()
    with pytest.raises(DocumentBomb):
        read_document(bomb, "a.txt")


def pdf(**options):
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    styles = getSampleStyleSheet()
    body = (
        "Backups of the Dublin region are kept for thirty-five days, and longer when a legal hold applies. "
        * 3
    )

    def footer(canvas, document):
        canvas.drawString(50, 30, f"Acme confidential - page {document.page}")

    file = io.BytesIO()
    SimpleDocTemplate(file, **options).build(
        [
            Paragraph("Data retention", styles["Title"]),
            Paragraph("Backups", styles["Heading1"]),
            Paragraph(body, styles["BodyText"]),
            Paragraph(body, styles["BodyText"]),
            PageBreak(),
            Paragraph("Legal hold", styles["Heading2"]),
            Paragraph("A hold suspends deletion.", styles["BodyText"]),
            PageBreak(),
            Paragraph("Contact", styles["Heading2"]),
            Paragraph("Write to the privacy office.", styles["BodyText"]),
        ],
        onFirstPage=footer,
        onLaterPages=footer,
    )
    return file.getvalue()


def test_a_pdf_keeps_pages_headings_and_paragraphs():
    document = read_document(pdf(title="Retention rules"), "upload.bin")
    assert (document.format, document.title, document.pages) == ("pdf", "Retention rules", 3)
    assert [(b.kind.value, b.page) for b in document.blocks] == [
        ("heading", 1),
        ("heading", 1),
        ("paragraph", 1),
        ("paragraph", 1),
        ("heading", 2),
        ("paragraph", 2),
        ("heading", 3),
        ("paragraph", 3),
    ]
    hold = document.blocks[5]
    assert document.text[hold.start : hold.end] == "A hold suspends deletion."
    assert hold.heading_path[-1] == "Legal hold"


def test_a_pdfs_running_titles_are_left_out():
    assert "confidential" not in read_document(pdf(), "a.pdf").text


def test_an_encrypted_pdf_says_so():
    import pypdf

    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(pdf())))
    writer.encrypt("secret", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    with pytest.raises(DocumentEncrypted):
        read_document(file.getvalue(), "a.pdf")


def test_a_scanned_pdf_says_so():
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (300, 400), "white").save(file, "PDF")
    with pytest.raises(DocumentScanned):
        read_document(file.getvalue(), "a.pdf")


def test_an_empty_pdf_has_no_text():
    import pypdf

    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    file = io.BytesIO()
    writer.write(file)
    with pytest.raises(DocumentWithoutText):
        read_document(file.getvalue(), "a.pdf")


SCRIPTED = [
    ("a.html", "<title><script>alert('t')</script> Quokka</title><p>41 quids. <script>alert(3)</script>click</p>"),
    ("a.html", "<svg><title>alert</title></svg><title>Quokka</title><p onclick='alert(1)'>41 quids. click</p>"),
    ("a.html", "<h1>Quokka<script>alert(1)</script></h1><table><tr><td>41 quids.<script>alert(4)</script><style>alert</style> click</td></tr></table>"),
    ("a.html", "<h1>Quokka</h1><pre>41 quids. <script>alert(4)</script>click</pre><img src=x alt='<script>alert(8)</script>'>"),
    ("a.md", "# <script>alert('t')</script> Quokka\n\n41 quids. <script>alert(3)</script><a onclick='alert(1)'>click</a>"),
    ("a.md", "# Quokka\n\n41 quids.\n\n<div>\n<script>\nalert(5)\n\nalert(6)\n\n    alert(7)\n\n</script>\n\nclick"),
    ("a.md", "# Quokka\n\n41 quids. <style>alert(1)\n\nalert {}\n\n</style>\n\nclick"),
]  # fmt: skip


@pytest.mark.parametrize("name, text", SCRIPTED)
def test_no_script_reaches_the_text_or_the_title(name, text):
    document = read_document(text.encode(), name)
    assert document.title == "Quokka"
    assert "alert" not in document.text
    assert "41 quids." in document.text
    assert "click" in document.text


@pytest.mark.parametrize("name", ["a.md", "a.html"])
def test_what_is_said_about_scripts_stays(name):
    text = "Put `&lt;script&gt;` first.\n\nA <script> that nothing closes is a word.\n\nThen the end."
    if name == "a.html":
        text = "<p>Put &lt;script&gt;alert(1)&lt;/script&gt; first.</p><p>Then the end.</p>"
    assert "Then the end." in read_document(text.encode(), name).text
