"""Turns off Hypothesis' deadline for an example, because the machine may be shared."""

from hypothesis import HealthCheck, settings

settings.register_profile("chess", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chess")
