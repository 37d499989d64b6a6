"""The model heedful ships tells texts of similar meaning from others, and gives the same vectors everywhere."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from base64 import b85decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful.providers
from heedful.errors import Misconfigured, MissingExtra
from heedful.providers.embedder import LocalEmbedder
from heedful.records.embedding import Embedder
from tests.examples import examples

FOLDER = Path(heedful.providers.__file__).parent / "minilm"

DATES, MONTHS = "Always write dates as day, month, year.", "The day comes before the month in dates."
TABS, INDENT = "Use tabs for indentation, not spaces.", "Indent with tabs instead of spaces."
OFFICE = "Our office in Vienna is closed on Friday."

# Vectors of the network before its weights were rounded, their largest component as 127.
EXACT = {
    DATES: (
        "2QBO?zc1YA><$zd>=6L~*%L1cHpm18A^<J(6*IOk8sRGI?Iq>?&%se7#RV7|?REAM!u=c=!T$vb$4k5&7yAe_3nA4K_b=@y@E8H@xE~V_"
        "TL|e3`t~>PN+rMI5=TBA2@udeGvDyS@!j(%5%&b-<nbN-?iJ_@!tg)<2>Kxk5C-1k0{bDl3C9Q$4<A1XI<gYsIVchT>kLr88u}Us`TqbA"
        ">)PnzOGhd6X9d##AI~8MA<GBFA`vv&p%(lS6Y2f;^ZnleR@n0*5h4{52jdzY6bjzl0P6ez5D(TS<jc!FR2~f~vFiHe_3gX@qXMuFOYRis"
        ">i^Zi@6*8!`?CN-=m7O6>L33T901zlxy~6NCGX<qwc!cOwU+-G7Tg!;tRR}wBpTc5$tL1|u@c+q<`T=?_)paU4hJDA1J^Re92#!czt$ES"
        "^bODg5%%~X4ejM(^br*$K+w_-|0xd(Dk2#x_$dA2&Dq@-LKiwH59J>F<30uE"
    ),
    TABS: (
        "^6B;Q(*Ex6KsFaY{09jOumSt^H1|93147>~_U!NQ5%Mw4yczh$wdoh*<HXI#Pw?I@@A>%I<q!t06a)=!$5g&{$}R>9v@{FyAxG;i=1w3$"
        "3l0|X)!io75iQ!?9UsCb2ksm|;0`a^^z$M8ne^uj5c+)(3i^RK^Yjq_(6-kT9UH_-=ld4P8?7l7;z#Gx*Yy|o87c?Rzz6^H57Fv%wL=ve"
        "=i~<i0_8je2P_p64))aO4D-L-w);ol-p?9IJj}4+{t?8N7OUv(KH1mk+|6JpA0Z<iM&tDWCk){6+dE$qBs~No<L?_0(i8*p3;5IZ7$6Ng"
        "ATbRfoWKLt;V%XPyfxG^<@;db@&o|M^XAhn&jiKK%n3{0FT?OH&F=gA#qAnAM&tkOA|U(gqB|!btl|syOJ2qR^vxxEt=<{|@5>b>{OSn#"
        "(gxoa^%VIC5FFtV7}7=~K<5?JRqhJm1>_F$ulPe*+ukAJ^3U=MAsh$v^j7%|"
    ),
}
# Their similarities, likewise. Rounding moves one by two hundredths; processors differ by much less.
SIMILAR = {
    (DATES, MONTHS): 0.716,
    (TABS, INDENT): 0.909,
    (DATES, TABS): 0.218,
    (MONTHS, INDENT): 0.065,
    (DATES, OFFICE): 0.067,
    (INDENT, OFFICE): 0.011,
}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return LocalEmbedder()


@pytest.mark.parametrize("text", EXACT)
def test_vectors_are_those_of_the_published_model(embedder: Embedder, text: str) -> None:
    exact = np.frombuffer(b85decode(EXACT[text]), np.int8).astype(np.float32)
    (vector,) = embedder.embed([text])
    assert vector @ exact / np.linalg.norm(exact) > 0.985


@pytest.mark.parametrize(("one", "other"), SIMILAR)
def test_similarities_are_those_of_the_published_model(embedder: Embedder, one: str, other: str) -> None:
    first, second = embedder.embed([one, other])
    assert first @ second == pytest.approx(SIMILAR[one, other], abs=0.05)


def test_the_notice_names_the_files_that_are_shipped() -> None:
    sums = dict(re.findall(r"^\| `([\w.]+)` \| `(\w{64})` \|$", (FOLDER / "NOTICE.md").read_text(), re.MULTILINE))
    assert sums == {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in sums}
    assert set(sums) == {"model.onnx", "vocab.txt"}


def test_the_name_and_the_size_are_known_before_the_model_is_loaded(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path)
    assert (embedder.name, embedder.dimensions) == ("minilm-l6-int8-1", 384)


def test_texts_of_similar_meaning_are_nearer_than_others(embedder: Embedder) -> None:
    rule, same, other = embedder.embed(
        ["Answer customers in a friendly tone.", "Be kind when you reply to clients.", "Round prices to whole euros."]
    )
    assert rule @ same > rule @ other + 0.2


def test_rows_have_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed([DATES, "", " ", "?", "日本語", "🦄", "word " * 10_000])
    assert vectors.shape == (7, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder, tmp_path: Path) -> None:
    texts = [DATES, "Short.", OFFICE, "A much longer text. " * 30, DATES]
    together = LocalEmbedder(_copy(tmp_path)).embed(texts)  # a model that remembers nothing yet
    alone = [embedder.embed([text])[0] for text in texts]
    assert together.tobytes() == b"".join(vector.tobytes() for vector in alone)


def test_what_a_caller_does_to_a_vector_does_not_reach_the_next(embedder: Embedder) -> None:
    vectors = embedder.embed([DATES])
    before = vectors.copy()
    vectors[:] = 0.0
    assert (embedder.embed([DATES]) == before).all()


@given(st.text(st.characters()))
@examples(30)
def test_any_text_has_a_vector(text: str) -> None:
    assert np.linalg.norm(LocalEmbedder().embed([text])) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    ["a" * 5_000_000, "\ud800\udfff" * 1_000_000, "\x00" * 1_000_000, "[PAD] " * 100_000],
    ids=["letters", "surrogates", "zeros", "marks"],
)
def test_a_hostile_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed([text])) == pytest.approx(1.0, abs=1e-5)


def test_threads_share_one_and_get_their_own_texts(tmp_path: Path) -> None:
    texts = [f"Invoice {number} is for customer {number * 7}." for number in range(40)]
    expected = LocalEmbedder().embed(texts)
    unloaded = LocalEmbedder(_copy(tmp_path))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: unloaded.embed([text])[0], texts))
    assert np.array(found).tobytes() == expected.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_gets_the_same_vectors_while_a_thread_of_the_parent_is_at_work() -> None:
    # A process of its own: a test runner has threads, which Python 3.12 and later warn about.
    program = f"""
