"""Hostile input, and the bounds that the program must keep while it reads it.

Bounds are of CPU time and memory, not of the clock: a busy machine is no defect.
"""

import json
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

from engine.errors import InputError
from engine.merges.model_writer import MAGIC as MERGES_MAGIC
from engine.unigram.model.writer import MAGIC as UNIGRAM_MAGIC

# The cases that broke other tools: literal tokens, marks, NUL, invisible and wide spaces, line ends, surrogates, emoji.
NASTY = (
    "<0x41>",
    "<unk>",
    "[UNK]",
    "</s>",
    "\u2581",
    "\u2581a",
    "\x00",
    "a\x00b",
    "\u200b",
    "\u3000",
    "\r\n",
    "\r",
    "\ud800",
    "\udc00\ud800",
    "👨\u200d👩\u200d👧",
    "\u1112\u1161\u11ab",
    "갂쀍뷁",
    "\ufeff",
    "\ufffe",
    "\U0010ffff",
    "\u0301" * 50,
    "a" * 5000,
    " " * 3000,
    "가" * 5000,
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "${jndi:x}",
    "../../etc/passwd",
    "%s%n",
    "((((a+)+)+)+)!",
    "\u202e\u202d",
    "ﷺ",
    "🏴\U000e0067\U000e0062",
    "１２３",
    "\t\t\t",
    "\x1b[31m",
    "NaN",
    "-0",
    "1e999",
    "{}",
    "[]",
    "~",
    "z",
    "z%%%",
    "9" * 30,
    "-1",
    "0",
    "",
    "٣",
    "²",
    "a" * 40 + "!",
    "\x85\u2028\u2029",
    "\u200d",
    "@" + "0" * 24,
    "1-2",
    "0.",
    "ko.",
    "mix.30.ko",
    "text.",
    "file.x",
    "run.",
    "İ",
    "ŉ",
)

_HEADS = (
    b"",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b"PK\x03\x04",
    b'{"a": ',
    b"a,b\n",
    b'"',
    b"\x0a\x0c\x0a\x05",
    UNIGRAM_MAGIC,
    MERGES_MAGIC,
    b"IQ== 0\n",
    b"[UNK]\n",
)

# Anything that stands where a file should have a number, a text, a list.
_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    255,
    2**31,
    2**63,
    -(2**63),
    10**30,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "a",
    "\u0000",
    "\ud800",
    "(a+)+$",
    "(?:a|a)*b",
    "<script>",
    "\u2581",
    "9" * 40,
    [],
    [[]],
    [0] * 3,
    ["a", "a"],
    {},
    {"a": {}},
    {"type": "x"},
    [["a", -1.0]],
    "no such kind",
)

CPU_SECONDS = 2.0
_FOREVER = 60
_PEAK_BYTES = 300_000_000


class Hang(BaseException):
    """An input took a minute of CPU time; not an Exception, so that nothing catches it on the way."""


def texts(seed: int, n: int) -> list[str]:
    """The nasty cases, and mixtures of them; n in all where n is larger."""
    dice = random.Random(seed)
    mixed = ("".join(dice.choices(NASTY, k=dice.randint(1, 4)))[:3000] for _ in range(n - len(NASTY)))
    return [*NASTY, *mixed]


