"""Finds the question of a message that tells a story before it asks, so that the question leads what is searched.

An embedding reads only the first part of a long text, and what comes first weighs most. Short messages stay as they are.
"""

from __future__ import annotations

import re

# Words from which a message may be a story.
LONG = 40
# Questions of a story that lead it; of more the last ones.
MOST_QUESTIONS = 3
_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…](?!\s|$)[^.!?…\n]*)*(?:[.!?…]+(?=\s|$)|\n|$)")
# "Any ideas?", "can you help?": asks nothing by itself.
FEWEST_WORDS = 4


def is_story(text: str) -> bool:
    """Whether a message tells so much that what it asks is asked of that."""
    return len(text.split()) > LONG


def questions_of(text: str) -> tuple[str, ...]:
    """The questions that a story ends in or holds, in their order; none where a message is short or begins with one."""
    if not is_story(text):
        return ()
    sentences = [match.group().strip() for match in _SENTENCE.finditer(text) if match.group().strip()]
    asked = [s for s in sentences if s.endswith("?") and len(s.split()) >= FEWEST_WORDS]
    return tuple(asked[-MOST_QUESTIONS:]) if asked and sentences[0] != asked[0] else ()


def question_first(text: str) -> str:
    """The same words with the questions of a story at their head."""
    asked = questions_of(text)
    rest = text
    for question in asked:
        rest = rest.replace(question, " ", 1)
    return " ".join((*asked, " ".join(rest.split()))) if asked else text
