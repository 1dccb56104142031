"""A fixed sample of damaged inputs. ``.ci/run`` tries new inputs."""

import pytest

from tests.fuzz.showing import fuzz


@pytest.mark.parametrize("inputs", [500, pytest.param(100_000, marks=pytest.mark.long)])
async def test_damaged_inputs_get_replies(inputs):
    assert await fuzz(3_600.0, inputs, seed=1) == inputs
