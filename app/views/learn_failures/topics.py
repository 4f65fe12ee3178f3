"""Texts on which tokenizers stumble, each in a few variants to compare.

They include the puzzles of lectures on tokenization. The explanations are in the catalogue, under
`learn_failures.topic.<name>`.
"""

import unicodedata

from app.texts.catalogue import FALLBACK
from engine.hangul.syllables import is_syllable

# By language: the first topics are about what visitors write themselves.
_OF_LANGUAGE: dict[str, dict[str, tuple[str, ...]]] = {
    "letters": {
        "ko": (
            "‘강아지’에 ㅇ이 몇 번 나올까?",
            "강아지",
            "ㄱㅏㅇㅇㅏㅈㅣ",
            "‘다시 합창합시다’를 거꾸로 쓰면?",
            "strawberry",
        ),
        "en": ("accommodation", " strawberry", "strawberry", "s t r a w b e r r y", "How many r are in strawberry?"),
    },
    "spacing": {
        "ko": ("오늘 친구를 만났다.", "오늘친구를만났다.", "할 수 있다", "할수있다", "아버지가 방에", "아버지 가방에"),
        "en": ("I cannot wait to see you.", "Icannotwaittoseeyou.", "a lot", "alot", "every day", "everyday"),
    },
    "chat": {
        "ko": ("ㅋㅋㅋ", "ㅋㅋㅋㅋㅋㅋㅋㅋ", "ㅎㅎ", "ㅠㅠ", "ㅜㅜㅜㅜ", "ㄹㅇ 개웃김ㅋㅋ", "정말 웃겨요."),
        "en": ("lol", "hahaha", "hahahahahahaha", "sooooo good", "so good", "idk tbh", "I do not know, to be honest."),
    },
    "politeness": {
        "ko": (
            "밥 먹었어?",
            "밥 먹었어요?",
            "식사하셨습니까?",
            "진지 잡수셨습니까?",
            "이거 봐.",
            "이것 좀 봐 주시겠습니까?",
        ),
        "en": (
            "Look at this.",
            "Could you please have a look at this?",
            "gonna",
            "going to",
            "밥 먹었어?",
            "식사하셨습니까?",
        ),
    },
    "loanwords": {
        "ko": ("챗GPT", "컴퓨터", "셈틀", "텔레비전", "키오스크", "인플루언서", "프레젠테이션", "발표"),
        "en": ("ChatGPT", "챗GPT", "computer", "컴퓨터", "presentation", "프레젠테이션", "kimchi", "김치"),
    },
    "myriads": {
        "ko": ("10000원", "10,000원", "1만 원", "만 원", "1억 2,000만 원", "120000000원", "일억 이천만 원"),
        "en": ("1000000", "1,000,000", "1 million", "one million", "100만", "백만"),
    },
}
# The same examples in every language, in another order.
_SHARED: dict[str, tuple[str, ...]] = {
    "words": ("amazing!", "state-of-the-art", "aren't", "O'Neill", "He got cold feet.", "prize-winning"),
    "unlearnable": ("unhappiness is unlearnable", "happiness is learnable"),
    "no_spaces": (
        "私は日本語を勉強しています",
        "姚明进入总决赛",
        "姚明 进入 总决赛",
        "姚 明 进入 总 决赛",
        "姚 明 进 入 总 决 赛",
    ),
    "across": (
        "할 수 있는 것 같다.",
        "비가 올 수 있는 것 같다.",
        "one of the largest cities in the world",
        "New York City",
    ),
    "long_words": (
        "Çekoslovakyalılaştıramadıklarımızdanmışsınız",
        "antidisestablishmentarianism",
        "할머니께서만이라도",
    ),
    "numbers": ("3.14", "3.15", "12345678", "12345679", "1,234,567", "127 + 677 = 804", "2026년 11월 20일"),
    "space": ("hello", " hello", "  hello", "hello world", "helloworld", "아버지가 방에", "아버지 가방에"),
    "trailing": ("Once upon a time ", "Once upon a time", "옛날 옛적에 ", "옛날 옛적에", "http:"),
    "case": ("tokenization", "Tokenization", "TOKENIZATION", "ToKeNiZaTiOn"),
    "urls": ("https://example.org/a/b?id=42&lang=ko", "user@example.org", "#토큰화_수업"),
    "code": ("for i in range(10):\n    print(i)", "for (int i = 0; i < 10; i++) { f(i); }", "if (x!=0&&y>=1) return;"),
    "formats": ('{"name": "kim", "age": 20}', "name: kim\nage: 20", "<name>kim</name><age>20</age>"),
    "emoji": ("😀", "☕", "👨‍👩‍👧‍👦", "👍🏽", "ㅋㅋㅋㅋ ㅠㅠ", "🇰🇷"),
    "scripts": ("한국 Korea 韓國", "paypal", "pаypаl", "ＡＢＣ 123", "가１２３"),
    "noise": (
        "귀여운 멍멍이가 과자를 먹었어요.",
        "어제는 친구와 함께 광화문에서 맛있는 비빔밥을 먹었습니다.",
        "오늘 날씨가 참 좋네요. 한강에 나갈까요?",
        "지하철이 늦게 와서 수업에 십 분이나 늦었다.",
        "우리 집 강아지는 비만 오면 밖에 나가려고 하지 않는다.",
        "대전에서 서울까지 기차로 한 시간쯤 걸립니다.",
        "아무리 생각해도 그 말은 하지 말 걸 그랬어.",
        "교수님께서 다음 주까지 보고서를 내라고 하셨다.",
        "귀여운 고양이 사진을 보면 금방 기분이 좋아진다.",
        "새로 나온 과자는 생각보다 비싸고 별로 맛이 없었다.",
        "명동에 사람이 너무 많아서 걸을 수가 없었어요.",
    ),
    "names": ("John Smith", "Srinivas Ramanujam", "김민수", "남궁옥분", "Nguyễn Thị Hương"),
    "arabic": ("كتب", "كَتَبَ", "كَتَّبَ", "كُتِبَ", "اِكتَتَبَ", "أنا كندية", "أنا كَنَدِيَّةٌ"),
    "superb": ("superbizarre", "superb", "bizarre", "시장가는길", "아기다리고기다리던"),
    "special": ("<|endoftext|>", "< |endoftext| >", "[UNK]", "##ing"),
    "wrong_pairs": ("오늘은 날씨가 참 좋네요.", "The weather is lovely today.", "123 + 456 = 579 ☕"),
    "rare": ("SolidGoldMagikarp", " SolidGoldMagikarp", "펲시콜라", "뷁"),
    "hangul": (
        unicodedata.normalize("NFC", "한글 맞춤법"),
        unicodedata.normalize("NFD", "한글 맞춤법"),
        "ㅎㅏㄴㄱㅡㄹ",
    ),
}

# The special token of the demonstration's model.
SPECIAL = "<|endoftext|>"

# Topics whose texts call an example by its number: the order stays.
_NUMBERED = ("hangul", "scripts")
TOPICS = (*_OF_LANGUAGE, *_SHARED)


def examples(topic: str, language: str) -> tuple[str, ...]:
    """The examples of a topic; Korean ones come first for Korean, last for other languages."""
    if topic in _OF_LANGUAGE:
        return _OF_LANGUAGE[topic].get(language, _OF_LANGUAGE[topic][FALLBACK])
    lines = _SHARED[topic]
    if topic in _NUMBERED:
        return lines
    return tuple(sorted(lines, key=lambda line: any(map(is_syllable, line)) != (language == "ko")))
