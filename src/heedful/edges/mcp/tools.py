"""The tools of the MCP server: one per operation that has a `tool` name.

Imported with the first question for tools: the server is ready while a host still reads who it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import ToolAnnotations
from pydantic import BaseModel, ValidationError

from heedful.edges.mcp import request_of
from heedful.errors import HeedfulError, InvalidInput
from heedful.operations.toolset import ToolSet
from heedful.records import context
from heedful.records.rule_context import RuleContext
from heedful.text.fence import harmless, line
from heedful.wire import Wire, dump, wires

if TYPE_CHECKING:
    from heedful.edges.mcp import Run

_BLOCKS: Mapping[type, str] = {context.Context: "text", RuleContext: "prompt"}
"""Fields of results that are fenced already."""


_LONG_PATTERN = 80  # characters; it says which characters a name may not have, and the operation says it as well


def tools(run: Run[Any]) -> list[Tool]:
    return [_tool(wire, run) for wire in wires() if wire.operation.tool is not None]


def names_of(sets: Collection[ToolSet]) -> frozenset[str]:
    """The tools of these sets."""
    every = ((wire.operation.tool, wire.operation.tools) for wire in wires())
    return frozenset(name for name, which in every if name is not None and {which, ToolSet.ALL} & {*sets})


class _UncheckedArguments(FuncMetadata):
    """Passes arguments through unchanged: operations validate them, and the SDK would parse strings as JSON."""

    def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
        return {"given": arguments_to_validate}


def _tool(wire: Wire, run: Run[Any]) -> Tool:
    operation = wire.operation
    assert operation.tool is not None
    model, schema = _arguments(wire)
    objects = {name for name, part in schema["properties"].items() if _is_object(part)}

    async def call(ctx: Context, given: dict[str, Any]) -> dict[str, Any]:
        given = {
            name: _unpacked(value) if name in objects else value for name, value in given.items() if value is not None
        }
        try:
            checked = model.model_validate(given)
            arguments = {name: getattr(checked, name) for name in checked.model_fields_set}
            answer = await run(request_of(ctx), lambda stages: for_agents(wire.call(stages, arguments)))
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise ToolError(line(f"{InvalidInput.code}: {said}. See the schema of the tool.")) from None
        except HeedfulError as error:
            raise ToolError(line(f"{error.code}: {error}")) from None
        return answer if isinstance(answer, dict) else {"result": answer}

    reads = operation.verb == "GET"
    return Tool(
        fn=call,
        name=operation.tool,
        title=operation.summary,
        description=f"{operation.summary}.\n\n{operation.description}".strip(),
        parameters=schema,
        fn_metadata=_UncheckedArguments(arg_model=ArgModelBase, output_model=dict[str, Any]),
        is_async=True,
        context_kwarg="ctx",
        annotations=ToolAnnotations(
            read_only_hint=reads,
            destructive_hint=operation.verb == "DELETE",
            idempotent_hint=reads,
            open_world_hint=False,
        ),
    )


@cache
def _arguments(wire: Wire) -> tuple[type[BaseModel], dict[str, Any]]:
    """The arguments of a tool. Cached, as tests make many servers."""
    model = wire.model(wire.operation.parameters)
    return model, _brief(model.model_json_schema())


def _brief(schema: dict[str, Any]) -> dict[str, Any]:
    """What an agent needs to fill it in. It reads every word of it, in each session; the operation checks the rest."""
    shapes = schema.pop("$defs", {})
    choices = {name: _shortened(shape, {}) for name, shape in shapes.items() if "enum" in shape}
    brief = _shortened(schema, choices)
    others = {name: _shortened(shape, choices) for name, shape in shapes.items() if name not in choices}
    return {**brief, "$defs": others} if others else brief


def _shortened(schema: dict[str, Any], choices: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Without titles, empty defaults, and null for what may be left out; choices in their place."""
    kept = {name: value for name, value in schema.items() if name != "title"}
    if any(kept.get("default", ...) is empty for empty in (None, False)) or kept.get("default") in ("", []):
        del kept["default"]
    if (name := str(kept.get("$ref", "")).rpartition("/")[2]) in choices:
        del kept["$ref"]
        kept = {"type": "string", "enum": choices[name]["enum"], **kept}
    if len(kept.get("pattern", "")) > _LONG_PATTERN:
        kept = {name: value for name, value in kept.items() if name not in ("pattern", "minLength", "maxLength")}
    if "properties" in kept:
        kept["properties"] = {name: _shortened(part, choices) for name, part in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _shortened(kept["items"], choices)
    if "anyOf" in kept:
        kept = {**_one_of(kept.pop("anyOf"), choices), **kept}
    return kept


def _one_of(parts: list[dict[str, Any]], choices: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    some = [_shortened(part, choices) for part in parts if part.get("type") != "null"]
    if all(one.get("type") == "string" and one.keys() <= {"type", "format", "pattern"} for one in some):
        return {"type": "string"}  # a date, a time, or so long ago
    return some[0] if len(some) == 1 else {"anyOf": some}


def _is_object(schema: dict[str, Any]) -> bool:
    return any(part.get("type") == "object" for part in schema.get("anyOf", [schema]))


def _unpacked(value: Any) -> Any:
    """Some hosts send objects as JSON strings."""
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return value


def for_agents(made: Any) -> Any:
    """The result as JSON with harmless texts; a block for a prompt is unchanged."""
    parsed = orjson.loads(dump(made))
    block = _BLOCKS.get(type(made))
    return harmless(parsed) if block is None else {**harmless(parsed), block: parsed[block]}
