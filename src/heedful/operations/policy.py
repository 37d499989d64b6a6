"""Which roles may do what: one policy per noun."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heedful.errors import Forbidden
from heedful.records.role import Role

ADMIN, INTEGRATOR, OPERATOR, REVIEWER, VIEWER = Role
EVERYONE = tuple(Role)


@dataclass(frozen=True, slots=True)
class Permission:
    """One action on one noun, and the roles that may perform it."""

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
    """Completes its permissions with their names: `EventPolicy.record` allows a role to record events."""

    def __init_subclass__(cls, noun: str) -> None:
        for act, permission in list(vars(cls).items()):
            if isinstance(permission, Permission):
                setattr(cls, act, replace(permission, noun=noun, act=act))


class EventPolicy(Policy, noun="events"):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class AuditPolicy(Policy, noun="audit"):
    read = to(ADMIN)


class AnalyticsPolicy(Policy, noun="analytics"):
    read = to(ADMIN, INTEGRATOR)


class FixPolicy(Policy, noun="fixes"):
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class CorrectionPolicy(Policy, noun="corrections"):
    read = to(*EVERYONE)
    detect = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    apply = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    change = to(ADMIN, OPERATOR, REVIEWER)
    delete = to(ADMIN, REVIEWER)


class ContextPolicy(Policy, noun="contexts"):
    read = to(*EVERYONE)
    compose = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class ConversationPolicy(Policy, noun="conversations"):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    mine = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    delete = to(ADMIN, REVIEWER)


class ProposalPolicy(Policy, noun="proposals"):
    read = to(*EVERYONE)
    make = to(ADMIN, INTEGRATOR, REVIEWER)
    decide = to(ADMIN, REVIEWER)


class ReviewPolicy(Policy, noun="reviews"):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    evaluate = to(ADMIN, INTEGRATOR, REVIEWER)


class DocumentPolicy(Policy, noun="documents"):
    read = to(*EVERYONE)
    record = to(ADMIN, INTEGRATOR, OPERATOR)
    extract = to(ADMIN, INTEGRATOR, OPERATOR)
    correct = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    delete = to(ADMIN, OPERATOR)
    erase = to(ADMIN)


class MappingPolicy(Policy, noun="mappings"):
    read = to(*EVERYONE)
    decide = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)


class RulePolicy(Policy, noun="rules"):
    read = to(*EVERYONE)


class LearningPolicy(Policy, noun="learnings"):
    read = to(*EVERYONE)
    rate = to(ADMIN, INTEGRATOR, OPERATOR, REVIEWER)
    change = to(ADMIN, OPERATOR, REVIEWER)
    approve = to(ADMIN, REVIEWER)
    delete = to(ADMIN, REVIEWER)
    export = to(ADMIN, INTEGRATOR)
    merge = to(ADMIN)
    clear = to(ADMIN)


class PrivacyPolicy(Policy, noun="privacy"):
    read = to(*EVERYONE)
    change = to(ADMIN)


class ForgettingPolicy(Policy, noun="people"):
    forget = to(ADMIN)


class ProjectionPolicy(Policy, noun="projections"):
    read = to(ADMIN, INTEGRATOR)


class JobPolicy(Policy, noun="jobs"):
    read = to(ADMIN, INTEGRATOR)
    retry = to(ADMIN, INTEGRATOR)


class KeyPolicy(Policy, noun="keys"):
    read = to(ADMIN)
    create = to(ADMIN)
    revoke = to(ADMIN)


class WebhookPolicy(Policy, noun="webhooks"):
    read = to(ADMIN, INTEGRATOR)
    create = to(ADMIN, INTEGRATOR)
    remove = to(ADMIN, INTEGRATOR)
    replay = to(ADMIN, INTEGRATOR)


class OwnKeyPolicy(Policy, noun="their own key"):
    read = to(*EVERYONE)
