"""Recognises a message that only says that an answer was heard: "Fine.", "ok cool", "good to know, thanks", "oh dear".

Such a message asks nothing, so that nothing is searched for it and no later message goes on with it.
It is one only after something was said: a bare "fine" that opens a conversation may be a word to search for.
"""

from __future__ import annotations

import re

LONGEST = 100

_MUCH = r"(?:(?:very|really|so|super|quite|pretty|just|most|all|too|absolutely|totally|perfectly|truly|more\s+than|that(?:'s|s|\s+is)?|this\s+is|it(?:'s|\s+is)|which\s+is|you(?:'re|\s+are)|i(?:'m|\s+am)|am|sounds?|looks?|seems)\s+)*"
_GOOD = (
    r"(?:fine|good|great|perfect|perfecto|brilliant|brill|lovely|excellent|wonderful|super|superb|fantastic|fab|amazing|awesome|marvell?ous|splendid|terrific|cool|nice|neat"
    r"|helpful|useful|handy|interesting|reassuring|disappointing|impressive|sorted|noted|understood|done|agreed|acknowledged|appreciated|alright|all\s+right|right|reasonable"
    r"|ok(?:ay|ey)?|kk?|oki|ok(?:ie|ey|y|i)[\s-]?do(?:kie|key|ky)|righto|right-o|gotcha|exactly|precisely|indeed|absolutely|correct|glad|relieved)"
)
_AFTER_GOOD = r"(?:\s+(?:enough|indeed|stuff|one|point|news|job|work|call|idea|by\s+me|(?:for|with|to)\s+me|with\s+(?:that|this|it)|to\s+(?:know|hear)|(?:the\s+)?(?:best|star|legend)|now|then|you\s+are|of\s+you))*"
_THANKS = (
    r"(?:(?:many|much|big|warm|kind)\s+)?(?:thanks?(?:\s*(?:you|u))?|thank(?:you|u|s)|thx|thnx|tnx|thanx|thks|tks|ty|tysm|ta|cheers|much\s+appreciated|(?:i\s+|we\s+)?(?:really\s+|much\s+)?appreciate\s+(?:it|that|this|(?:the|your|all\s+(?:the|your))\s+(?:help|info|information|time|patience)))"
    r"(?:\s+(?:(?:so|very)(?:\s+much)?(?:\s+indeed)?|a\s+(?:lot|bunch|million|ton|heap)|lots|loads|again|mate|pal|guys|all|everyone|friend|sir|madam|love|buddy|man|indeed|both|then"
    r"|for\s+(?:the|your|that|this|all(?:\s+(?:the|your|that|this))?|everything)(?:\s+(?:quick|swift|kind|clear)){0,2}(?:\s+(?:help|info|information|answers?|reply|replies|response|explanation|clarification|clarity|time|patience|support|assistance))?))*"
)
_HEARD = (
    r"(?:i\s+(?:do\s+)?(?:see|understand|understood|get\s+(?:it|that|you)|got\s+(?:it|that|you)|hear\s+(?:you|that)|(?:already\s+)?(?:knew|know)(?:\s+(?:it|that))?|thought\s+(?:so|as\s+much)|will(?:\s+do)?(?:\s+(?:so|that|this|it))?)"
    r"|(?:i(?:'ll|\s+will)\s+|let\s+me\s+|let's\s+)(?:(?:do|try|check|use)\s+(?:that|this|it)|(?:give|have)\s+(?:(?:it|that)\s+)?a\s+(?:go|try|look|think)|try|see|have\s+a\s+look|think\s+about\s+(?:it|that)|take\s+(?:it|that))"
    r"|i(?:'m|m|\s+am)?\s+(?:all\s+)?(?:good|fine|set|done|sorted|covered|with\s+you|happy|ok(?:ay)?)"
    r"|got\s+(?:it|that|you|ya)|will\s+do(?:\s+(?:that|so))?|duly\s+noted|point\s+taken|message\s+received|copy\s+that|roger\s+that|right\s+you\s+are|you(?:'re|\s+are)\s+(?:a\s+(?:star|legend|gem|lifesaver)|the\s+best|very\s+kind|welcome)"
    r"|(?:all|crystal|very|perfectly|quite|much|that's|thats|that\s+is|it's)\s+(?:(?:all|very|much)\s+)?(?:clear(?:er)?|set|done)|clear\s+(?:now|enough)|(?:very|quite|fairly)\s+(?:true|well|fair)|fair\s+(?:enough|point|do'?s)"
    r"|(?:that|this|it)\s+(?:works|helps|does|answers\s+(?:it|that|my\s+question)|makes\s+(?:total\s+|perfect\s+|complete\s+|more\s+)?sense)(?:\s+(?:a\s+lot|loads|for\s+me|perfectly))?|works\s+for\s+me|makes\s+(?:(?:total|perfect|complete|more|a\s+lot\s+of)\s+)?sense"
    r"|that\s+clears\s+(?:it|that|things)\s+up|that(?:'ll|\s+will|\s+should|\s+would)\s+(?:do|help|work)(?:\s+(?:nicely|fine|me))?"
    r"|(?:(?:that|this|it|which)(?:'s|s|\s+is|\s+was)\s+)?(?:exactly|just|all|precisely|what)\s+(?:what\s+)?i\s+(?:needed|wanted|thought|meant|expected|hoped|was\s+(?:after|looking\s+for|hoping(?:\s+for)?))(?:\s+to\s+(?:know|hear))?"
    r"|(?:just\s+)?as\s+(?:i\s+)?(?:thought|expected|hoped|feared)|thought\s+(?:so|as\s+much)|so\s+be\s+it|could\s+be\s+(?:worse|better)|as\s+you\s+say)"
)
_FEELING = (
    r"(?:a+h+|aha+|o+h+(?:\s+(?:dear|no|well|my|boy))?|h+m+|m+h?m+|wow|whoa|phew|yay+|hoorah|hooray|hurrah|gosh|aw+|argh|ugh|ouch|(?:ha){2,}|lol|damn|blimey|bummer"
    r"|(?:(?:that|this)(?:'s|s|\s+is)\s+|what\s+)(?:a|such\s+a)\s+(?:shame|pity|relief|bummer|surprise|nuisance|pain)|(?:that(?:'s|\s+is)\s+)?(?:too|not\s+(?:too\s+|so\s+|at\s+all\s+)?)\s*bad|shame|pity|bad\s+luck"
    r"|no\s+(?:worries|problem|prob|probs|bother|sweat)|never\s*mind|nvm|np|whatever|of\s+course|naturally|obviously)"
)
_CLOSING = (
    r"(?:nothing\s+(?:else|more|further)|no\s+(?:more|further|other)\s+questions?|(?:that(?:'s|s|\s+is|\s+was|\s+will\s+be|'ll\s+be|\s+would\s+be)|this\s+is|it's)\s+(?:all|it|everything|enough)(?:\s+(?:i|we)\s+(?:need(?:ed)?|want(?:ed)?)(?:\s+to\s+know)?)?"
    r"|(?:good\s*)?bye(?:\s*bye)?|see\s+(?:you|ya)(?:\s+(?:later|soon|then))?|speak\s+soon|take\s+care|have\s+a\s+(?:nice|good|great|lovely)\s+(?:day|evening|weekend|one|week|time))(?:\s+(?:for\s+(?:now|today|the\s+moment)|then|now))?"
)
# The same in the other languages of the chat and their neighbours.
_ELSEWHERE = (
    r"(?:alles\s+klar|verstanden|in\s+ordnung|gut\s+zu\s+wissen|prima|genau|d'accord|entendu|compris|parfait|très\s+bien|c'est\s+(?:noté|clair|bon)|entendido|de\s+acuerdo|perfecto|muy\s+bien|perfetto|capito|va\s+bene|entendi|perfeito"
    r"|わかりました|分かりました|了解(?:です|しました)?|なるほど|حسنا|حسنًا|فهمت|تمام|好的|明白了?|понятно|хорошо|ясно|알겠습니다)"
)
# Says nothing by itself; "sweet" alone may be a kind of wine.
_BESIDE = (
    r"(?:yes|yeah|yep|yup|yea|sure(?:\s+thing)?|no|nope|nah|well|so|now|then|and|but|just|please|again|very|true|fair|clear|sweet|grand|wicked|ace|legend|deal|mate|cheers"
    r"|for\s+(?:now|today)|today|actually|anyway|by\s+the\s+way|hi|hello|hey)"
)
_GAP = r"(?:[\s,.;:!…–—-]+|$)"
_UNIT = rf"(?:{_MUCH}{_GOOD}{_AFTER_GOOD}|{_THANKS}|{_HEARD}|{_FEELING}|{_CLOSING}|{_ELSEWHERE})"
_SAYS, _ADDS = (re.compile(f"{part}{_GAP}", re.IGNORECASE) for part in (_UNIT, _BESIDE))
_PICTURES = re.compile(r"[\U0001F000-\U0001FAFF☀-➿️‍]+|(?<!\w)[:;]-?[)D(P](?!\w)|<3|\bx{1,3}$", re.I)
_STRETCHED = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)


def only_acknowledges(text: str) -> bool:
    """Whether a message says nothing but that the one before was heard. What asks with a "?" says more."""
    said = " ".join(_PICTURES.sub(" ", text).replace("’", "'").split())
    if not said or "?" in said or len(said) > LONGEST:
        return False
    return any(_acknowledges(_STRETCHED.sub(letters, said)) for letters in (r"\1\1", r"\1"))


def _acknowledges(said: str) -> bool:
    """Whether a text is made of such sayings alone. Every place in it is looked at once, however they may be cut."""
    places, seen = [(0, False)], {(0, False)}
    while places:
        at, heard = places.pop()
        if at == len(said) and heard:
            return True
        steps = ((_SAYS.match(said, at), True), (_ADDS.match(said, at), heard))
        reached = {(match.end(), told) for match, told in steps if match and match.end() > at} - seen
        seen |= reached
        places.extend(reached)
    return False
