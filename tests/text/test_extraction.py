"""The sentences for the catalogues are found in the code."""

import textwrap

from bot.text.catalogues import extract


def test_sentences_are_found_wherever_the_code_says_them(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text(
        textwrap.dedent(
            """
            say("plain {x}", x=1)
            say("one" if fine else "other")
            say.count("{number} turn", "{number} turns", 3)
            raise ParseError("a-code", "an error with {value}", value=1)
            node.fail("a-code", "joined " "over two strings")
            LATER = {"key": Phrase("said later")}
            template = "named so" if fine else "named otherwise"
            text.count("not a sentence of ours")
            log.info("nor is", "this one")
            """
        )
    )
    found = {(message.singular, message.plural) for message in extract(package)}
    assert found == {
        ("plain {x}", None),
        ("one", None),
        ("other", None),
        ("{number} turn", "{number} turns"),
        ("an error with {value}", None),
        ("joined over two strings", None),
        ("said later", None),
        ("named so", None),
        ("named otherwise", None),
    }
