"""Only links to supported sites are found, and only allowed pages are requested."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bot.domain.notations import detect
from bot.features.showing.reading.links import targets_in
from bot.links.sites import SITES, find_links, is_allowed_path, link_to, target_in
from bot.links.values import LinkTarget, TargetKind

WOOGLES, TABLES, LICHESS, CHESS = "woogles.io", "cross-tables.com", "lichess.org", "chess.com"
LONG_ID = "RfqTieg8s6eg4J9TXp5n7R"
UUID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"

KNOWN_LINKS = [
    ("https://woogles.io/game/p6QRjJHG", LinkTarget(WOOGLES, TargetKind.GAME, "p6QRjJHG")),
    ("https://woogles.io/game/p6QRjJHG?turn=1", LinkTarget(WOOGLES, TargetKind.GAME, "p6QRjJHG", turn=0)),
    (
        "https://woogles.io/anno/" + LONG_ID + "?turn=12",
        LinkTarget(WOOGLES, TargetKind.GAME, LONG_ID, turn=11),
    ),
    ("https://woogles.io/editor/" + LONG_ID, LinkTarget(WOOGLES, TargetKind.GAME, LONG_ID)),
    ("https://woogles.io/embed/game/p6QRjJHG", LinkTarget(WOOGLES, TargetKind.GAME, "p6QRjJHG")),
    ("https://woogles.io/puzzle/" + LONG_ID, LinkTarget(WOOGLES, TargetKind.PUZZLE, LONG_ID)),
    ("https://woogles.io/collections/" + UUID, LinkTarget(WOOGLES, TargetKind.COLLECTION, UUID)),
    (
        f"https://woogles.io/collections/{UUID}/chapter/7",
        LinkTarget(WOOGLES, TargetKind.COLLECTION, UUID, "7"),
    ),
    ("https://www.cross-tables.com/annotated.php?u=34567", LinkTarget(TABLES, TargetKind.GAME, "34567")),
    (
        "https://www.cross-tables.com/annotated.php?u=34567#5#",
        LinkTarget(TABLES, TargetKind.GAME, "34567", turn=5),
    ),
    (
        "http://cross-tables.com/annotated/selfgcg/345/anno34567.gcg",
        LinkTarget(TABLES, TargetKind.GAME, "34567"),
    ),
    ("https://lichess.org/AbCdEf12", LinkTarget(LICHESS, TargetKind.GAME, "AbCdEf12")),
    ("https://lichess.org/AbCdEf12wxyz", LinkTarget(LICHESS, TargetKind.GAME, "AbCdEf12")),
    (
        "https://lichess.org/AbCdEf12/black#14",
        LinkTarget(LICHESS, TargetKind.GAME, "AbCdEf12", turn=14, is_black_at_bottom=True),
    ),
    ("https://lichess.org/study/StUdY123", LinkTarget(LICHESS, TargetKind.STUDY, "StUdY123")),
    (
        "https://lichess.org/study/StUdY123/ChApTe01#3",
        LinkTarget(LICHESS, TargetKind.STUDY, "StUdY123", "ChApTe01", turn=3),
    ),
    ("https://lichess.org/training/00sHx", LinkTarget(LICHESS, TargetKind.PUZZLE, "00sHx")),
    ("https://lichess.org/training/mateIn2/00sHx", LinkTarget(LICHESS, TargetKind.PUZZLE, "00sHx")),
    ("https://lichess.org/training/daily", LinkTarget(LICHESS, TargetKind.PUZZLE, "daily")),
    (
        "https://lichess.org/broadcast/open/round-1/RoUnD123",
        LinkTarget(LICHESS, TargetKind.BROADCAST, "RoUnD123"),
    ),
    (
        "https://lichess.org/broadcast/open/round-1/RoUnD123/GaMe0001",
        LinkTarget(LICHESS, TargetKind.BROADCAST, "RoUnD123", "GaMe0001"),
    ),
    ("https://www.chess.com/game/live/1234567890", LinkTarget(CHESS, TargetKind.GAME, "1234567890")),
    (
        "https://www.chess.com/analysis/game/daily/1234567?tab=review",
        LinkTarget(CHESS, TargetKind.GAME, "1234567"),
    ),
    ("chess.com/game/1234567890", LinkTarget(CHESS, TargetKind.GAME, "1234567890")),
]


@pytest.mark.parametrize(("link", "target"), KNOWN_LINKS)
@pytest.mark.parametrize(
    "template", ["{}", "<{}>", "[mine]({})", "look: {}.", "**{}**", "||{}||", "{} and more"]
)
def test_a_link_is_found_with_its_target(link: str, target: LinkTarget, template: str):
    text = template.format(link)
    [(start, end, found)] = find_links(text)
    assert (text[start:end], found) == (link, target)
    [found_target] = targets_in(text)
    assert found_target.spoiler is ("||" in template)


@pytest.mark.parametrize(("link", "target"), KNOWN_LINKS)
def test_links_round_trip(link: str, target: LinkTarget):
    rebuilt_target = target_in(link_to(target))
    assert rebuilt_target is not None
    assert (rebuilt_target.site, rebuilt_target.kind, rebuilt_target.id, rebuilt_target.part) == (
        target.site,
        target.kind,
        target.id,
        target.part,
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://lichess.org/training",
        "https://lichess.org/training/themes",
        "https://lichess.org/training/frame",
        "https://lichess.org/analysis",
        "https://lichess.org/@/alice",
        "https://lichess.org/practice",
        "https://lichess.org/AbCdEf1",
        "https://lichess.org/AbCdEf12x",
        "https://lichess.org/AbCdEf12/../../account",
        "https://lichess.org/AbCdEf12%2F..%2Faccount",
        "https://lichess.org:8443/AbCdEf12",
        "https://alice@lichess.org/AbCdEf12",
        "https://lichess.org@example.org/AbCdEf12",
        "https://lichess.org.example.org/AbCdEf12",
        "https://notlichess.org/AbCdEf12",
        "https://api.lichess.org/AbCdEf12",
        "https://example.org/lichess.org/AbCdEf12",
        "https://example.org/?u=https://lichess.org/AbCdEf12",
        "https://liche\u0455s.org/AbCdEf12",
        "https://lichess\u3002org/AbCdEf12",
        "https://127.0.0.1/game/p6QRjJHG",
        "https://2130706433/game/p6QRjJHG",
        "https://[::1]/game/p6QRjJHG",
        "https://woogles.io/game/p6QRjJH0",
        "https://woogles.io/game/",
        "https://woogles.io/game/p6QRjJHG%00",
        "https://woogles.io/tournament/abcd",
        "https://www.cross-tables.com/annotated.php?u=1%26x",
        "https://www.cross-tables.com/annotated.php?u=12345678",
        "https://www.chess.com/member/alice",
    ],
)
def test_unsupported_links_are_ignored(text: str):
    assert list(find_links(text)) == []


def test_one_page_is_cached_for_all_its_urls():
    """Pages are cached by their request, which contains only the id. Ids are case-sensitive."""

    def request_for(link: str) -> object:
        target = target_in(link)
        assert target is not None
        return SITES[target.site].next_request(target, ())

    equivalent_paths = [
        "AbCdEf12",
        "AbCdEf12wxyz",
        "AbCdEf12/black#7",
        "AbCdEf12?color=black",
        "embed/game/AbCdEf12",
    ]
    assert len({request_for(f"https://lichess.org/{path}") for path in equivalent_paths}) == 1
    distinct_ids = ["AbCdEf12", "abCdEf12", "AbCdEf13"]
    assert len({request_for(f"https://lichess.org/{path}") for path in distinct_ids}) == len(distinct_ids)
    woogles = ["game/p6QRjJHG", "game/p6QRjJHG?turn=4", "embed/game/p6QRjJHG", "game/p6QRjJHg"]
    assert len({request_for(f"https://woogles.io/{path}") for path in woogles}) == 2


def test_a_link_inside_a_game_is_ignored():
    game = '[Event "?"]\n[Site "https://lichess.org/AbCdEf12"]\n[White "alice"]\n\n1. e4 e5 2. Nf3 *'
    assert targets_in(game, detect(game)) == ()
    assert len(targets_in(game)) == 1


def test_at_most_fifty_links_are_read_from_a_text():
    links = [f"https://woogles.io/game/p6QRjJ{number}" for number in range(22, 99) if number % 10 > 1]
    assert len(links) > 50
    assert len(list(find_links(" ".join(links)))) == 50


HOSTILE_LINKS = st.one_of(
    st.text(max_size=80),
    st.builds(
        "{}{}{}{}{}".format,
        st.sampled_from(["https://", "http://", "", "//", "https:\\\\", "ftp://", "HTTPS://www."]),
        st.sampled_from(["", "alice@", "a:b@", "lichess.org@", "woogles.io%00@"]),
        st.sampled_from(
            [
                *(site.name for site in SITES.values()),
                "lichess.org.",
                "lichess.org:443",
                "xn--liches-hwa.org",
                "127.0.0.1",
                "0x7f.1",
                "[::ffff:127.0.0.1]",
                "169.254.169.254",
                "ⓦoogles.io",
                "woogles\u200b.io",
            ]
        ),
        st.sampled_from(
            [
                "/game/",
                "/anno/",
                "/study/",
                "/training/",
                "/annotated.php?u=",
                "/",
                "/broadcast/a/b/",
                "/collections/",
            ]
        ),
        st.text("p6QRjJHGabcXYZ0189./%\\#?&=:@-\n\r\t\0é", max_size=40),
    ),
)


@given(st.lists(HOSTILE_LINKS, max_size=4).map(" ".join))
def test_only_allowed_paths_are_requested(text: str):
    for _, _, target in find_links(text):
        site = SITES[target.site]
        pages: tuple[bytes | None, ...] = ()
        while request := site.next_request(target, pages):
            assert request.site == site.name
            assert is_allowed_path(request.site, request.path)
            assert request.path.isascii()
            assert request.path.isprintable()
            assert ".." not in request.path
            assert not set(request.body) & set("\\\n\r\0")
            pages = (*pages, b"")
            assert len(pages) < 4
