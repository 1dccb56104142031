"""Names beside scores: told where they are sure, left out where they may be something else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from bot.answers.crossword.form import crossword_form
from bot.answers.findings import Findings, Found, Sight
from bot.answers.form import MAX_LINE, MAX_NAME, filled_names
from bot.answers.inspection import inspection
from bot.answers.markdown import one_line
from bot.domain.crossword.notations import cgp, json_document
from bot.sight.learning.names.text import lines_to_learn
from bot.sight.learning.names.training import LineTrainer, beside_sign
from bot.sight.scores import pairs
from bot.sight.scores.names import places
from bot.sight.scores.names.line import Box
from bot.sight.scores.names.network import NONE, SIGNS, LineNetwork
from bot.sight.scores.names.reading import Text, read_line
from bot.sight.scores.pairs import read_scores
from bot.text import speaker

from .test_scores import BOARD, ROWS, with_text

FONT = Path(__file__).parents[2] / "render" / "assets" / "fonts" / "noto-sans-medium.ttf"


def line(text: str, size: int = 24, ink: str = "black", ground: str = "white") -> tuple[np.ndarray, Box]:
    """Return a grey picture of a line, and the box of its ink."""
    font = ImageFont.truetype(FONT, size)
    picture = Image.new("L", (40 + int(font.getlength(text)), 3 * size), ground)
    pen = ImageDraw.Draw(picture)
    pen.text((20, 2 * size), text, ink, font, anchor="ls")
    return np.asarray(picture), pen.textbbox((20, 2 * size), text, font, anchor="ls")


@pytest.mark.parametrize("name", ["Tara Del Mondo", "kvz", "Kestrelin", "New Player 2", "mark_76"])
@pytest.mark.parametrize(("ink", "ground"), [("black", "white"), ("white", "#303030")])
def test_a_line_is_read(name, ink, ground):
    assert read_line(*line(name, ink=ink, ground=ground)).text == name


def test_signs_that_no_name_has_are_not_sure():
    assert read_line(*line("José")).sure < places.SURE
    assert read_line(*line("12:45")).sure < places.SURE


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """Names are not told by a bot yet, see the figures; what reads them is tested."""
    monkeypatch.setattr(pairs, "NAMES_ARE_TOLD", True)


def panel(*names: str, below: tuple[str, str] = ("", "")) -> Image.Image:
    """Return a page with two scores beside a board, a name and a smaller line above each."""
    texts = []
    for number, (name, more, score) in enumerate(zip(names, below, ("123", "98"), strict=True)):
        top = 160 + 150 * number
        texts += [(560, top, name, 24), (560, top + 34, more, 15), (560, top + 62, score, 30)]
    return with_text(*(one for one in texts if one[2]))


def test_names_stand_at_the_same_place_beside_both_scores():
    scores = read_scores(panel("Kestrelin", "Dobby"), BOARD, ROWS)
    assert scores is not None
    assert (scores.scores, scores.names) == ((123, 98), ("Kestrelin", "Dobby"))


@pytest.mark.parametrize(
    ("names", "below"),
    [
        (("Unrated", "Unrated"), ("", "")),
        (("Rating 1500", "Rating 1623"), ("", "")),
        (("12:45", "9:03"), ("", "")),
        (("GM", "IM"), ("", "")),
        (("Kestrelin", ""), ("", "")),
        (("Ив и Ян", "Жук"), ("Expert", "Novice")),
    ],
)
def test_labels_ratings_clocks_and_titles_are_no_names(names, below):
    scores = read_scores(panel(*names, below=below), BOARD, ROWS)
    assert scores is None or scores.names is None


def test_what_is_not_sure_is_left_out(monkeypatch):
    monkeypatch.setattr(
        places,
        "read_line",
        lambda grey, box, cuts=1: Text(read_line(grey, box, cuts).text, places.SURE - 0.01),
    )
    scores = read_scores(panel("Kestrelin", "Dobby"), BOARD, ROWS)
    assert scores is not None
    assert scores.names is None


def test_where_names_are_not_told_no_line_is_read(monkeypatch):
    """Nor are the weights loaded."""
    monkeypatch.setattr(pairs, "NAMES_ARE_TOLD", False)
    monkeypatch.setattr(places, "read_line", None)
    scores = read_scores(panel("Kestrelin", "Dobby"), BOARD, ROWS)
    assert scores is not None
    assert (scores.scores, scores.names) == ((123, 98), None)


POSITION = "15/15/15/15/15/3F11/3O11/3UNIVERSaL3/3N11/3T11/15/15/15/15/15 AEINRST/ 207/134 0"


def seen(*names: str) -> Found:
    found = Found("cgp", POSITION, cgp.read(POSITION).value, sight=Sight(confident=False, doubtful=("H8",)))
    return found.naming(names)


def test_names_are_kept_with_what_was_seen_until_somebody_looked():
    item = seen("name: x", "confident")
    assert [player.name for player in item.position.players] == ["name: x", "confident"]
    assert item.sight is not None
    assert Sight.read(item.sight.write()) == item.sight
    assert item.text == POSITION
    told = json.loads(json.dumps(inspection("a.png", Findings(found=(item,)))))
    assert told["items"][0]["names"] == ["name: x", "confident"]


def test_a_position_that_is_right_keeps_its_names():
    item = Found("cgp", POSITION, cgp.read(POSITION).value).naming(("a_b", "*c*"))
    assert item.format == "json"
    assert json_document.read(item.text).value == item.document
    assert seen().format == "cgp"


def test_names_are_typed_with_a_comma_between():
    assert filled_names({"names": " Ann  B ,c"}) == ("Ann B", "c")
    assert filled_names({"names": "Ann"}) == ("Ann", "")
    assert filled_names({"names": ",Bob"}) == ("", "Bob")
    assert filled_names({"names": "Ann, Smith, Bob"}) == ("Ann", "Smith, Bob")
    assert filled_names({"names": " , \u200b"}) == filled_names({}) == ()


def test_whatever_is_typed_becomes_names_that_can_be_kept():
    for typed in ("x" * 400 + ",y", "a\nb\0c\u2028,\u202egpj.exe", "\ud800, \U000e0041b", "%0A,name:%"):
        names = filled_names({"names": typed})
        assert names == tuple(one_line(name, MAX_NAME) for name in names)
        item = Found("cgp", POSITION, cgp.read(POSITION).value).naming(names)
        assert json_document.read(item.text).value == item.document
        assert [player.name for player in item.position.players] == list(names)


def test_a_form_is_filled_in_with_names_that_fit_into_its_line():
    for names in (("Ann", ""), ("x" * 400, "y" * 400), ("", "")):
        fields = {field.name: field.value for field in crossword_form(seen(*names).position, speaker("en"))}
        assert len(fields["names"]) <= MAX_LINE
        assert filled_names(fields) == (
            tuple(one_line(name, MAX_NAME) for name in names) if any(names) else ()
        )


def test_what_older_versions_kept_of_a_sight_has_no_names():
    kept = Sight.read("sides turn scores H8")
    assert kept == Sight(confident=False, doubtful=("H8",), scores=True)
    assert kept.write() == "sides turn scores H8"


def test_lines_are_learnt_from():
    random = np.random.default_rng(1)
    learnt = [one for _ in range(2) for one in lines_to_learn(random, [FONT])]
    assert len(learnt) > 5
    signs = sum((wanted > NONE).sum() for _, wanted in learnt)
    assert signs > 20
    width = 120
    long = [(one[:, :width], wanted[: width // 2]) for one, wanted in learnt if one.shape[1] >= width][:4]
    lines, steps = np.stack([one for one, _ in long]), np.stack([wanted for _, wanted in long])
    trainer = LineTrainer(30, np.random.default_rng(2))
    losses = [trainer.step(lines, steps)[0] for _ in range(12)]
    assert losses[-1] < 0.8 * losses[0]
    shares = LineNetwork(trainer.weights).shares(lines[0])
    assert shares.shape == (width // 2, len(SIGNS) + 2)
    assert beside_sign(3) < NONE
