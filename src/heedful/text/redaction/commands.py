"""Passwords in commands, after short flags. `--password` and the like are found by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heedful.text.redaction.keywords import COMMANDS_WITHOUT_FLAG, FLAGS
from heedful.text.redaction.literals import is_placeholder
from heedful.text.redaction.spans import SensitiveSpan, offsets

_LONGEST = 1_000  # characters of a command
_END = re.compile(r"(?<!\\)\n|\||;|&&|`")
_VALUE = r"""(?:"([^"\s]{3,200})"|'([^'\s]{3,200})'|([^\s"'`;|&<>()]{3,200}))"""
_USER = r"""["']?[^\s:%,"']{1,100}"""


class Tool(NamedTuple):
    """Commands that take a password, and the pattern before it."""

    names: str
    """Separated by spaces."""
    before: str


_TOOLS = (
    Tool("curl", rf"\s(?:-u|--user|-U|--proxy-user)[ =]{{0,2}}{_USER}:"),
    Tool("http https xh", rf"\s(?:-a|--auth)[ =]{{0,2}}{_USER}:"),
    Tool("etcdctl", rf"\s--user[ =]{_USER}:"),
    Tool("smbclient smbget rpcclient", rf"\s-U *{_USER}%"),
    Tool("lftp", rf"\s-u +{_USER},"),
    Tool("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump", r"\s-p"),
    Tool("7z 7za 7zz rar unrar", r"\s-p"),
    Tool("sshpass", r"\s-p *"),
    Tool("docker podman buildah skopeo helm az twine oc mongo mongosh mongodump mongorestore cqlsh", r"\s-p +"),
    Tool("cypher-shell arangosh rdesktop influx psexec winexe", r"\s-p +"),
    Tool("redis-cli valkey-cli", r"\s-a +"),
    Tool("sqlcmd bcp isql tsql osql ipmitool mosquitto_pub mosquitto_sub unzip zip", r"\s-P *"),
    Tool("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", r"\s-w *"),
    Tool("snmpwalk snmpget snmpset snmpbulkwalk", r"\s-[AX] +"),
    Tool("ssh-keygen", r"\s-[NP] +"),
    Tool("openssl", r"\s(?:-(?:k|K) +|-pass(?:in|out)? +pass:)"),
    Tool("htpasswd", r"\s-\w*b\w* +\S{1,100} +\S{1,60} +"),
    Tool("rabbitmqctl", r"\s(?:add_user|change_password|authenticate_user) +\S{1,60} +"),
    Tool("vault", r"\slogin +(?!-)"),
    Tool("sqlplus expdp impdp sqlldr rman", r"\s[\w$#.]{1,60}/(?=[^\s@/]{3,60}@)"),
    Tool("kubectl oc", r"\s--from-literal[= ][\w.-]{1,80}="),
    Tool("net", r"\s(?:user +[\w.-]{1,60} +(?=\S+ +/add)|use\s[^\n]{0,120}?/user:\S{1,60} +(?!/))"),
    Tool("useradd usermod", r"\s-p +"),
    Tool("ConvertTo-SecureString", r"\s(?:-String +)?(?=[\"'])"),
)
_BY_NAME = {name: re.compile(rf"{tool.before}{_VALUE}") for tool in _TOOLS for name in tool.names.split()}
_PIPED = re.compile(
    r"""(?:echo|printf)[ ]+(?:-\w[ ]+)?(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s|"']{3,200}))[ ]*\|[ ]*
    (?:sudo[ ]+(?:-\w[ ]+)?(?:(?<=-S[ ])|-S|chpasswd|passwd)|chpasswd|passwd|smbpasswd
    |docker[ ]login|podman[ ]login|gh[ ]auth|helm)""",
    re.VERBOSE,
)
_NAMES = re.compile(
    rf"(?<![\w.-])(?:{'|'.join(sorted(map(re.escape, _BY_NAME), key=len, reverse=True))})(?:\.exe)?(?=\s)"
)
_PORTS = re.compile(r"\d{1,5}(?:[:/.-][\d:/.a-z-]*)?")
_FLAG = re.compile(FLAGS)


def commands(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    marks = [flag.start() for flag in _FLAG.finditer(text)]
    for rare in COMMANDS_WITHOUT_FLAG:
        if rare in lowered:
            marks.extend(offsets(rare, lowered))
    passed = 0
    for at in sorted(marks):
        if at >= passed:
            begin = max(text.rfind("\n", max(0, at - _LONGEST), at) + 1, at - _LONGEST, passed)
            line = text.find("\n", at, at + _LONGEST)
            passed = line if line >= 0 else min(len(text), at + _LONGEST)
            yield from _with_flags(text, begin, passed)
    for at in offsets("| ", lowered) if "echo" in lowered or "printf" in lowered else ():
        line = max(text.rfind("\n", max(0, at - 300), at) + 1, at - 300)
        begun = max(lowered.rfind("echo", line, at), lowered.rfind("printf", line, at))
        if begun >= 0 and (found := _PIPED.match(text, begun)):
            group = found.lastindex or 0
            start = found.start(group)
            value = found[group].removesuffix("\\n")
            if ":" in value:  # of an account
                start += value.index(":") + 1
                value = value[value.index(":") + 1 :]
            yield from _password(start, value)


def _with_flags(text: str, begin: int, end: int) -> Iterator[SensitiveSpan]:
    end_of_command = begin
    for name in _NAMES.finditer(text, begin, end):
        if name.start() < end_of_command:
            continue
        stop = _END.search(text, name.end(), end)
        end_of_command = stop.start() if stop else end
        for found in _BY_NAME[name.group().removesuffix(".exe")].finditer(text, name.end(), end_of_command):
            group = found.lastindex or 0
            value = found[group].rstrip(",.") if group == 3 else found[group]
            if not _PORTS.fullmatch(value):
                yield from _password(found.start(group), value)


def _password(start: int, value: str) -> Iterator[SensitiveSpan]:
    if len(value) >= 3 and not value.startswith(("-", "$", "/")) and not is_placeholder(value):
        yield SensitiveSpan(start, start + len(value), "PASSWORD", value)
