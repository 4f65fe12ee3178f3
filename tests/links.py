"""Links as visitors keep them, and what each shows: wherever a page goes, these addresses must go on showing it.

A link is an address as it stands in the browser's bar, with letters as they are, and texts of the page that it leads
to, as `tests.seen` lists them: enough that one is missing as soon as any of the link's parameters is ignored. `{run}`,
`{text}`, `{room}` are ids of what the library keeps: a model, a long text, a room, whose code is `{code}`.
"""

from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

LONG_TEXT = "긴 글의 첫 문장. " + " ".join(str(number) for number in range(1500)) + " 긴 글의 마지막."
RUN_NAME = "보관한 허그"


class Link(NamedTuple):
    """An address, and texts of what it shows; those that take long are not in the quick tests."""

    address: str
    shows: tuple[str, ...]
    is_slow: bool = False

    @property
    def page(self) -> str:
        """The name in the address; the first page has none."""
        return urlsplit(self.address).path.strip("/")

    @property
    def params(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.address).query, keep_blank_values=True)


# A small model that comes with the program, and no tokenizers beside it: quick to open.
_8K = "model=shipped:thunder-tok-8k"
_ALONE = f"{_8K}&shipped=none&public=none"
_TOY = "model=toy.hug~vocab_size-264~min_count-1"

