"""Pictures in messages: Kibitz's own are positions, and all others do no harm."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image, ImageFile

from bot.chat.card import Style, View
from bot.chat.source import Attachment, Source, is_picture
from bot.domain.chess.notations import fen, pgn
from bot.domain.crossword.notations import cgp, gcg
from bot.features.showing.chess.board_scene import chess_scene, game_scene
from bot.features.showing.crossword.board_scene import position_scene
from bot.features.showing.crossword.game_scene import ending_scene, moment_scene, replay_scene, score_chart
from bot.features.showing.document_service import draw_scene
from bot.features.showing.reading.documents import read_file
from bot.features.showing.reading.pictures import open_picture
from render.png import SIGNATURE, Canvas, EmbeddedText, read_embedded_text
from render.scene import Layout
from render.theme import theme_names
from tests.positions import MAVEN, OPENING

MATE = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
GAME = """#player1 alice alice
#player2 bob bob
>alice: AEINRST 8D NASTIER +66 66
>bob: ELOPQRU E7 R.P +5 5
>alice: BDEGHIV 7F BID +20 86
"""


def sent(data: bytes, name: str = "a.png"):
    return read_file(Attachment(name, data), Source(""))


def drawn(scene) -> bytes:
    return draw_scene(scene).data


def saved(picture: Image.Image, kind: str, **options) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("layout", Layout)
def test_our_pictures_are_positions_again(theme, layout):
    style = Style(View(theme, layout))
    position = cgp.read(MAVEN).value
    [item] = sent(drawn(position_scene(position, style))).found
    assert item.format == "cgp"
    assert item.document.board == position.board
    assert item.document.rules == position.rules
    racks = [player.rack for player in item.document.players]
    assert racks == [() if layout is Layout.BOARD else player.rack for player in position.players]
    [item] = sent(drawn(chess_scene(fen.read(MATE).value, style))).found
    assert (item.format, item.text) == ("fen", MATE)


def test_a_moment_carries_no_hidden_rack():
    game, style = gcg.read(GAME).value, Style()
    for side in (None, 0, 1):
        scene = moment_scene(game, 1, side, style)
        [item] = sent(drawn(scene)).found
        visible = [bool(player.rack) for player in item.document.mover_first().players]
        rows = sorted(scene.players, key=lambda row: not row.to_move)
        assert visible == [row.rack is not None for row in rows]
    chess = pgn.read("1. e4 e5 2. Nf3").value
    [item] = sent(drawn(game_scene(chess, 2, style))).found
    assert item.text == chess.position_at(2).fen


def test_charts_replays_and_sheets_carry_nothing():
    game, style = gcg.read(GAME).value, Style()
    for scene in (score_chart(game, style), replay_scene(game, style), ending_scene(game, style)):
        data = drawn(scene)
        assert b"Kibitz" not in data
        assert all(item.sight is not None for item in sent(data).found), "boards on it are seen at most"


def told_by(data: bytes) -> EmbeddedText | None:
    """Return what a picture carries."""
    return read_embedded_text(open_picture(data))


def forged(visible: bytes, telling: bytes) -> bytes:
    """Return one picture with what another carries."""
    text = telling[telling.index(b"iTXt") - 4 : telling.index(b"IDAT") - 4]
    end = visible.index(b"IDAT") - 4
    start = visible.index(b"iTXt") - 4 if b"iTXt" in visible else end
    return visible[:start] + text + visible[end:]


def test_a_changed_picture_is_not_believed():
    style = Style()
    maven, empty = (drawn(position_scene(cgp.read(text).value, style)) for text in (MAVEN, OPENING))
    assert told_by(forged(empty, maven)) == told_by(maven)
    [item] = sent(forged(empty, maven)).found
    assert item.text.split()[0] == OPENING.split(maxsplit=1)[0], "what it shows is seen"
    assert item.sight is not None
    chart = drawn(score_chart(gcg.read(GAME).value, style))
    [refused] = sent(forged(chart, maven)).refused
    assert refused.error.code == "picture-changed"
    mate, ending = (drawn(chess_scene(fen.read(text).value, style)) for text in (MATE, ENDING))
    [item] = sent(forged(ending, mate)).found
    assert item.text.split()[0] == ENDING.split(maxsplit=1)[0], "what it shows is seen"
    assert item.sight is not None


def test_what_a_picture_carries_is_read_as_strictly_as_a_text():
    assert sent(carrying(f"fen {MATE}")).found
    assert sent(carrying("fen 9/8/8/8/8/8/8/8 w - - 0 1")).refused
    [refused] = sent(carrying("gcg #player1 a b")).refused
    assert refused.error.code == "picture-unknown"


def carrying(text: str) -> bytes:
    """Return a picture of one pixel that carries a text."""
    return Canvas(1, 1).encode([(0, 0, 0)], text)


@pytest.mark.parametrize("character", ["\0", "\n", "\r", "\x1b", "\x7f", "\x85"])
def test_what_a_picture_carries_is_one_line(character):
    assert told_by(carrying(f"cgp {OPENING} lex CSW;")) is not None
    for text in (
        f"cgp {OPENING} lex CSW{character};",
        f"{character}cgp {OPENING}",
        f"cgp {OPENING}{character}",
    ):
        assert told_by(carrying(text)) is None
        assert not sent(carrying(text)).found


@pytest.mark.parametrize("kind", ["16 bits", "palette", "see-through", "CMYK", "turned", "broken EXIF"])
def test_pictures_of_all_kinds_are_looked_at(kind):
    picture = Image.open(io.BytesIO(drawn(chess_scene(fen.read(MATE).value, Style())))).convert("RGB")
    picture = picture.resize((round(picture.width * 0.6), round(picture.height * 0.6)))
    if kind == "16 bits":
        picture = picture.convert("L")
        bright = b"".join(bytes((shade, shade)) for shade in picture.tobytes())
        data = saved(Image.frombytes("I;16", picture.size, bright), "PNG")
    elif kind == "palette":
        data = saved(picture.quantize(128), "PNG", transparency=b"\xff" * 128)
    elif kind == "see-through":
        data = saved(picture.convert("RGBA"), "PNG")
    elif kind == "CMYK":
        data = saved(picture.convert("CMYK"), "JPEG", quality=90)
    elif kind == "turned":
        exif = Image.Exif()
        exif[0x112] = 6
        data = saved(picture.transpose(Image.Transpose.ROTATE_90), "JPEG", quality=90, exif=exif.tobytes())
    else:
        data = saved(
            picture, "JPEG", quality=90, exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\x12\x01\x05\0" * 90
        )
    [item] = sent(data).found
    assert item.text.split()[0] == MATE.split(maxsplit=1)[0]


def test_a_board_on_a_large_picture_is_read():
    board = Image.open(io.BytesIO(drawn(chess_scene(fen.read(MATE).value, Style())))).convert("L")
    large = Image.new("LA", (3_600, 2_600), (255, 0))
    large.paste(board, (1_500, 900))
    [item] = sent(saved(large, "PNG", compress_level=1)).found
    assert item.text.split()[0] == MATE.split(maxsplit=1)[0]


def header(width: int, height: int) -> bytes:
    content = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    packed = b"IDAT" + zlib.compress(bytes(1_000), 9)
    chunks = (
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
        for part in (content, packed, b"IEND")
    )
    return SIGNATURE + b"".join(chunks)


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (20_000, 20_000),
        (60_000, 60_000),
        (2**31 - 1, 1),
        (24_000_001, 1),
        (5_000, 5_000),
        (1, 24_000_000),
        (24_000_000, 1),
        (700, 32_001),
    ],
)
def test_a_decompression_bomb_is_refused(width, height):
    [refused] = sent(header(width, height)).refused
    assert refused.error.code == "picture-too-large"


def test_a_picture_that_moves_is_refused():
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    for kind in ("GIF", "WEBP", "PNG"):
        data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
        [refused] = sent(data).refused
        assert refused.error.code == "picture-moves"


def test_an_animated_bomb_is_refused_without_decoding(monkeypatch):
    frame = Image.new("P", (4_000, 4_000))
    bomb = saved(
        frame, "GIF", save_all=True, append_images=[frame.point(lambda _, n=n: n) for n in (1, 2, 3)]
    )
    unpacked = []
    load = ImageFile.ImageFile.load

    def noted(picture):
        unpacked.append(picture)
        return load(picture)

    monkeypatch.setattr(ImageFile.ImageFile, "load", noted)
    [refused] = sent(bomb).refused
    assert refused.error.code in {"picture-moves", "picture-too-large"}
    assert unpacked == []


@pytest.mark.parametrize("name", ["a.txt", "a.gcg", "a.zip", "a.jpg", "a", "../../a.png", "a.png.exe"])
def test_a_picture_with_a_wrong_ending_is_read_by_its_content(name):
    style = Style()
    [item] = sent(drawn(chess_scene(fen.read(MATE).value, style)), name).found
    assert item.text == MATE


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_file_that_is_cut_off_is_refused(kind):
    whole = saved(Image.effect_noise((64, 64), 90).convert("RGB"), kind)
    assert is_picture(whole)
    assert not sent(whole).refused
    codes = {item.error.code for end in range(12, len(whole) - 40, 97) for item in sent(whole[:end]).refused}
    assert codes == {"picture-broken"}


def test_other_files_are_no_pictures():
    assert not is_picture(b"RIFF\0\0\0\0WAVE")
    assert not is_picture(MAVEN.encode())
    assert not is_picture(b"")
