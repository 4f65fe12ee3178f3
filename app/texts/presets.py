"""Example sentences; `lattice.preset.<name>` in the catalogue says what each one shows."""

PRESETS = {
    "sweet_potato": "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.",
    "that_thing": "그 것은 좋은 그것이다.",
    "lunch": "점심 시간이 지나면 점심시간이 아니다.",
    "korea": "대한민국은 대한민국에서 대한민국으로 이어진다.",
    "dictionary": "영어 사전을 펼쳤다.",
    "coffee": "커피 2잔 주세요!",
    "horse": "그 말이 달린다. 그 말은 틀렸어.",
}

# Long enough for every round of most models to change it.
ROUNDS_SENTENCE = "고구마도 손을 더하면 근사한 식사가 됩니다."


def beginning(text: str, enough: int = 6) -> str:
    """The first words of an example, at least `enough` characters, as the label of its button."""
    stop = text.find(" ", enough)
    return text if stop < 0 else text[:stop] + "…"