def blobs(seed: int, n: int) -> list[bytes]:
    """Texts as bytes, and noise after what other files begin with."""
    dice = random.Random(seed)
    made = [text.encode("utf-8", "surrogatepass") for text in texts(seed, n // 2)]
    return made + [dice.choice(_HEADS) + dice.randbytes(dice.randint(0, 300)) for _ in range(n - len(made))]


def mutations(files: list[bytes], seed: int, n: int) -> Iterator[bytes]:
    """Real files with bytes changed, cut, doubled or swapped, or with a value of their JSON replaced.

    Most model files of this program get a checksum that fits: whoever wants to do harm can compute one.
    """
    dice = random.Random(seed)
    for k in range(n):
        data = files[k % len(files)]
        for _ in range(dice.choice((1, 1, 1, 3))):
            data = (_in_json if dice.random() < 0.5 else _in_bytes)(data, dice)
        yield data if dice.random() < 0.1 else signed(data)


def signed(data: bytes) -> bytes:
    """A model file of this program with a checksum that fits; other files as they are."""
    if data.startswith(UNIGRAM_MAGIC):
        return data[:-32] + sha256(data[:-32]).digest()
    if not data.startswith(MERGES_MAGIC):
        return data
    try:
        content = json.loads(data)
        content.pop("sha256", None)
        content["sha256"] = sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
        return json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, AttributeError):
        return data


def _in_bytes(data: bytes, dice: random.Random) -> bytes:
    made = bytearray(data or b"\0")
    at = dice.randrange(len(made))
    kind = dice.randrange(7)
    if kind == 0:
        made[at] = dice.randrange(256)
    elif kind == 1:
        made[at] ^= 1 << dice.randrange(8)
    elif kind == 2:
        del made[at : at + dice.choice((1, 8, len(made)))]
    elif kind == 3:
        made[at:at] = made[at : at + 40]
    elif kind == 4:
        made[at : at + 8] = b"99999999"
    elif kind == 5:
        made[at : at + 4] = dice.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0"))
    else:
        made[at:at] = dice.choice(NASTY).encode("utf-8", "surrogatepass")[:50]
    return bytes(made)


def _in_json(data: bytes, dice: random.Random) -> bytes:
    place = [dice.randrange(10**6) for _ in range(dice.randint(1, 6))]
    return replaced(data, place, dice.choice(_VALUES)) or _in_bytes(data, dice)


def replaced(data: bytes, place: Sequence[int], value: object) -> bytes:
    """The file with one value of its JSON, or of its JSON header, replaced; empty where it has none.

    `place` leads there: the how manieth entry, taken around, then the how manieth of that, and so on.
    """
    magic = UNIGRAM_MAGIC if data.startswith(UNIGRAM_MAGIC) else b""
    at = len(magic) + 8 if magic else 0
    end = at + int.from_bytes(data[len(magic) : at], "little") if magic else len(data)
    try:
        tree = json.loads(data[at:end])
        inner, key = None, None
        for number in place:
            found = tree if inner is None else inner[key]
            if not isinstance(found, (dict, list)) or not found:
                break
            inner, key = found, (list(found) if isinstance(found, dict) else range(len(found)))[number % len(found)]
        if inner is None:
            return b""
        inner[key] = value
        head = json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return b""
    return magic + len(head).to_bytes(8, "little") + head + data[end:] if magic else head


def _raise_hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hang(f"an input took {_FOREVER} s of CPU time")


def _status(name: str) -> int:
    """A figure of this process, in bytes; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)


def _reset_peak() -> None:
    # Another system, or one that forbids it, leaves the limit of the address space alone.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


@contextmanager
def bounded_memory(n_bytes: int = 1_500_000_000) -> Iterator[None]:
    """What asks for more memory than this gets a MemoryError; native code that never ends is ended by the system."""
    space, cpu = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)
    size = _status("VmSize")
    if size:
        resource.setrlimit(resource.RLIMIT_AS, (size + n_bytes, space[1]))
    before = signal.signal(signal.SIGPROF, _raise_hang)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, space)
        resource.setrlimit(resource.RLIMIT_CPU, cpu)


def check(call: Callable[[], object]) -> bool:
    """Call it: it must work (True) or refuse with a clear sentence (False), in bounded time and memory.

    Anything but InputError is a defect, and so is a replacement character that nobody typed. What took too long is
    called again: a first call may have compiled something.
    """
    for attempt in (1, 2):
        _reset_peak()
        memory, began = _status("VmRSS"), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, _FOREVER)
        resource.setrlimit(resource.RLIMIT_CPU, (int(began) + 3 * _FOREVER, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        works = True
        try:
            assert "\ufffd" not in str(call())[:10_000]
        except InputError as error:
            works, message = False, str(error)
        else:
            message = "fine"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        assert message.strip() and "Traceback" not in message
        seconds, peak = time.process_time() - began, _status("VmHWM") - memory
        if seconds <= CPU_SECONDS and peak <= _PEAK_BYTES:
            break
        assert attempt == 1, f"{seconds:.1f} s of CPU time, {peak / 1e6:.0f} MB"
    return works
