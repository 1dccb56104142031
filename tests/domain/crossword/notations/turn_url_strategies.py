"""Hypothesis strategies for Turn URLs: settings of any kind, and games of random legal turns."""

import random
from dataclasses import replace

from hypothesis import strategies as st

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.bag import SPECIFICATION, canonical_bag, read_bag, tile_set
from bot.domain.crossword.notations.turn_url.settings import DEFAULT_BOARD
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, GameSettings, TurnUrl, WordTurn
from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Placement
from bot.domain.crossword.scoring import check_placement, extend_to_whole_word
from bot.domain.reading.problems import RuleError
from tests.domain.crossword.notations.live_links import drawn_racks
from tests.domain.crossword.strategies import seeds

NAMES = ("", "alice", "Bob & co", "Ольга", "a=b", "x" * 50, "two  spaces", "100%", "김", "~*-._")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
LETTERS = ("A", "B", "E", "I", "N", "S", "T", "Qu", "L·L", "Ñ", "é", "Ю", "?", "[CH]", "A-1", "1", "")


def boards():
    def rows(size: tuple[int, int]):
        row = st.text(".dtDT", min_size=size[1], max_size=size[1])
        return st.lists(row, min_size=size[0], max_size=size[0]).map("-".join)

    return st.none() | st.tuples(st.integers(1, 16), st.integers(1, 16)).flatmap(rows)


@st.composite
def bags(draw, square_count: int) -> str:
    """Draw a bag param in canonical form: a language's bag with changes, or a complete list of letters."""
    language = draw(st.sampled_from(("", "", "en", "es")))
    letters = draw(st.lists(st.sampled_from(LETTERS), min_size=1, unique=True))
    segments = [language] if language else []
    for letter in letters:
        count, points = draw(st.integers(0, 40)), draw(st.integers(0, 12))
        # Without a language, or if the letter ends in a digit, both numbers are needed.
        needs_both_numbers = not language or letter[-1:].isdigit()
        suffixes = (
            [f"-{count}-{points}"]
            if needs_both_numbers
            else [f"-{count}-{points}", f"--{points}", f"-{count}", "-"]
        )
        segments.append(letter + draw(st.sampled_from(suffixes)))
    return canonical_bag(".".join(segments), square_count)


def _square_count(board: str | None) -> int:
    return len((board or DEFAULT_BOARD).replace("-", ""))


@st.composite
def histories_without_turns(draw) -> TurnUrl:
    """Draw a history with any settings. A setting with the format's default value is None or empty."""
    board = draw(boards())
    game_id = draw(TEXTS.filter(bool))
    names = tuple(draw(st.lists(st.sampled_from(NAMES), max_size=8)))
    settings = GameSettings(
        names=() if names == ("Player 1", "Player 2") else names,
        board=None if board == DEFAULT_BOARD else board,
        bingo_bonus=draw(st.none() | st.integers(0, 99_999).filter(lambda bonus: bonus != 42)),
        bag=draw(bags(_square_count(board))),
        rack_size=draw(st.none() | st.integers(1, 100).filter(lambda size: size != 7)),
        seed=draw(st.none() | TEXTS.filter(lambda seed: seed not in ("", game_id))),
        dictionary_type=draw(st.sampled_from((None, "consensus", "wordlist", "freeapi", "other"))),
        dictionary=draw(st.none() | TEXTS.filter(bool)),
    )
    return TurnUrl(
        game_id,
        settings=settings,
        changes=draw(st.sampled_from(((), (("p1n", "Zoe"),), (("p1n", ""), ("zz", "1"))))),
        player_id=draw(st.none() | st.integers(1, 999)),
        base=draw(
            st.sampled_from(
                ("", "https://jtobey.github.io/sw/", "http://localhost:8000/?debug", "a.example/x")
            )
        ),
        extra=tuple(draw(st.dictionaries(st.sampled_from(("view", "zz9")), TEXTS, max_size=2)).items()),
    )


@st.composite
def deltas(draw) -> TurnUrl:
    """Draw a delta with any turns, playable or not."""
    changes = st.sampled_from(((), (), (("p1n", "Zoe"),), (("bingo", "50"), ("p2n", "é"))))
    indices = st.lists(st.integers(0, 49), unique=True, max_size=4)
    words = st.lists(st.sampled_from("ABCÑQ"), min_size=1, max_size=8).map("".join) | st.lists(
        st.sampled_from(("Qu", "A", "L·L")), min_size=2, max_size=5
    ).map(lambda letters: ".".join([*letters, "Qu"]))
    word_turns = st.builds(
        WordTurn,
        st.integers(0, 49),
        st.integers(0, 49),
        st.sampled_from(Direction),
        words,
        indices.map(sorted).map(tuple),
        changes,
    )
    exchanges = st.builds(ExchangeTurn, indices.map(tuple), changes)
    return TurnUrl(
        draw(TEXTS.filter(bool)),
        draw(st.integers(2, 900)),
        tuple(draw(st.lists(word_turns | exchanges, max_size=6))),
        changes=draw(changes),
    )


