"""Texts on which tokenizers stumble, each in a few variants to compare.

They include the puzzles of lectures on tokenization. The explanations are in the catalogue, under
`learn_failures.topic.<name>`.
"""

import unicodedata

TOPICS: dict[str, tuple[str, ...]] = {
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
    "trailing": ("Once upon a time", "Once upon a time ", "옛날 옛적에", "옛날 옛적에 "),
    "case": ("tokenization", "Tokenization", "TOKENIZATION", "ToKeNiZaTiOn"),
    "urls": ("https://example.org/a/b?id=42&lang=ko", "user@example.org", "#토큰화_수업"),
    "code": ("for i in range(10):\n    print(i)", "for (int i = 0; i < 10; i++) { f(i); }", "if (x!=0&&y>=1) return;"),
    "formats": ('{"name": "kim", "age": 20}', "name: kim\nage: 20", "<name>kim</name><age>20</age>"),
    "emoji": ("😀", "☕", "👨‍👩‍👧‍👦", "👍🏽", "ㅋㅋㅋㅋ ㅠㅠ", "🇰🇷"),
    "scripts": ("한국 Korea 韓國", "paypal", "pаypаl", "ＡＢＣ 123", "가１２３"),
    "noise": ("coccyx", "coccix", "neighbor", "neighbour", "되어요", "돼요", "되요", "안녕하세요", "안뇽하세욤"),
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
