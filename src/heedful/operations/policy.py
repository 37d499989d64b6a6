"""Who may do what: one policy per noun, to be read aloud."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heedful.errors import Forbidden
from heedful.records.role import Role

ADMIN, INTEGRATOR, OPERATOR, REVIEWER, VIEWER = Role
EVERYONE = tuple(Role)


@dataclass(frozen=True, slots=True)
class Permission:
    """What one may do with a noun, and who may."""

    roles: frozenset[Role]
    noun: str = ""
    act: str = ""

    def require(self, role: Role) -> None:
        if role not in self.roles:
            allowed = ", ".join(known.value for known in Role if known in self.roles)
            raise Forbidden(
                f"A key with the role {role.value} may not {self.act} {self.noun}.",
                hint=f"Use a key with one of these roles: {allowed}.",
            )


def to(*roles: Role) -> Permission:
    return Permission(frozenset(roles))


class Policy:
    """Names its permissions after itself: `Events.record` is to record events."""

    def __init_subclass__(cls) -> None:
        for act, permission in list(vars(cls).items()):
            if isinstance(permission, Permission):
                setattr(cls, act, replace(permission, noun=cls.__name__.lower(), act=act))


class Events(Policy):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class Audit(Policy):
    read = to(ADMIN)


class Analytics(Policy):
    read = to(ADMIN, INTEGRATOR)


class Fixes(Policy):
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class Corrections(Policy):
    read = to(*EVERYONE)
    detect = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    apply = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    change = to(ADMIN, OPERATOR, REVIEWER)
    delete = to(ADMIN, REVIEWER)


class Contexts(Policy):
    read = to(*EVERYONE)
    compose = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class Conversations(Policy):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    mine = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    delete = to(ADMIN, REVIEWER)


class Proposals(Policy):
    read = to(*EVERYONE)
    make = to(ADMIN, INTEGRATOR, REVIEWER)
    decide = to(ADMIN, REVIEWER)


class Learnings(Policy):
    read = to(*EVERYONE)
    rate = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    change = to(ADMIN, OPERATOR, REVIEWER)
    approve = to(ADMIN, REVIEWER)
    delete = to(ADMIN, REVIEWER)
    export = to(ADMIN, INTEGRATOR)
    merge = to(ADMIN)
    clear = to(ADMIN)


class Privacy(Policy):
    read = to(*EVERYONE)
    change = to(ADMIN)


class Projections(Policy):
    read = to(ADMIN, INTEGRATOR)


class Jobs(Policy):
    read = to(ADMIN, INTEGRATOR)
    retry = to(ADMIN, INTEGRATOR)


class Keys(Policy):
    read = to(ADMIN)
    create = to(ADMIN)
    revoke = to(ADMIN)


class Webhooks(Policy):
    read = to(ADMIN, INTEGRATOR)
    create = to(ADMIN, INTEGRATOR)
    remove = to(ADMIN, INTEGRATOR)
    replay = to(ADMIN, INTEGRATOR)


class Oneself(Policy):
    read = to(*EVERYONE)
