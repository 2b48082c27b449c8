#!/usr/bin/env python3
# Copyright 2026 The toolvet authors
# SPDX-License-Identifier: Apache-2.0
"""An MCP server on stdio that speaks the validation protocol 1.0 (docs/protocol.md), without dependencies and without tokens.

Copy the file, put your tools into TOOLS and your own checks beside them. Each tool has a function that runs it and, if you
like, one that checks the arguments: it yields (pointer, message) for each fault that the schema cannot see. A dry run and a
live call pass the same judge, so a call that a dry run refuses never runs.
"""

import json
import sys

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
RUNS = []


def obj(required, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def check_write(arguments):
    if arguments["path"].startswith("/"):
        yield "/path", "must not be absolute"


TOOLS = {
    "conformance_write": {
        "schema": obj(["path", "mode"], path={"type": "string", "minLength": 1}, mode={"type": "string", "enum": ["full", "incremental"]},
                      retries={"type": "integer", "minimum": 0, "maximum": 9}),
        "run": lambda arguments: RUNS.append(None) or "written",
        "check": check_write,
    },
    "conformance_count": {"schema": obj([]), "run": lambda arguments: str(len(RUNS))},
}
CORE = {name: {"type": "array", "items": {"type": "string"}} for name in ("errors", "warnings", "suggestions")}
OWN = {"validate": obj(["tool", "arguments"], tool={"type": "string", "minLength": 1}, arguments={"type": "object"}),
       "validate_batch": obj(["calls"], calls={"type": "array", "minItems": 1, "maxItems": 100})}
CAPABILITY = {"supported": True, "method": "validate", "version": "1.0", "batchValidation": True, "maxBatchSize": 100,
              "levels": {"syntax": True, "semantic": True}, "cacheable": False, "caching": {"enabled": False}}
KEYWORDS = {"type", "enum", "minLength", "minimum", "maximum", "minItems", "maxItems", "properties", "required", "additionalProperties"}
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


def faults(schema, value, at=""):
    """Yields (pointer, message) for each fault, by the keywords that the schemas above use."""
    kind = schema.get("type")
    if str(kind) not in TYPES or set(schema) - KEYWORDS:
        yield at, "the schema has no type, or a keyword that this example does not know: add it to faults, or use a library"
    elif not isinstance(value, TYPES[kind]) or isinstance(value, bool) and kind != "boolean":
        yield at, f"expected {kind}"
    elif "enum" in schema and value not in schema["enum"]:
        yield at, "expected one of " + ", ".join(map(json.dumps, schema["enum"]))
    elif kind == "string" and len(value) < schema.get("minLength", 0):
        yield at, "must not be empty"
    elif kind in ("integer", "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield at, f"expected a number from {schema.get('minimum', 'any')} to {schema.get('maximum', 'any')}"
    elif kind == "array" and not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield at, f"expected from {schema.get('minItems', 0)} to {schema.get('maxItems', 'any')} entries"
    elif kind == "object":
        known = schema.get("properties", {})
        yield from ((f"{at}/{name}", "required property is missing") for name in schema.get("required", []) if name not in value)
        for name, member in value.items():
            shown = "".join(c if c.isprintable() else "\ufffd" for c in name[:100]).replace("~", "~0").replace("/", "~1")
            if name in known:
                yield from faults(known[name], member, f"{at}/{shown}")
            elif schema.get("additionalProperties") is False:
                yield f"{at}/{shown}", "property is not allowed; allowed: " + ", ".join(known)


def judge(tool, arguments):
    """Returns the verdict on a call. The texts never repeat a value of the arguments."""
    schema = TOOLS[tool]["schema"] if tool in TOOLS else OWN.get(tool)
    if schema is None or ambiguous(arguments):
        found = [("", "two readers could read the arguments differently" if schema else "the server has no tool of this name")]
    else:
        found = list(faults(schema, arguments))
    if not found and "check" in TOOLS.get(tool, {}):
        try:
            found = list(TOOLS[tool]["check"](arguments))
        except Exception as broken:
            print(f"the check of {tool} broke: {broken!r}", file=sys.stderr)
            found = [("", "a check broke, so the call was not judged")]
    return verdict(found)


def verdict(found):
    return {"valid": not found, "errors": [f"{at}: {message}" if at else message for at, message in found], "warnings": [], "suggestions": []}


def shape(call):
    """What is wrong with a dry run itself: whatever its target's arguments are, they are judged, and not refused."""
    if isinstance(call, Twice):
        return [("", "a key is given twice")]
    return list(faults(OWN["validate"], {**call, "arguments": {}} if isinstance(call, dict) else call))


def entry(call):
    return verdict(shape(call)) if shape(call) else judge(call["tool"], call.get("arguments", {}))


def batch(calls):
    results = [entry(call) for call in calls]
    joined = {name: [f"calls/{i}: {text}" for i, r in enumerate(results) for text in r[name]] for name in CORE}
    return {"valid": all(r["valid"] for r in results), **joined, "results": results}


def call(name, arguments, revision):
    """The result of a tools/call: a dry run, or a live call."""
    if name in OWN:
        refused = verdict(shape(arguments) if name == "validate" else list(faults(OWN[name], arguments)))
    else:
        refused = judge(name, arguments)
    if not refused["valid"]:
        lines = ["The call was refused before it ran:", *refused["errors"], "Nothing was executed. Fix the errors before you call again."]
        return {"content": [{"type": "text", "text": "\n- ".join(lines[:-1]) + "\n" + lines[-1]}], "isError": True,
                "_meta": {"io.github.toolvet/verdict": refused}}
    if name in OWN:
        v = entry(arguments) if name == "validate" else batch(arguments["calls"])
        result = {"content": [{"type": "text", "text": json.dumps(v)}]}
        return {**result, "structuredContent": v} if revision >= "2025-06-18" else result
    try:
        return {"content": [{"type": "text", "text": TOOLS[name]["run"](arguments)}]}
    except Exception as broken:
        print(f"{name} broke: {broken!r}", file=sys.stderr)
        return {"content": [{"type": "text", "text": "the tool broke while it ran"}], "isError": True}


def listed():
    own = {"outputSchema": {"type": "object", "properties": {"valid": {"type": "boolean"}, **CORE}, "required": ["valid", *CORE]},
           "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
           "description": "Dry run of calls of other tools of this server."}
    return [{"name": n, "inputSchema": t["schema"]} for n, t in TOOLS.items()] + [{"name": n, "inputSchema": s, **own} for n, s in OWN.items()]


class Fault(Exception):
    """A JSON-RPC error: its code and its message."""


def answer(method, params, session):
    meta = params.get("_meta", {})
    revision = isinstance(meta, dict) and meta.get("io.modelcontextprotocol/protocolVersion", session.get("revision", REVISIONS[3]))
    if not isinstance(revision, str) or ambiguous(meta):
        raise Fault(-32602, "params._meta must be an object that all readers read alike, and its protocol version a string")
    places = {"experimental": {"toolValidation": CAPABILITY}, "extensions": {"io.github.toolvet/tool-validation": CAPABILITY}}
    about = {"capabilities": {"tools": {}, **places},
             "serverInfo": {"name": "example", "version": "1.0"}}
    kept = {"ttlMs": 0, "cacheScope": "private"} if revision >= REVISIONS[4] else {}
    if method == "initialize":
        session["revision"] = params["protocolVersion"] if params.get("protocolVersion") in REVISIONS[:4] else REVISIONS[3]
        return {"protocolVersion": session["revision"], **about}
    if method == "server/discover":
        result = {"supportedVersions": [REVISIONS[4]], **about, **kept}
    elif method == "ping":
        result = {}
    elif method == "tools/list":
        result = {"tools": listed(), **kept}
    elif method == "tools/call":
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise Fault(-32602, "params must have the name of a tool, and arguments that are an object")
        if name != "validate" and isinstance(arguments, Twice) or name in TOOLS and ambiguous(arguments):
            raise Fault(-32602, "two readers could read the arguments differently")
        result = call(name, arguments, revision)
    else:
        raise Fault(-32601, "the server does not know this method")
    return {"resultType": "complete", **result} if revision >= REVISIONS[4] else result


class Twice(dict):
    """An object with a key that is given twice."""


def members(pairs):
    return dict(pairs) if len(dict(pairs)) == len(pairs) else Twice(pairs)


def ambiguous(value):
    """Whether two readers could read a value differently: a key twice, U+0000 in a key, half a character."""
    if isinstance(value, dict):
        return isinstance(value, Twice) or any("\0" in name or ambiguous(name) or ambiguous(member) for name, member in value.items())
    if isinstance(value, list):
        return any(map(ambiguous, value))
    return isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value)


def clear(value, *names):
    """Whether a value is an object without a key that some readers take for another one."""
    return type(value) is dict and not any(key.lower() in names and key not in names for key in value)


def foreign(constant):
    raise ValueError(constant)  # NaN and Infinity are no JSON


def respond(line, session):
    """Returns the answer to a message, None for a notification."""
    number = None
    try:
        if len(line) > 4_000_000:
            raise Fault(-32600, "the message is too long")
        request = json.loads(line, object_pairs_hook=members, parse_constant=foreign)
        if not clear(request, "jsonrpc", "id", "method", "params") or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
            raise Fault(-32600, "the message is no JSON-RPC request, or not the same to all readers")
        if "id" not in request:
            return None
        if type(request["id"]) is not str and (type(request["id"]) is not int or abs(request["id"]) >= 2**53):
            raise Fault(-32600, "the id must be a string, or an integer that all readers take for the same number")
        number, params = request["id"], request.get("params", {})
        if not clear(params, "name", "arguments", "_meta"):
            raise Fault(-32602, "two readers could read params differently")
        return {"jsonrpc": "2.0", "id": number, "result": answer(request["method"], params, session)}
    except Fault as fault:
        error = dict(zip(("code", "message"), fault.args))
    except RecursionError:
        error = {"code": -32600, "message": "the message nests too deep"}
    except ValueError:
        error = {"code": -32700, "message": "the message is no JSON"}
    except Exception as broken:
        print(f"a request broke: {broken!r}", file=sys.stderr)
        error = {"code": -32603, "message": "the server broke"}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def main():
    session = {}
    for line in sys.stdin.buffer:
        message = respond(line, session)
        if message:
            print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
