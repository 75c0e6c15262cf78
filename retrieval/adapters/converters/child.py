"""The process that reads one file and ends: `python -m retrieval.adapters.converters.child`.

The file comes on standard input, the answer leaves on standard output, and the limits, set before the first
byte is read, are the kernel's: address space, processor time, size of what is written.
"""

from __future__ import annotations

import json
import resource
import signal
import sys

from retrieval.adapters.converters.read import read_document
from retrieval.adapters.converters.wire import dump_document, dump_error
from retrieval.domain.errors import DocumentBomb, DocumentCorrupt, DocumentError

_GRACE_SECONDS = 5
_ANSWER_BYTES = 600_000_000


def main(arguments: list[str]) -> int:
    options = json.loads(arguments[0])
    _limit(int(options["memory_bytes"]), float(options["seconds"]))
    try:
        data = sys.stdin.buffer.read()
        document = read_document(data, options["filename"], text_characters=options["text_characters"])
        answer = dump_document(document)
    except DocumentError as error:
        answer = dump_error(error)
    except MemoryError:
        answer = dump_error(DocumentBomb())
    except Exception as error:
        # A parser that fails on a file has met a damaged one; the trace goes to the parent's log.
        sys.excepthook(type(error), error, error.__traceback__)
        answer = dump_error(DocumentCorrupt())
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    return 0


def _limit(memory: int, seconds: float) -> None:
    """The alarm ends an orphan whose parent was killed; a parent that lives stops its child itself."""
    cpu = int(seconds) + _GRACE_SECONDS
    for what, soft in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, _ANSWER_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(what, (soft, soft))
    signal.alarm(cpu)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
