"""The fixed sentences that need no document: small talk, and saying that nothing was found.

They come in the six languages of the chat, chosen by the words of the message, English when in doubt.
Nothing here looks anything up, so nothing here can be wrong about a document.
"""

from __future__ import annotations

import re
from collections import Counter

_SCRIPTS = (("ja", re.compile(r"[\u3040-\u30ff]")), ("ar", re.compile(r"[\u0600-\u06ff]")))
_MARKERS = {
    "de": "der die das und ist nicht wie was ich sie du für mit eine einen danke hallo guten tschüss geht wann wo bitte können kann gibt den wer habe",
    "fr": "le la les des est et je vous nous pour avec que quel quelle comment merci bonjour salut revoir où puis-je dans une du ça combien quand",
    "es": "el los las y es por para con qué cuál cómo gracias hola adiós dónde una del puedo cuánto cuándo está tengo",
    "en": "the is and what how you my for with can do does thanks hello hi bye where when please thank of a to are i it",
}
_MARKED = {lang: frozenset(text.split()) for lang, text in _MARKERS.items()}

_KINDS = (
    ("how_are_you", re.compile(r"how (are|r) (you|u)|how('s| is) it going|how do you do|what'?s up|wie geht|ça va|comment (vas|allez)|cómo (estás|está)|qué tal|元気|كيف حال", re.I)),
    ("who", re.compile(r"who are you|what are you|are you (a )?(bot|human|real|person|ai)|your name|wer bist|wer sind sie|qui es-tu|qui êtes|quién eres|あなたは誰|من أنت", re.I)),
    ("bye", re.compile(r"\b(good ?bye|bye|see (you|ya)|good night|tschüss|auf wiedersehen|ciao|au revoir|adiós|hasta luego)\b|さようなら|مع السلامة|وداعا", re.I)),
    ("thanks", re.compile(r"\b(thanks?|thank you|thx|ty|cheers|appreciate|danke|vielen dank|merci|gracias)\b|ありがとう|شكرا", re.I)),
    ("sorry", re.compile(r"\b(sorry|my bad|apolog\w+|entschuldigung|désolée?|perdón)\b|ごめん|آسف", re.I)),
    ("hello", re.compile(r"\b(hi|hello|hey|good (morning|afternoon|evening|day)|hallo|guten (tag|morgen|abend)|bonjour|salut|hola|buenos días)\b|こんにちは|مرحبا|السلام", re.I)),
)  # fmt: skip

