"""The tools of the MCP server: one per operation that has a `tool` name.

Imported with the first question for tools: the server is ready while a host still reads who it is.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from heedful.records import context
from heedful.records.rule_context import RuleContext
from heedful.text.fence import harmless, line
from heedful.wire import Wire, dump, wires

if TYPE_CHECKING:
    from heedful.edges.mcp import Run

_BLOCKS: Mapping[type, str] = {context.Context: "text", RuleContext: "prompt"}
"""Fields of results that are fenced already."""


def tools(run: Run[Any]) -> list[Tool]:
    return [_tool(wire, run) for wire in wires() if wire.operation.tool is not None]


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
    return model, {**model.model_json_schema(), "title": wire.operation.tool}


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
