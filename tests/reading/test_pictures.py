"""Pictures in messages: Kibitz reads the positions in its own pictures, and rejects harmful pictures."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image, ImageFile

from bot.chat.card import Appearance, ReplyContext
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
from tests.sight.pictures import encode

MATE = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
GAME = """#player1 alice alice
#player2 bob bob
>alice: AEINRST 8D NASTIER +66 66
>bob: ELOPQRU E7 R.P +5 5
>alice: BDEGHIV 7F BID +20 86
"""


def read_picture(data: bytes, name: str = "a.png"):
    return read_file(Attachment(name, data), Source(""))


def draw(scene) -> bytes:
    return draw_scene(scene).data


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("layout", Layout)
def test_kibitz_reads_the_position_in_its_own_picture(theme, layout):
    context = ReplyContext(Appearance(theme, layout))
    position = cgp.read(MAVEN).value
    [item] = read_picture(draw(position_scene(position, context))).documents
    assert item.format == "cgp"
    assert item.document.board == position.board
    assert item.document.rules == position.rules
    racks = [player.rack for player in item.document.players]
    assert racks == [() if layout is Layout.BOARD else player.rack for player in position.players]
    [item] = read_picture(draw(chess_scene(fen.read(MATE).value, context))).documents
    assert (item.format, item.text) == ("fen", MATE)


def test_a_picture_of_a_position_in_a_game_embeds_no_hidden_rack():
    game, context = gcg.read(GAME).value, ReplyContext()
    for seat in (None, 0, 1):
        scene = moment_scene(game, 1, seat, context)
        [item] = read_picture(draw(scene)).documents
        have_racks = [bool(player.rack) for player in item.document.mover_first().players]
        rows = sorted(scene.players, key=lambda row: not row.to_move)
        assert have_racks == [row.rack is not None for row in rows]
    chess = pgn.read("1. e4 e5 2. Nf3").value
    [item] = read_picture(draw(game_scene(chess, 2, context))).documents
    assert item.text == chess.position_at(2).fen


def test_charts_replays_and_final_pictures_embed_no_text():
    game, context = gcg.read(GAME).value, ReplyContext()
    for scene in (score_chart(game, context), replay_scene(game, context), ending_scene(game, context)):
        data = draw(scene)
        assert b"Kibitz" not in data
        assert all(item.picture_confidence is not None for item in read_picture(data).documents), (
            "a document was read from embedded text"
        )


def embedded_text(data: bytes) -> EmbeddedText | None:
    return read_embedded_text(open_picture(data))


def forge(picture: bytes, other_picture: bytes) -> bytes:
    """Return a picture with another picture's embedded text."""
    text = other_picture[other_picture.index(b"iTXt") - 4 : other_picture.index(b"IDAT") - 4]
    end = picture.index(b"IDAT") - 4
    start = picture.index(b"iTXt") - 4 if b"iTXt" in picture else end
    return picture[:start] + text + picture[end:]


def test_embedded_text_that_contradicts_the_picture_is_ignored():
    context = ReplyContext()
    maven, empty = (draw(position_scene(cgp.read(text).value, context)) for text in (MAVEN, OPENING))
    assert embedded_text(forge(empty, maven)) == embedded_text(maven)
    [item] = read_picture(forge(empty, maven)).documents
    assert item.text.split()[0] == OPENING.split(maxsplit=1)[0], "the visible board was not recognized"
    assert item.picture_confidence is not None
    chart = draw(score_chart(gcg.read(GAME).value, context))
    [unreadable] = read_picture(forge(chart, maven)).unreadable_texts
    assert unreadable.error.code == "picture-changed"
    mate, ending = (draw(chess_scene(fen.read(text).value, context)) for text in (MATE, ENDING))
    [item] = read_picture(forge(ending, mate)).documents
    assert item.text.split()[0] == ENDING.split(maxsplit=1)[0], "the visible board was not recognized"
    assert item.picture_confidence is not None


def test_embedded_text_is_read_as_strictly_as_other_text():
    assert read_picture(picture_with_text(f"fen {MATE}")).documents
    assert read_picture(picture_with_text("fen 9/8/8/8/8/8/8/8 w - - 0 1")).unreadable_texts
    [unreadable] = read_picture(picture_with_text("gcg #player1 a b")).unreadable_texts
    assert unreadable.error.code == "picture-unknown"


def picture_with_text(text: str) -> bytes:
    return Canvas(1, 1).encode([(0, 0, 0)], text)


