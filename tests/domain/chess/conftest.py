"""Settings of Hypothesis for the tests of chess: no deadline for an example on a shared machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("chess", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chess")