_REPLIES: dict[str, dict[str, str]] = {
    "en": {
        "how_are_you": "I'm doing well, thank you. What would you like to know?",
        "who": "I'm an assistant that answers from the documents you can see, with sources. What would you like to know?",
        "bye": "Goodbye! Come back any time.",
        "thanks": "You're welcome. Is there anything else you would like to know?",
        "sorry": "No problem at all. What would you like to know?",
        "hello": "Hello! What would you like to know?",
        "other": "Alright. Ask me whenever you would like to know something.",
        "nearest": "The closest I found:",
        "not_found": "I could not find this in the documents you can see.",
        "not_found_about": "I could not find anything about {about} in the documents you can see.",
    },
    "de": {
        "how_are_you": "Danke, gut. Was möchten Sie wissen?",
        "who": "Ich bin ein Assistent, der aus den Dokumenten antwortet, die Sie sehen dürfen, mit Quellen. Was möchten Sie wissen?",
        "bye": "Auf Wiedersehen!",
        "thanks": "Gern geschehen. Möchten Sie noch etwas wissen?",
        "sorry": "Kein Problem. Was möchten Sie wissen?",
        "hello": "Guten Tag! Was möchten Sie wissen?",
        "other": "In Ordnung. Fragen Sie, wenn Sie etwas wissen möchten.",
        "nearest": "Am nächsten kommt dies:",
        "not_found": "Das habe ich in den Dokumenten, die Sie sehen dürfen, nicht gefunden.",
        "not_found_about": "Zu {about} habe ich in den Dokumenten, die Sie sehen dürfen, nichts gefunden.",
    },
    "fr": {
        "how_are_you": "Très bien, merci. Que souhaitez-vous savoir ?",
        "who": "Je suis un assistant qui répond à partir des documents que vous pouvez voir, sources à l'appui. Que souhaitez-vous savoir ?",
        "bye": "Au revoir et à bientôt !",
        "thanks": "Avec plaisir. Souhaitez-vous savoir autre chose ?",
        "sorry": "Ce n'est rien. Que souhaitez-vous savoir ?",
        "hello": "Bonjour ! Que souhaitez-vous savoir ?",
        "other": "Très bien. Posez-moi une question quand vous voulez.",
        "nearest": "Ce qui s'en rapproche le plus :",
        "not_found": "Je n'ai pas trouvé cela dans les documents que vous pouvez voir.",
        "not_found_about": "Je n'ai rien trouvé sur {about} dans les documents que vous pouvez voir.",
    },
    "es": {
        "how_are_you": "Muy bien, gracias. ¿Qué le gustaría saber?",
        "who": "Soy un asistente que responde a partir de los documentos que usted puede ver, con fuentes. ¿Qué le gustaría saber?",
        "bye": "¡Hasta pronto!",
        "thanks": "De nada. ¿Le gustaría saber algo más?",
        "sorry": "No pasa nada. ¿Qué le gustaría saber?",
        "hello": "¡Hola! ¿Qué le gustaría saber?",
        "other": "De acuerdo. Pregúnteme cuando quiera.",
        "nearest": "Lo más cercano que he encontrado:",
        "not_found": "No he encontrado esto en los documentos que usted puede ver.",
        "not_found_about": "No he encontrado nada sobre {about} en los documentos que usted puede ver.",
    },
    "ar": {
        "how_are_you": "بخير، شكرًا لك. ماذا تود أن تعرف؟",
        "who": "أنا مساعد يجيب من المستندات التي يمكنك رؤيتها، مع ذكر المصادر. ماذا تود أن تعرف؟",
        "bye": "مع السلامة!",
        "thanks": "على الرحب والسعة. هل تود معرفة شيء آخر؟",
        "sorry": "لا بأس. ماذا تود أن تعرف؟",
        "hello": "مرحبًا! ماذا تود أن تعرف؟",
        "other": "حسنًا. اسألني متى شئت.",
        "nearest": "أقرب ما وجدته:",
        "not_found": "لم أجد ذلك في المستندات التي يمكنك رؤيتها.",
        "not_found_about": "لم أجد شيئًا عن {about} في المستندات التي يمكنك رؤيتها.",
    },
    "ja": {
        "how_are_you": "おかげさまで元気です。何をお調べしましょうか。",
        "who": "閲覧できる文書をもとに、出典付きでお答えするアシスタントです。何をお調べしましょうか。",
        "bye": "またいつでもどうぞ。",
        "thanks": "どういたしまして。ほかに知りたいことはありますか。",
        "sorry": "大丈夫です。何をお調べしましょうか。",
        "hello": "こんにちは。何をお調べしましょうか。",
        "other": "わかりました。知りたいことがあればいつでもどうぞ。",
        "nearest": "最も近い記載はこちらです。",
        "not_found": "閲覧できる文書の中には見つかりませんでした。",
        "not_found_about": "閲覧できる文書の中に「{about}」に関する記載は見つかりませんでした。",
    },
}


def small_talk_reply(text: str) -> str:
    """A short friendly line in the language of the message; nothing is looked up."""
    kind = next((name for name, pattern in _KINDS if pattern.search(text)), "other")
    return _REPLIES[message_language(text)][kind]


def not_found(message: str, about: str = "") -> str:
    """Says that the documents do not hold it, naming what was missing where that is known."""
    replies = _REPLIES[message_language(message)]
    return replies["not_found_about"].format(about=about) if about else replies["not_found"]


def nearest(message: str) -> str:
    """Introduces the closest passage when the very thing that was asked for is missing."""
    return _REPLIES[message_language(message)]["nearest"]


def message_language(text: str) -> str:
    """One of the six languages of the fixed sentences, "en" when in doubt."""
    for language, script in _SCRIPTS:
        if script.search(text):
            return language
    seen = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", text.casefold())
    votes = Counter(lang for word in seen for lang, marked in _MARKED.items() if word in marked)
    best = max(_MARKED, key=lambda lang: (votes[lang], lang == "en"))
    return best if votes[best] else "en"
