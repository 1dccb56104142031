"""Every setting is documented and checked, and no secret is shown."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from bot.config import ConfigError, Limits, Sharding, load_settings

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    for name in ("DISCORD_TOKEN", "DATABASE_URL", "PORT", "KIBITZ_LOOK__THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def write_settings(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_apply_without_a_file():
    settings = load_settings()
    assert settings.look.theme == "light"
    assert settings.discord_token is None
    assert settings.port is None


def test_the_example_file_contains_the_defaults():
    example = ROOT / "config.example.toml"
    assert load_settings(example) == load_settings()
    documented = tomllib.loads(example.read_text(encoding="utf-8"))
    for section in ("discord", "look", "limits", "analysis", "chess", "links", "logs", "web"):
        fields = set(getattr(load_settings(), section).__struct_fields__)
        assert fields - set(documented[section]) <= {
            "port",
            "bases",
            "authority",
        }, "a setting is not in the example"


def test_the_environment_overrides_the_file(tmp_path, monkeypatch):
    path = write_settings(tmp_path, '[look]\ntheme = "dark"\nlayout = "tall"\n')
    assert load_settings(path).look.theme == "dark"
    monkeypatch.setenv("KIBITZ_LOOK__THEME", "light")
    settings = load_settings(path)
    assert (settings.look.theme, settings.look.layout) == ("light", "tall")


@pytest.mark.parametrize(
    ("shards", "replica", "replicas", "sharding"),
    [
        ("", None, None, Sharding()),
        ("auto", None, None, Sharding(divided=True)),
        ("auto/64", None, None, Sharding(64, divided=True)),
        ("3/64", None, None, Sharding(64, (3,))),
        ("0-15/64", None, None, Sharding(64, tuple(range(16)))),
        ("auto/8", 1, 3, Sharding(8, (1, 4, 7))),
        ("auto/2", 0, 2, Sharding(2, (0,))),
        ("auto/3", 0, 1, Sharding(3, (0, 1, 2))),
    ],
)
def test_environment_variables_set_the_shards_of_a_process(shards, replica, replicas, sharding, monkeypatch):
    variables = {"SHARDS": shards, "REPLICA": replica, "REPLICAS": replicas}
    for name, value in variables.items():
        monkeypatch.setenv(f"KIBITZ_{name}", "" if value is None else str(value))
    assert load_settings().sharding == sharding


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"SHARDS": "all"}, "KIBITZ_SHARDS must look like auto, auto/64, 3/64 or 0-15/64, not 'all'"),
        ({"SHARDS": "0-16/16"}, "shards from 0 to 15, in ascending order"),
        ({"SHARDS": "3-1/16"}, "shards from 0 to 15, in ascending order"),
        ({"SHARDS": "0/99999"}, "specifies 99999 shards; the number must be from 1 to 16000"),
        ({"SHARDS": "auto/0"}, "specifies 0 shards"),
        ({"SHARDS": "0/2", "REPLICA": "0", "REPLICAS": "2"}, "so KIBITZ_REPLICA must not be set"),
        (
            {"REPLICA": "0", "REPLICAS": "4"},
            "needs a number of shards that is the same for every process, such as KIBITZ_SHARDS=auto/4",
        ),
        ({"SHARDS": "auto/4", "REPLICA": "0"}, "must be set together"),
        ({"SHARDS": "auto/4", "REPLICA": "2", "REPLICAS": "2"}, "KIBITZ_REPLICA counts from 0"),
        ({"SHARDS": "auto/2", "REPLICA": "2", "REPLICAS": "3"}, "KIBITZ_REPLICA counts from 0"),
        ({"REPLICAS": "none"}, "the setting KIBITZ_REPLICAS is wrong"),
        ({"SHARD": "0/2"}, "the variable KIBITZ_SHARD is unknown; did you mean KIBITZ_SHARDS?"),
    ],
)
def test_invalid_shards_are_refused(variables, sentence, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(f"KIBITZ_{name}", value)
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        load_settings()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour = 1", "the setting colour is unknown"),
        ("[look]\nhue = 1", "the setting look.hue is unknown"),
        ('[look]\nlayout = "abc - at `$.x`"', "the setting look.layout must be one of wide, tall"),
        ('[look]\ntheme = "mauve"', "the theme 'mauve' is unknown; the themes are"),
        ("[limits]\nworkers = 0", "the setting limits.workers is wrong: expected int >= 1"),
        ("limits = 3", "the setting limits is wrong"),
        ('[links]\ncontact = "abc@localhost\\n"', "the setting links.contact is wrong"),
        ('[analysis.aliases]\n"a b c" = "NWL23"', "the setting analysis.aliases is wrong"),
        (
            'shards = "0/2"',
            "the setting shards belongs in the environment (KIBITZ_SHARDS), not in the file",
        ),
        ('discord_token = "abc"', "the setting discord_token belongs in the environment (DISCORD_TOKEN)"),
        ('database_url = "abc"', "the setting database_url belongs in the environment (DATABASE_URL)"),
        ("[look", "can't be read"),
    ],
)
def test_a_wrong_setting_is_reported_in_one_sentence(tmp_path, text, sentence):
    with pytest.raises(ConfigError) as caught:
        load_settings(write_settings(tmp_path, text))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "abc" not in str(caught.value)


def test_a_variable_can_hold_a_section_or_a_mapping(tmp_path, monkeypatch):
    path = write_settings(tmp_path, "[limits]\nworkers = 5\nprocesses = 5\n")
    monkeypatch.setenv("KIBITZ_LIMITS", '{"workers": 6, "channel_waiting": 6}')
    monkeypatch.setenv("KIBITZ_LIMITS__WORKERS", "7")
    monkeypatch.setenv("KIBITZ_ANALYSIS__ALIASES", '{"NWL18": "NWL23"}')
    settings = load_settings(path)
    assert settings.limits == Limits(workers=7, processes=5, channel_waiting=6)
    assert settings.analysis.aliases == {"NWL18": "NWL23"}


def test_the_value_of_a_variable_that_is_not_json_is_not_shown(monkeypatch):
    monkeypatch.setenv("KIBITZ_LIMITS", "hush")
    with pytest.raises(ConfigError, match=r"^the variable KIBITZ_LIMITS is not a JSON object$"):
        load_settings()


def test_a_missing_settings_file_is_reported(tmp_path):
    with pytest.raises(ConfigError, match="there is no settings file"):
        load_settings(tmp_path / "none.toml")


def test_secrets_are_never_shown(monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "hush-token")
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:hush-password@localhost/db")
    settings = load_settings()
    assert settings.discord_token is not None
    assert settings.discord_token.value == "hush-token"
    for shown_text in (repr(settings), str(settings), str(msgspec.structs.asdict(settings))):
        assert "hush" not in shown_text


def test_a_wrong_port_does_not_show_other_values(monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "hush-token")
    monkeypatch.setenv("PORT", "many")
    with pytest.raises(ConfigError, match="PORT") as caught:
        load_settings()
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KIBITZ_LOOK__THEM", "KIBITZ_LOOK__THEME"),
        ("KIBITZ_LOOK_THEME", "KIBITZ_LOOK__THEME"),
        ("kibitz_limit__workers", "KIBITZ_LIMITS__WORKERS"),
        ("KIBITZ_DISCORD_TOKEN", "DISCORD_TOKEN"),
        ("KIBITZ_PORT", "PORT"),
        ("KIBITZ_", None),
        ("KIBITZ_COLOURS_OF_THE_SEA", None),
    ],
)
def test_an_unknown_variable_is_refused(monkeypatch, name, expected):
    monkeypatch.setenv(name, "hush-value")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    advice = f"; did you mean {expected}?" if expected else ""
    assert str(caught.value) == f"the variable {name} is unknown{advice}"


@pytest.mark.parametrize(
    ("text", "environment", "address"),
    [
        ("", {}, None),
        ("[web]\nport = 8080", {}, ("127.0.0.1", 8080)),
        ('[web]\nport = 8080\nhost = "::"', {}, ("::", 8080)),
        ("", {"PORT": "5000"}, (None, 5000)),
        ("[web]\nport = 8080", {"PORT": "5000"}, (None, 5000)),
        ('[web]\nhost = "127.0.0.1"', {"PORT": "5000"}, ("127.0.0.1", 5000)),
        ("", {"PORT": "5000", "KIBITZ_WEB__HOST": "10.0.0.1"}, ("10.0.0.1", 5000)),
    ],
)
def test_health_pages_are_local_unless_the_environment_sets_the_port(
    tmp_path, monkeypatch, text, environment, address
):
    """A host in the settings always applies."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert load_settings(write_settings(tmp_path, text)).web_address == address
