"""The fixed sentences that need no document: small talk, and saying that nothing was found.

They come in the six languages of the chat, chosen by the words of the message, English when in doubt.
Nothing here looks anything up, so nothing here can be wrong about a document.
"""

from __future__ import annotations

import re

from conversations.domain.script import language_of

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
        "nearest_in": "The closest I found, under “{heading}”:",
        "not_found": "I could not find this in the documents you can see.",
        "not_found_about": "I could not find anything about {about} in the documents you can see.",
        "written_in": "The documents I searched are in {language}: asking in {language} may help.",
        "written_otherwise": "The documents I searched are in another language than your question.",
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
        "nearest_in": "Am nächsten kommt dies, unter „{heading}“:",
        "not_found": "Das habe ich in den Dokumenten, die Sie sehen dürfen, nicht gefunden.",
        "not_found_about": "Zu {about} habe ich in den Dokumenten, die Sie sehen dürfen, nichts gefunden.",
        "written_in": "Die durchsuchten Dokumente sind auf {language}: Eine Frage auf {language} hilft vielleicht weiter.",
        "written_otherwise": "Die durchsuchten Dokumente sind in einer anderen Sprache als Ihre Frage.",
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
        "nearest_in": "Ce qui s'en rapproche le plus, sous « {heading} » :",
        "not_found": "Je n'ai pas trouvé cela dans les documents que vous pouvez voir.",
        "not_found_about": "Je n'ai rien trouvé sur {about} dans les documents que vous pouvez voir.",
        "written_in": "Les documents consultés sont en {language} : une question en {language} aidera peut-être.",
        "written_otherwise": "Les documents consultés sont dans une autre langue que votre question.",
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
        "nearest_in": "Lo más cercano que he encontrado, en «{heading}»:",
        "not_found": "No he encontrado esto en los documentos que usted puede ver.",
        "not_found_about": "No he encontrado nada sobre {about} en los documentos que usted puede ver.",
        "written_in": "Los documentos consultados están en {language}: quizá ayude preguntar en {language}.",
        "written_otherwise": "Los documentos consultados están en otro idioma que su pregunta.",
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
        "nearest_in": "أقرب ما وجدته، تحت «{heading}»:",
        "not_found": "لم أجد ذلك في المستندات التي يمكنك رؤيتها.",
        "not_found_about": "لم أجد شيئًا عن {about} في المستندات التي يمكنك رؤيتها.",
        "written_in": "المستندات التي بحثت فيها مكتوبة باللغة {language}، وقد يفيد السؤال باللغة {language}.",
        "written_otherwise": "المستندات التي بحثت فيها مكتوبة بلغة غير لغة سؤالك.",
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
        "nearest_in": "最も近い記載は「{heading}」にあります。",
        "not_found": "閲覧できる文書の中には見つかりませんでした。",
        "not_found_about": "閲覧できる文書の中に「{about}」に関する記載は見つかりませんでした。",
        "written_in": "検索した文書は{language}で書かれています。{language}でお尋ねいただくと見つかるかもしれません。",
        "written_otherwise": "検索した文書は、ご質問とは別の言語で書かれています。",
    },
}


# What the six languages are called in each of them.
_NAMES = {
    "en": {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "ar": "Arabic", "ja": "Japanese"},
    "de": {"en": "Englisch", "de": "Deutsch", "fr": "Französisch", "es": "Spanisch", "ar": "Arabisch", "ja": "Japanisch"},
    "fr": {"en": "anglais", "de": "allemand", "fr": "français", "es": "espagnol", "ar": "arabe", "ja": "japonais"},
    "es": {"en": "inglés", "de": "alemán", "fr": "francés", "es": "español", "ar": "árabe", "ja": "japonés"},
    "ar": {"en": "الإنجليزية", "de": "الألمانية", "fr": "الفرنسية", "es": "الإسبانية", "ar": "العربية", "ja": "اليابانية"},
    "ja": {"en": "英語", "de": "ドイツ語", "fr": "フランス語", "es": "スペイン語", "ar": "アラビア語", "ja": "日本語"},
}  # fmt: skip


_ABOUT = tuple(re.escape(r["not_found_about"]).replace(r"\{about\}", ".{1,80}?") for r in _REPLIES.values())
_INTRODUCED = tuple(re.escape(r[n]).replace(r"\{heading\}", ".{1,160}?") for r in _REPLIES.values() for n in ("nearest", "nearest_in"))  # fmt: skip
_REFUSED = re.compile(rf"(?:{'|'.join(_ABOUT)})(?:\s*(?:{'|'.join(_INTRODUCED)}))?")


def small_talk_reply(text: str) -> str:
    """A short friendly line in the language of the message; nothing is looked up."""
    kind = next((name for name, pattern in _KINDS if pattern.search(text)), "other")
    return _REPLIES[message_language(text)][kind]


def not_found(message: str, about: str = "", documents: str = "") -> str:
    """Says that the documents do not hold it, naming what was missing where that is known.

    `documents` is some text of them: where it is in another language than the message, that is said too.
    """
    replies = _REPLIES[message_language(message)]
    hint = _other_language(message, documents)
    if hint:  # a name may be spelled in another way in that language
        return f"{replies['not_found']} {hint}"
    return replies["not_found_about"].format(about=about) if about else replies["not_found"]


def without_refusal(answer: str) -> str:
    """An answer without the sentence that something is in no document: its words are nobody's subject."""
    return _REFUSED.sub("", answer).strip()


def _other_language(message: str, documents: str) -> str:
    asked, written = language_of(message), language_of(documents)
    if not asked or not written or asked == written:
        return ""
    own = message_language(message)
    name = _NAMES[own].get(written, "")
    return _REPLIES[own]["written_in"].format(language=name) if name else _REPLIES[own]["written_otherwise"]


def nearest(message: str, heading: str = "") -> str:
    """Introduces the closest passage when the very thing that was asked for is missing. `heading` tells where it stands."""
    replies = _REPLIES[message_language(message)]
    return replies["nearest_in"].format(heading=heading) if heading else replies["nearest"]


def message_language(text: str) -> str:
    """One of the six languages of the fixed sentences, "en" when in doubt."""
    language = language_of(text)
    return language if language in _REPLIES else "en"
