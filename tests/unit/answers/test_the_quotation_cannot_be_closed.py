"""Whatever documents and people write, the marks of a prompt are the prompt's own."""

from __future__ import annotations

import os
import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.domain.answer import Passage
from conversations.domain.memory.model_summary import summary_messages
from conversations.domain.quoting import quoted
from conversations.domain.state import Exchange
from conversations.domain.window import Budgets, RecentTurn, build_window
from tests.fakes.injections import ATTACKS

EXAMPLES = int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "150"))
MARKS = [
    "passage",
    "passages",
    "summary",
    "facts",
    "notes",
    "searched_for",
    "message",
    "conversation",
    "system",
    "user",
]
PIECES = st.one_of(
    st.sampled_from(
        ["<", "</", "< /", "<\n/", "＜", "﹤", "〈", "<<", "<|", "|>", "[INST]", "[/INST]", "[ / INST ]", "<<SYS>>", ">", "/", " ", "\n",
         "\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\ufe0f", "\u0301", "\U000e0041", "im_start", '"', "n=", "word"]
    ),
    st.sampled_from(MARKS), st.sampled_from(["ｐａｓｓａｇｅｓ", "раѕѕаgеѕ", "pass\u00adages", "PASSAGES", "ѕуѕtеm", "pás\u0301sages"]),
    st.sampled_from([a.planted for a in ATTACKS]),
)  # fmt: skip
HOSTILE = st.lists(PIECES, max_size=12).map("".join)
_MARK = re.compile(rf"<[\s/\"'<-]*({'|'.join(MARKS)})\b", re.I)
ROOMY = Budgets(passages=9000, message=9000, recent=9000, memory=9000, summary=4000, resume=4000)


def marks(text: str) -> list[str]:
    """The marks that a reader finds who overlooks accents, widths and what cannot be seen."""
    seen = "".join(
        c
        for c in unicodedata.normalize("NFKD", text)
        if unicodedata.category(c) not in ("Cf", "Mn", "Cc") or c == "\n"
    )
    return [
        *_MARK.findall(seen),
        *re.findall(r"<\||[^\s|]\|>|\[\s*/?\s*INST\s*\]|<<\s*/?\s*SYS\s*>>", seen, re.I),
    ]


def window(text: str) -> str:
    made = build_window(
        message=f"m {text}", query=f"q {text}", passages=[Passage("c", "d", f"T {text}", (f"H {text}",), 1, f"P {text}", 1.0)],
        summary=f"s {text}", facts=[f"f {text}"], recent=[RecentTurn(f"a {text}", f"b {text}")],
        resume_note=f"r {text}", budgets=ROOMY, count=lambda text: len(text) // 40,
    )  # fmt: skip
    return "\n".join(m["content"] for m in made.messages[1:])


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
@given(HOSTILE)
def test_the_marks_of_an_answers_prompt_are_its_own(text):
    assert marks(window(text)) == marks(window("x"))


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
@given(HOSTILE)
def test_the_turns_of_a_summarys_prompt_are_its_own(text):
    def told(words: str) -> list[str]:
        return summary_messages([Exchange(1, words, words, "standalone", words)])[1]["content"].splitlines()

    plain, attacked = told("x"), told(text or "x")
    assert marks("\n".join(attacked)) == marks("\n".join(plain))
    assert next(line for line in attacked if not line.startswith("  ")) == plain[0]
    assert sum(line.startswith(("user:", "assistant:")) for line in attacked) == 2


def test_code_and_mathematics_stay_as_they_are():
    for text in (
        "if a < b && c > d",
        "<div class='x'>",
        "List<String> names",
        "<T extends User>",
        "5 << 2",
        "a[i] |> f",
    ):
        assert quoted(text) == text