import os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from heedful.providers.embedder import LocalEmbedder
embedder, stop = LocalEmbedder(), threading.Event()

def work():
    number = 0
    while not stop.is_set():
        embedder.embed([f"text {{number}} " * 20])
        number += 1

thread = threading.Thread(target=work)
thread.start()
children = []
for number in range(4):  # the first while the model is being loaded
    if (child := os.fork()) == 0:
        sys.stdout.buffer.write(embedder.embed([{DATES!r}]).tobytes())
        sys.stdout.buffer.flush()
        os._exit(0)
    children.append(child)
    embedder.embed([f"child {{number}}"])
for child in children:
    assert os.waitpid(child, 0)[1] == 0
stop.set()
thread.join()
sys.stdout.buffer.write(embedder.embed([{DATES!r}]).tobytes())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=300, check=True)
    assert run.stdout == LocalEmbedder().embed([DATES]).tobytes() * 5


def test_nothing_is_written_to_the_home_directory_and_nothing_is_warned_about(tmp_path: Path) -> None:
    program = "from heedful.providers.embedder import LocalEmbedder; LocalEmbedder().embed(['private'])"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, timeout=300, check=True
    )
    assert run.stdout + run.stderr == b""
    assert list(tmp_path.iterdir()) == []


def test_importing_it_loads_nothing_heavy() -> None:
    program = "import sys, heedful.providers.embedder; print({'numpy', 'onnxruntime'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=300, check=True)
    assert run.stdout.strip() == b"set()"


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
@pytest.mark.parametrize("harm", ["missing", "short", "changed", "a folder"])
def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path, name: str, harm: str) -> None:
    damaged = _copy(tmp_path) / name
    content = damaged.read_bytes()
    damaged.unlink()
    if harm == "short":
        damaged.write_bytes(content[:-1])
    elif harm == "changed":
        damaged.write_bytes(content[:100_000] + b"!" + content[100_001:])
    elif harm == "a folder":
        damaged.mkdir()
    with pytest.raises(Misconfigured, match=re.escape(name)) as told:
        LocalEmbedder(damaged.parent).embed([DATES])
    assert "pip install --force-reinstall" in told.value.hint


def test_a_missing_runtime_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match="onnxruntime") as told:
        LocalEmbedder(_copy(tmp_path)).embed([DATES])
    assert told.value.hint == "Install it: pip install onnxruntime"


def _copy(folder: Path) -> Path:
    for name in ("model.onnx", "vocab.txt"):
        shutil.copyfile(FOLDER / name, folder / name)
    return folder