LINKS = (
    # ---- what every page has: language, model, check of a model, projector; repeated parameters; the first page's name
    Link(
        f"/?lang=ko&{_ALONE}&text=나는 고구마를 먹는다",
        ("토큰 살펴보기", "label:  고", "어휘 크기 8,000", "25MB로 학습한 모델: \n", "공개 모델의 토크나이저: \n"),
    ),
    Link(
        f"/explore?lang=en&text=~가&{_ALONE}&text=~나비&projector=true",
        (
            "chars: ['나', '비']",
            "vocabulary 8,000",
            "Trained on 25 MB of Korean: \n",
            "Tokenizers of public models: \n",
            "--least-letters: 28px",
        ),
    ),
    Link(f"/library?lang=en&{_TOY}&check=00000000.00000000.00000000", ("(hug, pug, pun, bun, hugs)", "00000000")),
    Link("/library?lang=ko&model=ko~vocab_size-777~score-p", ("777", "아직 이 서버에 없습니다")),
    Link("/library?lang=en&model=text.0123~vocab_size-1234", ("0123",)),
    Link(
        "/library?lang=en&model=text.0123456789abcdef01234567~vocab_size-1234&own=~0123456789abcdef01234567 12 시.txt",
        ("**시.txt**: 12 lines, SHA-256 `0123456789abcdef01234567",),
    ),
    Link(
        "/?lang=en&model=public:gpt2&with=none&text=나비",
        ("name: GPT-2", "label: <0x82>", "chars: ['나', '비']", "Tokenizers to compare with the active one: \n"),
        is_slow=True,
    ),
    # ---- what the library keeps: a model, a long text, a room
    Link("/library?lang=ko&model=run.{run}", ("보관함", f"모델: **Thunder-Tok · {RUN_NAME} · 토큰 264개**")),
    Link("/learn_bytes?lang=ko&text=@{text}", ("바이트", "긴 글의 첫 문장.")),
    Link("/lessons?lang=ko&room={room}&notes=true", ("**참여 코드** &ensp; :blue[**{code}**]", "강의 노트")),
    # ---- texts as tokens
    Link(
        f"/explore?lang=ko&text=~나는 고구마를 먹는다&{_8K}&shipped=unigram-32k&public=gpt2&and=shipped:wordpiece-32k"
        "&of=2&token=2.3&price=7.5&pretokens=true&graphemes=true&bytes=true",
        (
            "label: 나는",
            "Thunder-Tok 8k: $52.50",
            "25MB로 학습한 모델: Unigram 32k",
            "name: GPT-2",
            "name: WordPiece 32k",
            "number: 4, token: 를, id: 263",
            "선택한 토큰: 고구마",
            "kind: pretokens",
            "kind: graphemes",
            "kind: bytes",
        ),
    ),
    Link(
        f"/explore?lang=en&text=먹었다 먹는다&{_ALONE}&with=bytes.words&size=400&morphemes=true&colours=true"
        "&analyser=kiwi&eojeol=2&readings=~1:먹/VV%2B었다/EF",
        (
            "vocabulary 8,000",
            "chars: ['먹', '었', '다', ' ', '먹'",
            "Trained on 25 MB of Korean: \n",
            "Tokenizers of public models: \n",
            "name: Words",
            "vocabulary 400",
            "class: stem_ending",
            "Kiwi (kiwipiepy",
            "Eojeol: 1",
            "kind: corrected",
        ),
        is_slow=True,
    ),
    Link(
        f"/explore?lang=en&{_ALONE}&text=@{{text}}&part=2",
        ("Thunder-Tok 8k", "Tokenizers of public models: \n", "Trained on 25 MB of Korean: \n", "of 6,", ": 2\n"),
        is_slow=True,
    ),
    # ---- classes: lessons, stages, plans, answers
    Link("/lessons?lang=en&plan=20&lesson=exit&guess=potato", ("3 of 3", "potato"), is_slow=True),
    Link(
        "/lessons?lang=en&plan=90&lesson=words&stage=reveal&guess=12",
        ("12% &ensp;·&ensp; **Computed**: 39%",),
        is_slow=True,
    ),
    Link("/lessons?lang=ko&lesson=bpe&stage=reveal&step=2&guess=마-시", ("마\xa0+\xa0시", "start: 2", "달\xa0+\xa0리")),
    Link(
        "/lessons?lang=en&plan=90&lesson=wordpiece&stage=understand&guess=t-h&reply=t-h",
        ("q u wins with four occurrences", "**Right.** By count alone, t + h."),
    ),
    Link(
        "/lessons?lang=ko&lesson=unigram&stage=understand&guess=2&reply=3",
        ("‘시고’는 3번뿐", "달리기: 3"),
        is_slow=True,
    ),
    Link(
        "/lessons?lang=en&plan=90&lesson=em&stage=reveal&guess=pu&step=1",
        ("**My prediction**: pu", "start: 1"),
        is_slow=True,
    ),
    Link(
        "/lessons?lang=en&plan=90&lesson=bytes&stage=reveal&guess=6_4_17",
        ("**My prediction**: naïve 6 · 😀 4 · 👨‍👩‍👧 17 &ensp;·&ensp; **Computed**: naïve 6 · 😀 4 · 👨‍👩‍👧 18",),
        is_slow=True,
    ),
    Link("/lessons?lang=en&lesson=pays&stage=reveal&guess=3.1", ("**My prediction**: 3.1",), is_slow=True),
    Link("/lessons?lang=en&lesson=thunder&stage=reveal&guess=short", ("**My prediction**: ",), is_slow=True),
    Link(
        "/lessons?lang=en&plan=90&lesson=boundaries&stage=reveal&guess=3.6&lam=2.5",
        ("**My prediction**: ", "2.5"),
        is_slow=True,
    ),
    # ---- the lattice, tab by tab
    Link(
        f"/lattice?lang=ko&{_8K}&text=고구마는 맛있다&lattice.nbest=3&units=nat&in_round=7&pick=5",
        ("'Thunder-Tok 8k', '", "고구마|는|␣맛있다, log_prob: -30.279", "분할 수: 3", "selected: 5"),
    ),
    Link(
        f'/lattice?lang=ko&{_8K}&text=고구마&tab=whatif&forbid=~["고구"]&add=~구마&logprob=-3&force=1-2',
        (
            "chars: ['고', '구', '마']",
            "'Thunder-Tok 8k', '",
            "제거할 토큰: 고구",
            "추가할 토큰: 구마",
            "-3.0",
            "가능한 분할: 1",
        ),
    ),
    Link(
        f"/lattice?lang=en&{_8K}&text=고구마는 맛있다&under=shipped:byte-bpe-32k&word=2",
        ("has no token probabilities", "Merge "),
    ),
    Link(
        f"/lattice?lang=ko&{_8K}&text=나는&tab=steps&viterbi=2",
        ("왜 이렇게 잘릴까?", "'Thunder-Tok 8k', '", "start: 2", "chars: ['나', '는']"),
    ),
    Link(
        f"/lattice?lang=ko&{_8K}&text=나는&tab=samples&temperature=3&draws=10&seed=4",
        ("'Thunder-Tok 8k', '", "text: ['나|는', '나는']", "x: [0.7, 0.3]", "난수 시드: 4"),
        is_slow=True,
    ),
    Link(
        f"/lattice?lang=ko&{_8K}&text=나는 고구마&tab=methods",
        ("segmentation: 나는|␣고|구|마, tokens: 4, log_prob: -43.5006", "왼쪽부터 최장 일치"),
    ),
    Link(
        f"/lattice?lang=ko&{_8K}&text=나는 고구마&tab=table&morphemes=true&analyser=kiwi&colours=true&eojeol=2"
        "&readings=~1:나/NP%2B는/JX",
        ("형태소로 색칠: True", "token: 나는, id: 1183", "Kiwi", "어절: 1", "kind: corrected"),
        is_slow=True,
    ),
    Link(
        f"/lattice?lang=en&{_8K}&text=고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."
        " 고구마는 찌거나 굽기만 해도 맛있지만,"
        " 조금만 손을 더하면 근사한 한 끼 식사가 됩니다. 오늘은 날씨가 참 좋네요. 나는 고구마를 먹는다.&least=0.1",
        ("'Thunder-Tok 8k', '", "찌", "Hide bars with a marginal below: 0.1"),
        is_slow=True,
    ),
    # ---- Thunder-Tok's scores, rounds and tokens
    Link(
        f"/scores?lang=en&{_8K}&round=7&find=다.&units=nat&levels=phrase&box=-4_-3_5_9",
        ("'Thunder-Tok 8k', '", "BE×P = 0.000108 nats", "Only these levels: phrase", "x0: -4.0"),
    ),
    Link(f"/scores?lang=en&{_8K}&find=다.&kwic=regex&pattern=~다\\.$", ("Search a corpus", "1,165 hits")),
    Link(
        f'/scores?lang=en&{_8K}&find=다.&kwic=query&query=~[word=".*다\\."]&collocates=true&near=words&near_left=2'
        "&near_right=0&near_least=3&near_by=mi&collocate=~수",
        ("Collocates", "near “수”", "Node: 1,165 times", "Window, left: 2"),
    ),
    Link(
        f"/scores?lang=en&{_8K}&view=distributions&shape=early&early=2",
        ("'Thunder-Tok 8k', '", "removed 101,946 of them"),
        is_slow=True,
    ),
    Link(
        f"/scores?lang=en&{_8K}&view=composition&scale=count&public=gpt2&shipped=none",
        ("7,380", "What they consist of"),
        is_slow=True,
    ),
    Link(f"/scores?lang=en&{_TOY}&by_kind=true&analyser=kiwi&kinds=cut", ("264", "Kiwi"), is_slow=True),
    Link(
        f"/rounds?lang=en&{_8K}&find=␣참여에&removed=long&sentence=나는 고구마를 먹는다.&round=7&units=nat",
        (
            "'Thunder-Tok 8k', '",
            "␣참여에",
            "componentWillReceiveProps",
            "count: 6",
            "Vocabulary: 72,832",
            "180.23 nats",
        ),
    ),
    Link(
        f"/rounds?lang=en&{_8K}&sentence=먹었다&morphemes=true&analyser=kiwi",
        ("'Thunder-Tok 8k', '", "Kiwi", "chars: ['먹', '었', '다']"),
        is_slow=True,
    ),
    Link("/rounds?lang=en&model=ko&versus=authors", ("hardly ever have a second context",), is_slow=True),
    Link("/rounds?lang=en&model=ko&versus=true&kept=second", ("BE and P: BE×P",), is_slow=True),
    Link(
        f"/token?lang=en&{_8K}&find=␣대한&round=7&units=nat",
        ("'Thunder-Tok 8k', '", "Token “␣대한”", "BE: 8.125 nats", "Rank: 46 / 72,576"),
    ),
    Link(
        f"/token?lang=en&{_TOY}&find=hug&membership=expected&over=pretoken&which=2&growth=~hu",
        ("hug", "hu", "Growth of a prefix"),
        is_slow=True,
    ),
    Link(
        f"/token?lang=en&{_8K}&find=고구마를&morphemes=true&analyser=kiwi",
        ("'Thunder-Tok 8k', '", "Kiwi", "고구마를"),
        is_slow=True,
    ),
    Link(
        f"/token?lang=en&{_8K}&view=vocabulary&search=^먹&regex=true&levels=word.phrase&lengths=2-4&units=nat",
        ("6360, token: 먹고", "be: 5.0069", "Level: word or part, phrase", "(2, 4)"),
    ),
    Link(f"/token?lang=en&{_TOY}&view=stability", ("tability", "(hug, pug, pun, bun, hugs)")),
    # ---- where words end
    Link(
        "/boundaries?lang=en&gold=zh_words&sentence=我们今天&lambda=3&total=characters&order=3&rule=peak&noedges=true"
        "&units=nat",
        (
            "Gold standard: Chinese, words",
            "chars: ['我', '们', '今', '天']",
            "λ = 3",
            "T in the PMI: characters",
            "(n): 3",
            "language model: peak",
            "Do not count sentence edges as neighbours: True",
            "Unit of entropy: nats",
        ),
    ),
    Link(
        "/boundaries?lang=en&gold=ko_nospace&sentence=오늘은날씨가아주맑습니다."
        "&corrected=~오늘은 날씨가 아주 맑습니다.",
        ("correct",),
        is_slow=True,
    ),
    Link(
        "/boundaries?lang=en&view=scores&lambda=3&shipped=byte-bpe-32k&public=gpt2",
        ("x0: 3.0", "Byte BPE 32k", "GPT-2"),
        is_slow=True,
    ),
    Link(
        "/boundaries?lang=en&view=errors&of=2&error=over&shipped=byte-bpe-32k",
        ("Distinct errors: 51; occurrences: 54", "name: Byte BPE 32k, right: 90"),
    ),
    Link(
        "/boundaries?lang=en&view=bytes&text=~커피&patch=3&threshold=relative&bits=1.5",
        ("chars: ['커', '피']", "3 bytes each (MegaByte), patches: 2", "(BLT), patches: 1", "Threshold (bits): 1.5"),
        is_slow=True,
    ),
    # ---- comparisons
    Link("/cost?lang=en&view=generations&of=ko", ("Korean takes **4.7** times", "GPT-2 → GPT-4o")),
    Link(
        f"/cost?lang=en&{_8K}&more=fairness&measured=texts&texts=parallel.ko&shipped=none&public=none",
        ("Tokens per word by text",),
    ),
    Link("/cost?lang=en&more=parity", ("**Hindi** takes **11% fewer** tokens", "Tokens of the same sentences")),
    Link("/cost?lang=en&view=languages&of=th", ("Tokens by language", "Thai ◀")),
    Link("/cost?lang=en&view=sentence&first=~tea&second=~차", ("chars: ['t', 'e', 'a']", "chars: ['차']")),
    Link(
        "/cost?lang=en&more=money&of=th&prices=gpt2-2~gemma3-0&won=1000",
        ("Thai takes **6.8** times as many tokens", "Tokens of Thai by release year", "Won per dollar: 1000"),
    ),
    Link(
        f"/fertility?lang=en&{_8K}&view=texts&texts=ko.news,web.code&word=pretoken&template=hellaswag&row=2&column=2"
        "&public=gpt2&shipped=none",
        ("'Thunder-Tok 8k', '", "Texts: news, code", "models: GPT-2", "Tokenizer: 1", "Text: 1"),
        is_slow=True,
    ),
    Link(
        f"/fertility?lang=en&{_8K}&ready=byte-bpe-32k&models=gpt2&base=ko&price=3&window=512&volume=5000&first=~tea"
        "&second=~차",
        ("'Thunder-Tok 8k', '", "2. Byte BPE 32k", "3. GPT-2", "x: [1.0, 2.332425", "Korean takes **4.7** times"),
    ),
    Link(
        f"/fertility?lang=en&{_ALONE}&on=active&sentences=own&parallel=~0123456789abcdef01234567 3 말.txt",
        ("말.txt", "Thunder-Tok 8k", "One file per language"),
        is_slow=True,
    ),
    Link(
        "/fertility?lang=en&view=texts&public=gpt2&shipped=none", ("Tokenizers of public models: GPT-2",), is_slow=True
    ),
    Link(f"/compare?lang=en&{_8K}&public=gpt2&shipped=none", ("7,380", "49,636"), is_slow=True),
    Link(
        f"/compare?lang=en&{_8K}&view=audit&finding=boilerplate&public=gpt2&shipped=none", ("copyright",), is_slow=True
    ),
    Link(f"/compare?lang=en&{_8K}&view=prediction&public=gpt2&shipped=none", ("7,380", "49,636"), is_slow=True),
    Link("/compare?lang=en&view=ablation&ablation=1000&text=ko.news", ("1,000", "news"), is_slow=True),
    Link(
        f"/compare?lang=en&{_8K}&public=gpt2&shipped=none&more=algorithms", ("32,000 tokens, one text",), is_slow=True
    ),
    Link(f"/compare?lang=en&{_8K}&view=decode&text=~감자&public=gpt2&shipped=none", ("7,380", "49,636"), is_slow=True),
    Link(f"/train?lang=en&{_8K}&more=fit&change=trim", ("Tokens to keep",), is_slow=True),
    Link(f"/train?lang=en&{_8K}&to=sentencepiece", ("SentencePiece",), is_slow=True),
    Link(
        "/growth?lang=en&tokenizers=byte-bpe&value=tokens&text=parallel.en&on=multi",
        ("Byte-level BPE", "parallel sentences:<br>English"),
        is_slow=True,
    ),
    Link("/growth?lang=en&view=matrix&languages=ko.en", ("Korean", "English"), is_slow=True),
    Link(
        "/growth?lang=en&view=mixture&languages=ko.en&alpha=0.5&mixsize=1000&algorithm=unigram", ("0.5",), is_slow=True
    ),
    Link("/growth?lang=en&view=languages&languages=en.ko", ("English",), is_slow=True),
    Link(
        f"/search?lang=en&{_8K}&q=~그 사람&unit=words&match=exact&loose=true&sort=left.corpus&place=2&cuts=true&page=1"
        "&form=~그 사람&cut_as=~",
        ("Search a corpus", "그 사람", "orders: ['left', 'corpus']", "Show token boundaries (Thunder-Tok 8k): True"),
    ),
    Link("/search?lang=en&q=~다&saved=~written%09register=news&where=~@=written", ("Saved sub-corpora: written",)),
    Link("/search?lang=en&q=~다&sample=true", ("A random 100: True", "Page (of 3): 1")),
    Link("/search?lang=en&q=~school&files=multi", ("**school**: 3 hits in Corpora of other languages",)),
    Link("/search?lang=en&view=frequency&n=2", ("Frequent words (n = 2)",)),
    Link("/search?lang=en&view=collocates&q=~학교", ("Units near a word more often than by chance.", "logDice")),
    Link("/search?lang=en&view=dispersion&q=~학교", ("by part of the corpus", "Juilland")),
    Link(f"/token?lang=en&{_8K}&find=다.&kwic=token", ("Search a corpus", '[token=="다."]')),
    Link("/search?lang=en&view=compare&parts=~chat", ("Key words: chat · the rest",), is_slow=True),
    Link(
        f"/registers?lang=en&{_8K}&files=ko&parts=~chat\nreviews&least=9&unit=words&row=2&cut=public:gpt2",
        ("Key words: chat · reviews", "Number of words"),
        is_slow=True,
    ),
    Link(
        f"/registers?lang=ko&{_8K}&files=all&by=collection&parts=~ko\nmulti&where=~register=news",
        ("register=news",),
        is_slow=True,
    ),
    Link(
        "/registers?lang=en&files=text.0123456789abcdef01234567&own=~0123456789abcdef01234567 12 시.txt",
        ("**시.txt**: 12 lines", "Choose a corpus, or upload the text of the link."),
        is_slow=True,
    ),
    Link(
        f"/morphology?lang=en&{_8K}&gold=kaist&public=gpt2&shipped=none",
        ("'Thunder-Tok 8k', '", "public models: GPT-2", "0, tokenizer: GPT-2", "22,467"),
    ),
    Link(
        f"/morphology?lang=en&{_8K}&gold=silver&text=ko.fairytale&analyser=kiwi&paths=true&public=gpt2&shipped=none",
        ("Measure rounds and sizes: True", "public models: GPT-2", "Kiwi"),
        is_slow=True,
    ),
    Link(
        f"/morphology?lang=en&{_8K}&view=tags&tagged=builtin&measure=found&frequency=1&public=gpt2&shipped=none&tag=2",
        ("Boundaries found", "public models: GPT-2", "tokenizer: GPT-2", "JX"),
    ),
    Link(
        f"/morphology?lang=en&{_8K}&view=scores&per=tag&tagged=builtin&public=gpt2&shipped=none",
        ("public models: GPT-2", "tokenizer: GPT-2"),
    ),
    Link(
        f"/morphology?lang=en&{_8K}&view=grid&stems=~자 보&endings=~고 (으)면&public=gpt2&shipped=none",
        (
            "'Thunder-Tok 8k', '",
            "보-, -고: ",
            "-(으)면: 자|면\n",
            "Tokenizers of public models: GPT-2",
            "Trained on 25 MB of Korean: \n",
        ),
    ),
    Link(
        "/morphology?lang=en&view=jamo&algorithm=byte-bpe&jamo_size=1000&corpus=ko&forms=~갔다", ("갔다",), is_slow=True
    ),
    Link("/papers?lang=en&source=beyond&own_tokens=128000", ("Source: Beyond", "128,000")),
    Link("/papers?lang=en&source=beyond&exhibit=x_ngrams&ngram_order=5", ("5-grams",)),
    Link("/papers?lang=en&source=beyond&exhibit=x_ngrams&study_task=nsmc_test", ("Task: NSMC accuracy",)),
    Link("/papers?lang=en&tokens=2000", ("agrees: 16, differs: 19",), is_slow=True),
    # ---- models of one's own
    Link(
        "/train?lang=en&draft=ko~vocab_size-1234~score-p&kind=paste",
        ("1234", "inclusion probability P", "Korean"),
        is_slow=True,
    ),
    Link(
        "/train?lang=en&draft=ko~algorithm-superbpe~pretokenizer-gpt2~ties-tokenizers~transition-0.7",
        ("superbpe", "0.7", "before crossing spaces"),
        is_slow=True,
    ),
    Link(
        f"/train?lang=en&{_8K}&profile=byte-fallback&units=nat&job=0123",
        ("**Thunder-Tok 8k · 25 MB", "characters and byte fallback", "This training is no longer on the server"),
    ),
    # ---- how the algorithms work
    Link(
        "/learn_bpe?lang=en&words=~ab:2 cd:2 bc:1&word=~abcd&mark=none&ties=lexicographic&merges=3&step=1&at=2"
        "&picks=0.0&dropout=35",
        (
            "title: Merge 1: a + b",
            "start: 1",
            "start: 2",
            "label: abcd",
            "Dropout p (%): 35",
            "Merges: 3",
            "lexicographic",
        ),
    ),
    Link("/learn_bpe?lang=en&hide=true&source=true", ("title: Merge 1: ?", "source: e + r, ours: e + r"), is_slow=True),
    Link(
        "/learn_wordpiece?lang=en&words=~ab:2 cd:2 bc:1&word=~abcd&prefix=underscore&score=frequency&merges=3&step=1"
        "&from=own&tokens=~ab c&at=2",
        (
            "text: ab:2 cd:2 bc:1",
            "abcd_",
            "WordPiece goes by frequency here too",
            "rows: ['cd', 'no']",
            "start: 1",
            "start: 2",
            "Merges: 3",
        ),
    ),
    Link("/learn_bpe?lang=en&view=wordpiece&hide=true", ("title: Merge 1: ?", "text: unaffable"), is_slow=True),
    Link(
        "/learn_unigram?lang=en&words=~ab:2 abc:3 bc:1&word=~abc&base=bpe&bpe_merges=2&share=percent"
        "&percent=40&em=2&em_step=2&prune_step=1&target=4&hide=true",
        (
            "text: abc",
            "23 in all",
            "start: 2",
            "start: 1",
            "x% at once",
            "x (%): 40",
            "The loss of the corpus is 9.25 nats",
            "Target size (3 leaves only characters): 4",
            "Hide answers: True",
        ),
    ),
    Link(
        "/learn_unigram?lang=en&p=textbook&printed=true&word=cats",
        ("text: cats", "product: e^(−3.0)", "source: Hugging Face course, printed: 5/210"),
        is_slow=True,
    ),
    Link(
        "/learn_bytes?lang=en&text=~뷁&hex=C0 80&unknown=~감자!&known=9",
        ("code: U+BDC1", "byte: C0", "tokens: [UNK] [UNK] [UNK]", "감자!"),
    ),
    Link("/learn_bytes?lang=en&read=gpt2&hex=ìķ", ("<0xEC><0x95>",), is_slow=True),
    Link(
        "/learn_tradeoff?lang=en&sentence=~감자를 먹었다&described=ko.news&top=500&vocabulary=1000&width=64&tables=2"
        "&length=128",
        ("감 | 자를 | ␣먹었다", "With 500 words, 326"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=emoji&hide=true&counted=true&models=gpt2&compare=bytes&corpus=ko&text=~👍🏽",
        ("👍🏽", "Tokenizers of public models: GPT-2", "Trained on: Korean", "UTF-8 bytes", "Hide answers: True"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=across&spaces=within",
        ("Topic: across", "cross a space?: no (GPT-2)"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=across&across=all&text=~New York City",
        ("Topic: across", "New York City", "all built-in"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=trailing&prompt=2&reader=3&text=~http\nhttp:",
        ("Topic: trailing", "The next byte after ‘http:’", "Tokenizer: 2", "Prompt: 1"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=noise&robust=added_per_character&variant=look-alike&text=~멍멍이가 왔다",
        ("Topic: noise", "What changes: number of tokens", "댕댕이가␣왔다", "Beside the first line: Look-alike"),
        is_slow=True,
    ),
    Link(
        "/learn_failures?lang=en&topic=wrong_pairs&writer=2&models=gpt2.cl100k_base",
        ("18 ids written by 2. GPT-4", "Tokenizers of public models: GPT-2, GPT-4\n"),
    ),
    Link(
        "/exercises?lang=en&question=trace&mine=~답&answered=true",
        ("pair: ab + </w>, count: 3", "**What I think**: 답"),
    ),
    Link("/glossary?lang=en&term=byte", ("glossary.linked",)),
    Link("/glossary?lang=en&look_up=viterbi", ("1 term",), is_slow=True),
    # ---- one figure alone
    Link("/cost?lang=en&figure=picture&embed=true", ("picture_alone",)),
    Link(
        f"/?lang=en&figure=strip&embed=true&{_8K}&text=나비&and=shipped:wordpiece-32k&bytes=true",
        ("picture_alone", "chars: ['나', '비']", "name: WordPiece 32k", "kind: bytes", "Thunder-Tok 8k"),
    ),
    Link(
        f"/lattice?lang=en&figure=lattice&embed=true&{_8K}&text=고구마는&in_round=7&units=nat&add=~구마",
        ("picture_alone", "chars: ['고', '구', '마', '는']", "lp: [-6.3", "unit: nat", "'구마'", "id: [270, 344"),
        is_slow=True,
    ),
    Link(
        "/learn_bpe?lang=en&figure=stepper&embed=true&words=~ab:2 cd:2 bc:1&step=1&mark=none"
        "&ties=lexicographic&picks=0.0&merges=2",
        ("picture_alone", "title: Merge 1: a + b", "start: 1", "title: After 2 merges"),
    ),
    Link(
        "/lessons?lang=en&figure=question&embed=true&plan=50&lesson=bpe&guess=e-s&answered=true",
        ("figure_alone", "Which pair", "newest ×6", "**Computed**: e"),
    ),
    # ---- on paper, and for phones
    Link("/handout?plan=20&lang=ko", ("<h1>수업 · 20분</h1>",)),
    Link("/join?room={room}&lang=ko", ("화면에 표시된 참여 코드 네 글자",)),
)
