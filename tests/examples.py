"""How many made-up examples a property is tried on: few in `make test`, twice as many in `make check`."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_HEALTH = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
FEW, MANY = "few", "many"
_USUAL, _LEAST = 100, 3
_FEW, _MANY = 25, 50


def register_profiles() -> None:
    """`pytest --hypothesis-profile many`; without it, few."""
    # The same examples each time: who changes one thing is not shown what is wrong with another.
    common = settings(deadline=None, derandomize=True, database=None, suppress_health_check=_HEALTH)
    settings.register_profile(FEW, common, max_examples=_FEW)
    settings.register_profile(MANY, common, max_examples=_MANY)
    settings.load_profile(FEW)


def examples(most: int) -> settings:
    """For a property that needs more or fewer examples than usual: `@examples(20)` above `@given`."""
    assert settings.default is not None
    return settings(max_examples=max(_LEAST, most * settings.default.max_examples // _USUAL))
