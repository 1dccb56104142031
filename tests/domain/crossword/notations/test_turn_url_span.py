"""Turn URLs in a message."""

import json
from itertools import pairwise

import pytest

from bot.domain.crossword.notations import turn_url
from tests.domain.shared import SHARED, needs_corpus


class TestFinding:
    LINK = "https://jtobey.github.io/sw/#gid=123&v=1&bag=en&seed=12345&tn=1"
    DELTA = "http://localhost:8000/~me/#gid=1&tn=2&wl=7.7&wh=AA"
    BARE_PARAMS = "gid=1&tn=2&ex=0.1"

    def links_in(self, text):
        return [text[start:end] for start, end, _ in turn_url.find(text)]

    @pytest.mark.parametrize(
        "link", [LINK, DELTA, BARE_PARAMS, "#" + BARE_PARAMS, "a.example/sw#" + BARE_PARAMS]
    )
    @pytest.mark.parametrize(
        "template",
        [
            "{}",
            "your turn: {}",
            "{}.",
            "({})",
            "<{}>",
            "[my move]({})",
            "**{}**",
            "||{}||",
            "`{}`",
            '"{}", please!',
            "‘{}’",
            "see {}\nnext line",
            "{}?!",
            "*[x]({})*.",
            "看 {}。",
            "（{}）！",
            "「{}」、",
        ],
    )
    def test_a_link_in_a_message_is_found(self, link, template):
        assert self.links_in(template.format(link)) == [link]

    def test_several_links_in_one_message_are_found(self):
        assert self.links_in(f"{self.LINK} then {self.DELTA}, [x]({self.LINK})({self.DELTA})") == [
            self.LINK,
            self.DELTA,
            self.LINK,
            self.DELTA,
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "gid=1",
            "tn=1 gid=2",
            "https://a.example/?id=1&tn=2",
            "https://a.example/#gid=&tn=1",
            "tagid=3&tn=4",
            "gid=1 &tn=2",
            "gid=1&tn=x",
        ],
    )
    def test_no_link_is_found_in_other_text(self, text):
        assert self.links_in(text) == []

    @needs_corpus
    def test_links_in_the_corpus_are_found(self):
        path = SHARED / "corpus" / "turnurl_games.jsonl"
        steps = [
            step
            for line in path.read_text(encoding="utf-8").splitlines()
            for step in json.loads(line)["steps"]
        ]
        for step in steps:
            for url in (step["turnUrl"], step["historyUrl"]):
                assert self.links_in(f"now you (https://a.example/#{url}).") == [f"https://a.example/#{url}"]

    @pytest.mark.parametrize(
        "piece", ["gid=", "#gid=a", "gid=a&tn=", "://", "gid=1&tn=1)", "(gid=1&tn=1", "&tn=1#gid=a"]
    )
    def test_spans_in_hostile_text_do_not_overlap(self, piece):
        text = piece * (200_000 // len(piece))
        spans = list(turn_url.find(text))
        assert all(0 <= start < end <= len(text) for start, end, _ in spans)
        assert all(end <= start for (_, end, _), (start, *_) in pairwise(spans))
