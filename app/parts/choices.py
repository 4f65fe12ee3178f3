"""Controls with translated options, stored in the URL by code; and controls shared by several pages."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

import streamlit as st

from app.parts.tables.units import UNITS
from app.session.url import UrlValue, one_of, some_of, whole_number
from app.texts.i18n import t
from app.texts.plain import plain

N = TypeVar("N", int, float)
LabelVisibility = Literal["visible", "hidden", "collapsed"]

_WON, _MAX_WON = 1400, 100_000  # for a dollar
_NONE = "none"  # in the URL: an empty list, if the default is not empty


def url_choice(
    param: str,
    label: str,
    options: Mapping[str, str],
    default: str,
    help_text: str | None = None,
    label_visibility: LabelVisibility = "visible",
) -> str:
    """One of a few options, as `param=<code>` in the URL unless it is the default.

    Parameters
    ----------
    options : texts by code.
    """
    value = UrlValue(param, _choice_key(param), one_of(options), str, default)
    read_choice(param, options, default)
    chosen = st.segmented_control(
        label,
        list(options),
        format_func=dict(options).__getitem__,
        key=value.key,
        required=True,
        help=help_text,
        persist_state="session",
        wrap=True,
        label_visibility=label_visibility,
    )
    code = str(chosen or default)
    value.publish(code)
    return code


def read_choice(param: str, options: Container[str], default: str) -> str:
    """The option of a `url_choice` set by the session or the link, without drawing its control."""
    value = UrlValue(param, _choice_key(param), one_of(options), str, default)
    if value.adopt() not in options:
        value.set(default)
    return value.value


def _choice_key(param: str) -> str:
    return f"choice.{param}"


def chosen(param: str) -> str | list[str] | None:
    """What the session has chosen so far, perhaps on another page and not an option here."""
    return st.session_state.get(_choice_key(param))


def set_choice(param: str, code: str | list[str]) -> None:
    """Choose an option of a `url_choice`, or the options of a `url_list`; for callbacks."""
    st.session_state[_choice_key(param)] = code


def url_toggle(param: str, label: str, help_text: str | None = None) -> bool:
    """A switch, as `param=true` or `false` in the URL unless it stands as at first; the same on every page."""
    return st.toggle(label, key=param, bind="query-params", persist_state="session", help=help_text)


def url_slider(
    param: str,
    label: str,
    low: N,
    high: N,
    default: N,
    step: N | None = None,
    help_text: str | None = None,
    disabled: bool = False,
) -> N:
    """A slider, as `param=<number>` in the URL unless it stands as at first; the same on every page."""
    return st.slider(
        label,
        low,
        high,
        default,
        step,
        key=param,
        help=help_text,
        disabled=disabled,
        bind="query-params",
        persist_state="session",
    )


def url_field(url: UrlValue[str], label: str, most: int, help_text: str | None = None, is_alone: bool = False) -> str:
    """A field for a text of at most `most` characters, which `url` has; the label of one that stands alone is in it."""
    url.adopt()
    typed = st.text_input(
        label,
        key=url.key,
        max_chars=most,
        persist_state="session",
        help=help_text,
        label_visibility="collapsed" if is_alone else "visible",
        placeholder=label if is_alone else None,
    )
    url.publish(typed or "")
    return typed or ""


def url_select(url: UrlValue[str], label: str, titles: Mapping[str, str], help_text: str | None = None) -> str:
    """One of many options, which `url` has, adopted before; texts by code."""
    chosen = st.selectbox(
        label, list(titles), format_func=dict(titles).__getitem__, key=url.key, persist_state="session", help=help_text
    )
    url.publish(str(chosen))
    return str(chosen)


def url_choices(param: str, label: str, options: Mapping[str, str]) -> list[str]:
    """Any of a few options, as `param=<code>.<code>` in the URL; none selected means all."""
    value = url_codes(param, _choice_key(param), options, ())
    chosen = render_pills(value.key, label, options)
    value.publish(chosen)
    return chosen or list(options)


def url_codes(
    param: str, key: str, options: Container[str], default: Sequence[str], limit: int | None = None
) -> UrlValue[list[str]]:
    """Some of the options, `limit` at most, as `param=<code>.<code>` in the URL unless they are the default."""
    known = some_of(options)
    value = UrlValue(param, key, lambda text: known(text)[:limit], lambda codes: ".".join(codes) or _NONE, [*default])
    value.set([code for code in value.adopt() if code in options])
    return value


def render_pills(key: str, label: str, options: Mapping[str, str], help_text: str | None = None) -> list[str]:
    """Any of a few options, kept under `key` in the session; texts by code."""
    chosen: Sequence[str] = st.pills(
        label,
        list(options),
        selection_mode="multi",
        format_func=dict(options).__getitem__,
        key=key,
        help=help_text,
        persist_state="session",
        wrap=True,
    )
    return list(chosen)


def url_list(
    param: str, label: str, options: Mapping[str, str], default: Sequence[str], limit: int, help_text: str | None = None
) -> list[str]:
    """Up to `limit` of many options, as `param=<code>.<code>` in the URL unless they are the default."""
    return url_several(url_codes(param, _choice_key(param), options, default, limit), label, options, limit, help_text)


def url_several(
    url: UrlValue[list[str]],
    label: str,
    titles: Mapping[str, str],
    limit: int,
    help_text: str | None = None,
    placeholder: str = "",
    is_alone: bool = False,
) -> list[str]:
    """Up to `limit` of many options, which `url` has, adopted before; texts by code. Alone, it shows no label."""
    chosen = st.multiselect(
        label,
        list(titles),
        format_func=dict(titles).__getitem__,
        key=url.key,
        help=help_text,
        max_selections=limit,
        persist_state="session",
        placeholder=placeholder or t("frame.choose"),
        label_visibility="collapsed" if is_alone else "visible",
    )
    url.publish(list(chosen))
    return list(chosen)


def url_row(param: str, label: str, titles: Sequence[str], of: str = "") -> int:
    """Index (from 0) into a list made by the page; `param=<number from 1>` in the URL unless it is the first.

    Parameters
    ----------
    of : what the list was made from; when it changes, the selection is reset.
    """

    def decode(text: str) -> int | None:
        number = whole_number(text)
        return None if number is None else number - 1

    value = UrlValue(param, f"row.{param}.{of}" if of else f"row.{param}", decode, lambda row: str(row + 1), 0)
    # The list may be shorter than when the link was made.
    if value.adopt() not in range(len(titles)):
        value.set(0)
    row = st.selectbox(
        label, range(len(titles)), format_func=list(titles).__getitem__, key=value.key, persist_state="session"
    )
    value.publish(int(row or 0))
    return int(row or 0)


def url_range(param: str, label: str, longest: int) -> tuple[int, int]:
    """A range between 0 and `longest`, as `param=<low>-<high>` in the URL unless it is the whole range."""

    def decode(text: str) -> tuple[int, int] | None:
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
        return (int(match[1]), int(match[2])) if match else None

    value = UrlValue(param, f"range.{param}", decode, lambda ends: f"{ends[0]}-{ends[1]}", (0, longest))
    low, high = value.adopt()
    value.set((low, high) if 0 <= low <= high <= longest else (0, longest))
    # A pair, because the session state has one; the type stubs only infer it from a `value` argument.
    ends: Any = st.slider(label, 0, longest, key=value.key, persist_state="session")
    low, high = ends
    value.publish((low, high))
    return low, high


def url_number(
    param: str, label: str, low: N, high: N, default: N, step: N, help_text: str | None = None, disabled: bool = False
) -> N:
    """A number field, as `param=<number>` in the URL unless it is the default.

    Streamlit's own URL binding fails on an integer such as 1e999.
    """
    kind = type(default)
    refused = f"{_number_key(param)}.refused"  # what a link asked for, until the number is changed

    def decode(text: str) -> N | None:
        with suppress(ValueError, OverflowError):
            if low <= (number := kind(text)) <= high:
                return number
        st.session_state[refused] = text[:20], default
        return None

    value = UrlValue(param, _number_key(param), decode, str, default)
    value.adopt()
    typed = st.number_input(
        label, low, high, step=step, key=value.key, help=help_text, disabled=disabled, persist_state="session"
    )
    asked, instead = st.session_state.get(refused, ("", None))
    if typed == instead:
        st.caption(t("frame.number_refused", asked=plain(asked), low=f"{low:,}", high=f"{high:,}", value=f"{typed:,}"))
    value.publish(kind(typed))
    return kind(typed)


def _number_key(param: str) -> str:
    return f"number.{param}"


def action_button(
    label: str,
    key: str,
    icon: str,
    act: Callable[..., None],
    *given: object,
    is_main: bool = False,
    is_on: bool = True,
    help_text: str | None = None,
) -> None:
    """A button that calls `act` with what is given, before the script runs again; the main one leads on."""
    kind: Literal["primary", "secondary"] = "primary" if is_main else "secondary"
    st.button(label, key, help_text, act, given, type=kind, icon=icon, disabled=not is_on)


def example_choice(key: str, names: Mapping[str, str], use: Callable[[str], None], current: str | None) -> None:
    """Examples side by side, the current one marked; a click on one calls `use` with its code.

    Parameters
    ----------
    names : texts by code.
    """
    lists = f"{key}.lists"  # incremented when the example changes otherwise
    number = st.session_state.setdefault(lists, 0)
    if st.session_state.get(f"{key}.{number}") != current:
        number = st.session_state[lists] = number + 1
        st.session_state[f"{key}.{number}"] = current

    def choose() -> None:
        # A browser that has not received this list yet still sends the example of the last one.
        if st.session_state[lists] == number and (code := st.session_state[f"{key}.{number}"] or current):
            use(code)

    st.pills(
        t("frame.examples"),
        list(names),
        format_func={code: plain(text) for code, text in names.items()}.__getitem__,
        key=f"{key}.{number}",
        wrap=True,
        on_change=choose,
        label_visibility="collapsed",
    )


def unit_choice() -> str:
    """`bit` or `nat`: the unit of entropies."""
    units = {unit: t(f"figure.unit.{unit}") for unit in UNITS}
    return url_choice("units", t("figure.unit_label"), units, UNITS[0], t("figure.unit_help"))


ROUND = "round"


def round_slider(rounds: range, default: int | None = None, key: str = ROUND) -> int:
    """The pruning round shown on a page, 0 is the seed vocabulary; `round` in the URL unless it is the default.

    Pages with the same key share their round.

    Parameters
    ----------
    rounds : the available ones; a compact model lacks some.
    default : the first of them if None.
    """
    first, last = rounds[0], rounds[-1]
    if first == last:
        st.caption(t("figure.one_round"))
        return first
    value = UrlValue("round", key, whole_number, str, first if default is None else default)
    compact = t("figure.compact", first=first, before=first - 1) if first else ""
    # Another model, or another page, may have other rounds.
    if compact and value.adopt() < first:
        st.caption(compact)
    value.set(min(max(value.adopt(), first), last))
    number = int(
        st.slider(
            t("figure.round_slider", first=first, last=last),
            first,
            last,
            key=key,
            help=f"{t('figure.round_help')} {compact}",
            persist_state="session",
        )
    )
    value.publish(number)
    return number


def won_per_dollar() -> int:
    """The exchange rate for prices, which lists have in dollars; `won` in the URL."""
    return url_number("won", t("cost.money.won"), 1, _MAX_WON, _WON, 50)
