"""Which language a passage is in, as far as its small words tell."""

from __future__ import annotations

from heedful.text.words import words_of

_REACH = 200  # characters to either side
_ENGLISH = words_of(
    "the of and is are to for with this that it be were by from or not if all we you when has have can an"
)
_FOREIGN = words_of("""
    der das und ist nicht ein eine mit von zu den dem auf für sind wird im bei nach
    le les des est une et dans pour par avec que qui sur du
    el los las una y en por para que del con es il di che per con non è gli della
    à au aux ce il elle sont é são não em com um uma o os da dos das ao está
    de het een van en niet och att som på er ikke og
""")
_PORTUGUESE = words_of("o os um uma do da dos das em na nos ao não é são com para às à pelo pela seu sua você")
_SPANISH = words_of("el los las un una unos del al en y no es son con para por su lo está más")


def is_english(text: str, start: int, end: int) -> bool:
    words = text[max(0, start - _REACH) : end + _REACH].lower().split()
    return sum(word in _FOREIGN for word in words) <= sum(word in _ENGLISH for word in words)


def is_portuguese(text: str, start: int, end: int) -> bool | None:
    """False in Spanish; None if it is neither."""
    words = text[max(0, start - _REACH) : end + _REACH].lower().split()
    portuguese, spanish = (sum(word in known for word in words) for known in (_PORTUGUESE, _SPANISH))
    return None if portuguese == spanish else portuguese > spanish
