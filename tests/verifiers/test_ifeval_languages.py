# ruff: noqa: RUF001
"""IFEval's kind for languages: short sentences of each language, mixed texts, texts that are hardly prose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifeval.content import ResponseLanguage
from rlpt.verifiers.constraint_kinds.ifeval.language import LANGUAGES, not_in

SENTENCES = {
    "en": "Nobody knew why the train was late.",
    "es": "Nadie sabía por qué el tren llegó tarde.",
    "fr": "Personne ne savait pourquoi le train était en retard.",
    "de": "Niemand wusste, warum der Zug Verspätung hatte.",
    "it": "Nessuno sapeva perché il treno fosse in ritardo.",
    "pt": "Ninguém sabia por que o trem estava atrasado.",
    "nl": "Niemand wist waarom de trein te laat was.",
    "sv": "Ingen visste varför tåget var sent.",
    "da": "Jeg ved ikke, hvad han har gjort af min nøgle.",
    "no": "Jeg vet ikke hva han har gjort av nøkkelen min.",
    "fi": "Kukaan ei tiennyt, miksi juna oli myöhässä.",
    "pl": "Nikt nie wiedział, dlaczego pociąg się spóźnił.",
    "cs": "Nikdo nevěděl, proč měl vlak zpoždění.",
    "tr": "Trenin neden geciktiğini kimse bilmiyordu.",
    "vi": "Không ai biết tại sao tàu đến muộn.",
    "id": "Tidak ada yang tahu mengapa kereta terlambat.",
    "sw": "Hakuna aliyejua kwa nini treni ilichelewa.",
    "ro": "Nimeni nu știa de ce trenul a întârziat.",
    "hu": "Senki sem tudta, miért késett a vonat.",
    "ru": "Никто не знал, почему поезд опоздал.",
    "uk": "Ніхто не знав, чому потяг запізнився.",
    "bg": "Никой не знаеше защо влакът закъсня.",
    "ar": "لم يعرف أحد لماذا تأخر القطار.",
    "fa": "هیچ کس نمی‌دانست چرا قطار دیر کرد.",
    "ur": "کسی کو معلوم نہیں تھا کہ ٹرین کیوں لیٹ ہوئی۔",
    "he": "איש לא ידע מדוע הרכבת איחרה.",
    "hi": "किसी को नहीं पता था कि ट्रेन क्यों देर से आई।",
    "mr": "गाडी उशिरा का आली हे कोणालाच माहीत नव्हते.",
    "ne": "रेल किन ढिलो भयो कसैलाई थाहा थिएन।",
    "bn": "ট্রেন কেন দেরি করল কেউ জানত না।",
    "gu": "ટ્રેન કેમ મોડી પડી તે કોઈને ખબર ન હતી.",
    "pa": "ਕਿਸੇ ਨੂੰ ਨਹੀਂ ਪਤਾ ਸੀ ਕਿ ਰੇਲਗੱਡੀ ਲੇਟ ਕਿਉਂ ਸੀ।",
    "kn": "ರೈಲು ಏಕೆ ತಡವಾಯಿತು ಎಂದು ಯಾರಿಗೂ ತಿಳಿದಿರಲಿಲ್ಲ.",
    "ml": "ട്രെയിൻ എന്തുകൊണ്ട് വൈകി എന്ന് ആർക്കും അറിയില്ലായിരുന്നു.",
    "ta": "ரயில் ஏன் தாமதமானது என்று யாருக்கும் தெரியவில்லை.",
    "te": "రైలు ఎందుకు ఆలస్యమైందో ఎవరికీ తెలియదు.",
    "th": "ไม่มีใครรู้ว่าทำไมรถไฟถึงมาสาย",
    "ko": "기차가 왜 늦었는지 아무도 몰랐다.",
    "ja": "なぜ列車が遅れたのか誰も知らなかった。",
    "zh": "没有人知道火车为什么晚点。",
    "el": "Κανείς δεν ήξερε γιατί άργησε το τρένο.",
}


def is_in(language: str, text: str) -> bool:
    return ResponseLanguage(language).failure(Answer.read(text, [])) is None


@pytest.mark.parametrize("language", SENTENCES)
def test_tells_a_short_sentence_of_each_language_from_all_others(language: str) -> None:
    assert [other for other in SENTENCES if is_in(other, SENTENCES[language])] == [language]


def test_every_language_has_its_sentence() -> None:
    assert set(SENTENCES) == set(LANGUAGES)


@pytest.mark.parametrize("language", ["es", "ro", "ru", "hi", "ko", "ja", "zh"])
def test_refuses_a_long_line_of_another_language(language: str) -> None:
    text = "\n\n".join([SENTENCES[language]] * 12)
    assert is_in(language, text)
    assert not is_in(language, f"Sure, here is the answer that you have asked me for:\n\n{text}")


def test_takes_names_and_single_words_of_other_languages() -> None:
    assert is_in("ko", f"{SENTENCES['ko']} {SENTENCES['ko']} SRE(indicator, management)")
    assert is_in("de", f"New York, Los Angeles, Rio\n{SENTENCES['de']} Der Film heißt „The Social Network“.")


def test_code_formulas_and_addresses_are_in_no_language() -> None:
    code = '```python\nfor word in the_list_of_words:\n    print(word, end="and that is it")\n```'
    assert is_in("de", f"{SENTENCES['de']}\n{code}\nSiehe https://a.org/what-is-the-use-of-it und `if not x`.")
    assert not is_in("de", code)


def test_a_text_too_short_to_tell_is_refused_unless_no_evidence_is_wanted() -> None:
    for text in ("Lumina", "42", "xyzzy qwrtp blorf"):
        assert not is_in("en", text)
        assert not_in("en", text, wants_evidence=False) is None


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.sampled_from(sorted(LANGUAGES)), st.booleans())
def test_any_text_is_judged(text: str, language: str, wants_evidence: bool) -> None:
    assert not_in(language, text, wants_evidence=wants_evidence) != ""
