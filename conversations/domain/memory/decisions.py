"""Recognises what somebody decided, committed to or is bound by: "we'll go with the Gold tariff", "our budget is …".

Only general wordings of deciding and of speaking about oneself stand here, whatever the business is.
A question decides nothing, and neither does a request for information.
"""

from __future__ import annotations

import re

_CHOOSING = (
    r"(?:go(?:ing)?\s+(?:with|for|ahead)|tak(?:e|ing)|choos(?:e|ing)|pick(?:ing)?|us(?:e|ing)|keep(?:ing)?|book(?:ing)?"
    r"|order(?:ing)?|buy(?:ing)?|rent(?:ing)?|stay(?:ing)?\s+with|stick(?:ing)?\s+(?:with|to)|opt(?:ing)?\s+for"
    r"|settl(?:e|ing)\s+(?:on|for)|drop(?:ping)?|cancel(?:l?ing)?|skip(?:ping)?|postpon(?:e|ing)|mov(?:e|ing)\s+to"
    r"|start(?:ing)?\s+(?:with|on|in)|sign(?:ing)?|reserv(?:e|ing)|switch(?:ing)?\s+to|adopt(?:ing)?|add(?:ing)?"
    r"|leav(?:e|ing)\s+out|pay(?:ing)?|collect(?:ing)?|return(?:ing)?|extend(?:ing)?|limit(?:ing)?|plan(?:ning)?)"
)
_WILL = r"(?:['’]ll|\s+will|\s+shall|['’]d\s+(?:rather|like\s+to|prefer\s+to)|['’]re|['’]m|\s+are|\s+am|\s+want\s+to)"
_DECIDED = (
    r"(?:decid\w+|agreed|chose(?:n)?|choose|settled\s+(?:on|for)|opted\s+for|picked|selected|approved|rejected"
    r"|ruled\s+out|resolved\s+to|committed\s+to|concluded|went\s+with|signed\s+off|confirm(?:ed)?|prefer)"
)
_DECISION = re.compile(
    rf"\b(?:we|i)(?:{_WILL})\s+(?:(?:then|now|just|probably|definitely|not|also|going\s+to|therefore|both)\s+)*{_CHOOSING}\b"
    rf"|\b(?:we|i)(?:['’]ve|\s+have|\s+had)?\s+(?:(?:all|now|just|already|finally|jointly|both)\s+)*{_DECIDED}\b"
    rf"|\blet(?:['’]s|\s+us)\s+(?:(?:then|just|now|not)\s+)*(?:{_CHOOSING}|do|say|make|have|set|fix|agree)\b"
    rf"|\b(?:was|were|is|are|been|being)\s+(?:\w+ly\s+)?(?:decided|agreed|chosen|approved|rejected|ruled\s+out|selected)\b"
    rf"|\b(?:board|committee|council|team|management|panel|court|parliament|director|commission|group|you|they|he|she)"
    rf"(?:\s+(?:has|have|had))?\s+(?:decided|agreed|chose(?:n)?|approved|rejected|opted|voted|ruled\s+out|resolved)\b"
    r"|\b(?:the|my|our)\s+(?:final\s+)?(?:decision|choice)\s+(?:is|was)\b|^\s*decision\s*:",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|i)\s+(?:(?:also|already|only|still|currently|usually|just|must|can|cannot|can['’]t|do\s+not|don['’]t"
    r"|should|will|won['’]t|may|might|have\s+to|need\s+to|want\s+to)\s+)*"
    r"(?:have|need|want|are|am|must|cannot|can['’]t|won['’]t|live|work|employ|run|own|use|serve|operate|travel|arrive"
    r"|leave|move|spend|pay|expect|require|prefer|insist|run|sell|rent|keep|store|hold|drive|stay|come|go)\b"
    r"|\b(?:we|i)['’](?:re|m|ve|ll)\b|\b(?:our|my)\s+(?:[\w'’-]+\s+){1,4}?(?:is|are|was|were|must|has|have|needs?|starts?|ends?|can|will)\b"
    r"|\bthere\s+(?:are|will\s+be)\s+\S+\s+of\s+us\b|\b(?:at\s+most|no\s+more\s+than|not\s+more\s+than|at\s+least|under\s+no)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:we|i)(?:['’]d|\s+would)?\s+(?:(?:also|just|still|really)\s+)*(?:have\s+(?:a|another|one\s+more|some|two|more)\s+"
    r"(?:\w+\s+)?questions?|(?:need|want|like|love|have)\s+to\s+(?:know|ask|understand|see|hear|learn|check|find\s+out)"
    r"|wonder|(?:need|want)\s+(?:help|more\s+(?:info|detail)\w*)|(?:am|'m|’m)\s+(?:asking|wondering|looking|interested|curious|not\s+sure|sorry)"
    r"|(?:meant?|was\s+asking))\b|\b(?:i|we)['’]m\s+(?:asking|wondering|interested|curious|not\s+sure|sorry)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|then|also|well|now|please|thanks|hello|hi|hey)[\s,]+)*(?:what|which|who|whom|whose|when|where"
    r"|why|how|is|are|was|were|do|does|did|can|could|will|would|should|shall|may|has|have|tell\s+me|show\s+me|explain"
    r"|describe|list|summari[sz]e|compare|give\s+me)\b",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its sign, or by how it begins."""
    text = sentence.strip().rstrip("\"'”’)")
    return text.endswith(("?", "？", "؟")) or bool(_ASKS.match(text))


def decision_in(sentence: str) -> str:
    """The sentence from its decision on, without what announces it; empty when nothing is decided in it."""
    match = _DECISION.search(sentence)
    if match is None or is_question(sentence):
        return ""
    return sentence[match.start() :].strip(' \t\n.!;,"“”')


def constraint_in(sentence: str) -> str:
    """What a user says of themselves that binds later answers; empty for questions and requests."""
    match = _OWN.search(sentence)
    if match is None or is_question(sentence) or _REQUEST.search(sentence):
        return ""
    return sentence[match.start() :].strip(' \t\n.!;,"“”')
