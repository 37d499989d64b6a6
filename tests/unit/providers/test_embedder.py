"""The model heedful ships tells texts of similar meaning from others, and gives the same vectors everywhere."""

from __future__ import annotations

import hashlib
import os
import platform
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
from heedful.providers import onnx
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
        "10Lxr!zkV0*9I6G?-~aE*AFZUE6e)@9Rnxt7Cpu_5#u1{>M7v-)V@a}w+$W@>}lv7(e4%-zyt>d%t6x^7xWf56A|4S?KAN!{UrzN%n$(sK"
        "@rpW<oz-GQ6|Xb21+>>00z`RB<AzL^5OU>4e|T*+VTww`XcNU%lSV54&)#U0tV{Z0`wfj?8g%u5*kkpH>45MJ0%|j><UTH755<r{Q&y~?c"
        "3(-IX^DvWD45<A=wfUAJ7WP5&bgFpDGF?`Thj^^ZNS+QQq|?ASoaS|K=wjBoq7P{sQ~}{TSaR^ToSCLlzq=sP6CY?c%Z#umz|BKJFFr_6^"
        "(3-@Lp5^RWdm-~Htl@)QXtAO_v^ywD;Y74_WVtJ?d-vZDYK7~~t=upp(+6dUaK$06%~w-?vn=?%@#+DzgA9S;{Q0_ZWl93oub(Ay3s><rl"
        "l1@{Rn5a`-p@(~jxLBio1{wDMSBOxOy?i>!};o0{PI1@!A0rwL5=PCyL"
    ),
    TABS: (
        "^V{h2*6rx_CovU4{TUAd!3_ZZD)leu`z_Nf1?}_$2mB)0xgYGawfPJ0+q=%eMf1`j?CksF?h*jL3k4os(p<}I)F1f=s67wy6)o#2^gtUv6"
        "CxGj+u<C_9w*+{9vsRY0p%z~<p)6N@8KQ%oaNmN2K{Fp5cq*75b+KG?!V>+7#!0)<nSZa6Ui_S>`n92-sKMN8#ox-$P4Y|2I}lxzcCO8<m"
        "dhV{_`*e1|A(65(C}h4)@yQwevCO*x3|7FwwBp3?ay(1h(_@G|=AZ<<49g92_MaG4SsI2msdp&plQM92^QE-1rX}#1j1x2>9IoB^CceA~O"
        "#ylc)mK-ZTOE(<{m!=loOS=n?qI_0`xa-4V{z*!V%-F1-CS)%yVi<MJjfHQ)#JEhhr_vP2FfyW#!<K3>uQ@X{}BwCorO^vxO(_Vx=6)*9L"
        "j_aFNg78c_b6v{IhGxQ+*NbvaN1?>v+wf9Cm=jb!w@8<#&AukL7{80%P"
    ),
}
# Their similarities, likewise. Rounding moves one by two hundredths; processors differ by much less.
SIMILAR = {
    (DATES, MONTHS): 0.741,
    (TABS, INDENT): 0.923,
    (DATES, TABS): 0.213,
    (MONTHS, INDENT): 0.071,
    (DATES, OFFICE): 0.085,
    (INDENT, OFFICE): 0.013,
}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return LocalEmbedder()


@pytest.mark.parametrize("text", EXACT)
def test_vectors_are_those_of_the_trained_model(embedder: Embedder, text: str) -> None:
    exact = np.frombuffer(b85decode(EXACT[text]), np.int8).astype(np.float32)
    (vector,) = embedder.embed([text])
    assert vector @ exact / np.linalg.norm(exact) > 0.985


@pytest.mark.parametrize(("one", "other"), SIMILAR)
def test_similarities_are_those_of_the_trained_model(embedder: Embedder, one: str, other: str) -> None:
    first, second = embedder.embed([one, other])
    assert first @ second == pytest.approx(SIMILAR[one, other], abs=0.05)


def test_vectors_are_the_same_whether_or_not_products_of_bytes_overflow(
    embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a database can move from one processor to another."""
    assert not onnx.products_overflow() or platform.machine().lower() in ("x86_64", "amd64")
    folder = shutil.copytree(FOLDER, tmp_path / "minilm")
    monkeypatch.setattr(onnx, "products_overflow", lambda: True)
    texts = [DATES, MONTHS, TABS, INDENT, OFFICE, " ".join((DATES, TABS, OFFICE) * 10)]
    assert np.array_equal(LocalEmbedder(folder).embed(texts), embedder.embed(texts))


def test_the_notice_names_the_files_that_are_shipped() -> None:
    sums = dict(re.findall(r"^\| `([\w.]+)` \| `(\w{64})` \|$", (FOLDER / "NOTICE.md").read_text(), re.MULTILINE))
    assert sums == {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in sums}
    assert set(sums) == {"model.onnx", "vocab.txt"}


def test_the_name_and_the_size_are_known_before_the_model_is_loaded(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path)
    assert (embedder.name, embedder.dimensions) == ("minilm-moments-3", 384)


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
from heedful.providers import onnx
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
