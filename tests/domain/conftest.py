"""How hypothesis behaves in the tests of the domain: the time of a single example is no verdict on a shared machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("domain", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("domain")
