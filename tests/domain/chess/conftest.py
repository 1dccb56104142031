"""How hypothesis behaves in the tests of chess: the time of a single example is no verdict on a shared machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("chess", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chess")