SMALL_BAG = "A-8-1.B-5-3.-2-0"
BAGS = ("en", "es", "es.-12.Qu-9", "A-30-1.B-20-3.Ю-9-8.-9-0", "A-20-1.Qu-20-6.L·L-9-4.-20-2", "en.A--9.Q-")


def _random_settings(randomness: random.Random) -> GameSettings:
    # With few tiles, some games finish.
    bag = randomness.choice((*BAGS, SMALL_BAG, SMALL_BAG, SMALL_BAG))
    board = randomness.choice((None, None, None, "-".join(["D.t.d.D..T.."] * 11)))
    names = tuple(f"Player {seat + 1}" for seat in range(randomness.choice((1, 2, 2, 3, 4))))
    return GameSettings(
        names=() if len(names) == 2 else names,
        board=board,
        bingo_bonus=randomness.choice((None, 0, 50)),
        bag=canonical_bag(bag, _square_count(board)),
        rack_size=3 if bag == SMALL_BAG else randomness.choice((None, None, 3, 9)),
        seed=randomness.choice((None, "seed", "ü~😂")),
    )


def _random_word(history: TurnUrl, randomness: random.Random, rack: tuple[int, ...]) -> WordTurn | None:
    """Return a random legal word with tiles from the rack, or None."""
    played_game = turn_url.replay(history).value.game
    position = played_game.position_at(len(history.turns))
    rules, board = played_game.rules, position.board
    letters = read_bag(
        history.settings.bag or "", _square_count(history.settings.board), SPECIFICATION
    ).letters
    texts = {number: text for text, number in tile_set(letters).machine_letters.items()}
    for _ in range(60):
        direction = randomness.choice(tuple(Direction))
        row, column = randomness.randrange(board.rows), randomness.randrange(board.columns)
        if not board.tile_count:
            row, column = rules.layout.start
        tiles = list(randomness.sample(rack, randomness.randint(1, len(rack))))
        tiles_along_word: list[int] = []
        while tiles and row + (direction is Direction.DOWN) * len(tiles_along_word) < board.rows:
            if column + (direction is Direction.ACROSS) * len(tiles_along_word) >= board.columns:
                break
            square = (
                (row, column + len(tiles_along_word))
                if direction is Direction.ACROSS
                else (row + len(tiles_along_word), column)
            )
            if board.at(*square):
                tiles_along_word.append(THROUGH)
            else:
                tile = tiles.pop()
                tiles_along_word.append(tile or -randomness.choice([number for number in texts if number]))
        placement = Placement(Coordinate(row, column, direction), tuple(tiles_along_word))
        try:
            placement = extend_to_whole_word(board, placement)
            check_placement(board, placement, rules)
        except RuleError:
            continue
        word = [
            texts[abs(tile or board.at(*square))]
            for square, tile in zip(placement.squares(), placement.tiles, strict=True)
        ]
        if len(word) == 1 and len(word[0]) > 1:
            continue
        return WordTurn(
            placement.start.row,
            placement.start.column,
            direction,
            ("" if all(len(letter) == 1 for letter in word) else ".").join(word),
            tuple(index for index, tile in enumerate(placement.tiles) if tile < 0),
        )
    return None


@st.composite
def played_histories(draw, max_turns: int = 12) -> TurnUrl:
    """Draw a history of random legal turns, sometimes to the end of the game."""
    randomness = random.Random(draw(seeds))
    history = TurnUrl(f"g{randomness.randrange(10**6)}", settings=_random_settings(randomness))
    for _ in range(draw(st.integers(0, max_turns))):
        replayed = turn_url.replay(history).value
        if replayed.is_over:
            break
        seat = len(history.turns) % len(history.settings.player_names)
        rack = drawn_racks(history)[seat]
        turn: WordTurn | ExchangeTurn | None = None
        if randomness.random() < 0.85:
            turn = _random_word(history, randomness, rack)
        if turn is None:
            position = replayed.game.position_at(len(history.turns))
            count = min(randomness.randint(0, len(rack)), position.bag_count)
            turn = ExchangeTurn(tuple(randomness.sample(range(len(rack)), count)))
        if randomness.random() < 0.1:
            turn = replace(turn, changes=(("p1n", randomness.choice(NAMES)),))
        history = replace(history, turns=(*history.turns, turn))
    return history