@pytest.mark.parametrize("character", ["\0", "\n", "\r", "\x1b", "\x7f", "\x85"])
def test_embedded_text_is_one_line(character):
    assert embedded_text(picture_with_text(f"cgp {OPENING} lex CSW;")) is not None
    for text in (
        f"cgp {OPENING} lex CSW{character};",
        f"{character}cgp {OPENING}",
        f"cgp {OPENING}{character}",
    ):
        assert embedded_text(picture_with_text(text)) is None
        assert not read_picture(picture_with_text(text)).documents


@pytest.mark.parametrize("kind", ["16 bits", "palette", "transparent", "CMYK", "rotated", "broken EXIF"])
def test_boards_are_recognized_in_pictures_of_all_kinds(kind):
    picture = Image.open(io.BytesIO(draw(chess_scene(fen.read(MATE).value, ReplyContext())))).convert("RGB")
    picture = picture.resize((round(picture.width * 0.6), round(picture.height * 0.6)))
    if kind == "16 bits":
        picture = picture.convert("L")
        wide_samples = b"".join(bytes((shade, shade)) for shade in picture.tobytes())
        data = encode(Image.frombytes("I;16", picture.size, wide_samples), "PNG")
    elif kind == "palette":
        data = encode(picture.quantize(128), "PNG", transparency=b"\xff" * 128)
    elif kind == "transparent":
        data = encode(picture.convert("RGBA"), "PNG")
    elif kind == "CMYK":
        data = encode(picture.convert("CMYK"), "JPEG", quality=90)
    elif kind == "rotated":
        exif = Image.Exif()
        exif[0x112] = 6
        data = encode(picture.transpose(Image.Transpose.ROTATE_90), "JPEG", quality=90, exif=exif.tobytes())
    else:
        data = encode(
            picture, "JPEG", quality=90, exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\x12\x01\x05\0" * 90
        )
    [item] = read_picture(data).documents
    assert item.text.split()[0] == MATE.split(maxsplit=1)[0]


def test_a_board_in_a_large_picture_is_read():
    board = Image.open(io.BytesIO(draw(chess_scene(fen.read(MATE).value, ReplyContext())))).convert("L")
    large_picture = Image.new("LA", (3_600, 2_600), (255, 0))
    large_picture.paste(board, (1_500, 900))
    [item] = read_picture(encode(large_picture, "PNG", compress_level=1)).documents
    assert item.text.split()[0] == MATE.split(maxsplit=1)[0]


def png_with_false_size(width: int, height: int) -> bytes:
    """Return a small PNG file with a false size in its header."""
    content = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    compressed_pixels = b"IDAT" + zlib.compress(bytes(1_000), 9)
    chunks = (
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
        for part in (content, compressed_pixels, b"IEND")
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
def test_a_decompression_bomb_is_rejected(width, height):
    [unreadable] = read_picture(png_with_false_size(width, height)).unreadable_texts
    assert unreadable.error.code == "picture-too-large"


def test_an_animated_picture_is_rejected():
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    for kind in ("GIF", "WEBP", "PNG"):
        data = encode(frames[0], kind, save_all=True, append_images=frames[1:])
        [unreadable] = read_picture(data).unreadable_texts
        assert unreadable.error.code == "picture-moves"


def test_an_animated_bomb_is_rejected_without_decoding(monkeypatch):
    frame = Image.new("P", (4_000, 4_000))
    bomb = encode(
        frame, "GIF", save_all=True, append_images=[frame.point(lambda _, n=n: n) for n in (1, 2, 3)]
    )
    loaded_pictures = []
    load = ImageFile.ImageFile.load

    def record_load(picture):
        loaded_pictures.append(picture)
        return load(picture)

    monkeypatch.setattr(ImageFile.ImageFile, "load", record_load)
    [unreadable] = read_picture(bomb).unreadable_texts
    assert unreadable.error.code in {"picture-moves", "picture-too-large"}
    assert loaded_pictures == []


@pytest.mark.parametrize("name", ["a.txt", "a.gcg", "a.zip", "a.jpg", "a", "../../a.png", "a.png.exe"])
def test_a_picture_with_a_wrong_extension_is_read(name):
    context = ReplyContext()
    [item] = read_picture(draw(chess_scene(fen.read(MATE).value, context)), name).documents
    assert item.text == MATE


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_truncated_picture_is_rejected(kind):
    picture_data = encode(Image.effect_noise((64, 64), 90).convert("RGB"), kind)
    assert is_picture(picture_data)
    assert not read_picture(picture_data).unreadable_texts
    codes = {
        item.error.code
        for end in range(12, len(picture_data) - 40, 97)
        for item in read_picture(picture_data[:end]).unreadable_texts
    }
    assert codes == {"picture-broken"}


def test_other_files_are_not_pictures():
    assert not is_picture(b"RIFF\0\0\0\0WAVE")
    assert not is_picture(MAVEN.encode())
    assert not is_picture(b"")
