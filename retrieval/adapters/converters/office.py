"""What the readers of Office files share: XML without entities, and one reason for whatever is damaged."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lxml import etree

from retrieval.domain.errors import DocumentCorrupt


def parsed(data: bytes) -> Any:
    """The root element of XML that may be hostile. Raises `lxml.etree.XMLSyntaxError`."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


@contextmanager
def refusing_damage() -> Iterator[None]:
    """A part that is missing, cut off or no XML is damage: the file's fault, not the reader's."""
    try:
        yield
    except (
        KeyError,
        ValueError,
        AttributeError,
        IndexError,
        TypeError,
        OSError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
        etree.LxmlError,
    ) as error:
        raise DocumentCorrupt from error
