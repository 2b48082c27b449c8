#!/usr/bin/env python3
# Copyright 2026 The toolvet authors
# SPDX-License-Identifier: Apache-2.0
"""An MCP server on stdio that speaks the validation protocol 1.0 (docs/protocol.md), without dependencies.

Copy the file, put your tools into TOOLS and your own checks beside them. Each tool has a function that runs it and, if you
like, one that checks the arguments: it yields (pointer, message) for each fault that the schema cannot see. A dry run and a
live call pass the same judge, so a call that a dry run refuses never runs.
"""

import json
import sys

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
RUNS = 0
CORE = {name: {"type": "array", "items": {"type": "string"}} for name in ("errors", "warnings", "suggestions")}
RESULT = {"type": "object", "properties": {"valid": {"type": "boolean"}, **CORE}, "required": ["valid", *CORE]}
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def obj(required, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


CALL = obj(["tool", "arguments"], tool={"type": "string", "minLength": 1}, arguments={"type": "object"})
BATCH = obj(["calls"], calls={"type": "array", "minItems": 1, "maxItems": 100})
CAPABILITY = {"supported": True, "method": "validate", "version": "1.0", "batchValidation": True, "maxBatchSize": 100,
              "levels": {"syntax": True, "semantic": True}, "cacheable": False, "caching": {"enabled": False}}


def write(arguments):
    global RUNS
    RUNS += 1
    return "written"


def check_write(arguments):
    if arguments["path"].startswith("/"):
        yield "/path", "must not be absolute"


TOOLS = {
    "conformance_write": {
        "schema": obj(["path", "mode"], path={"type": "string", "minLength": 1}, mode={"type": "string", "enum": ["full", "incremental"]},
                      retries={"type": "integer", "minimum": 0, "maximum": 9}),
        "run": write,
        "check": check_write,
    },
    "conformance_count": {
        "schema": obj([]),
        "run": lambda arguments: str(RUNS),
    },
}
KEYWORDS = {"type", "enum", "minLength", "minimum", "maximum", "minItems", "maxItems", "properties", "required", "additionalProperties", "title", "description"}
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


def faults(schema, value, at=""):
    """Yields (pointer, message) for each fault. It knows the keywords that the schemas above use."""
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or isinstance(value, bool) and kind != "boolean"):
        yield at, f"expected {kind}"
        return
    if "enum" in schema and not any(value == v and type(value) is type(v) for v in schema["enum"]):
        yield at, "expected one of " + ", ".join(json.dumps(v) for v in schema["enum"])
    if len(value) < schema.get("minLength", 0) if isinstance(value, str) else False:
        yield at, "must not be empty"
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield at, f"expected a number from {schema.get('minimum', 'any')} to {schema.get('maximum', 'any')}"
    if isinstance(value, list) and not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield at, f"expected from {schema.get('minItems', 0)} to {schema.get('maxItems', 'any')} entries"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}/{name}", "required property is missing"
        for name, member in value.items():
            if name in known:
                yield from faults(known[name], member, f"{at}/{pointer(name)}")
            elif schema.get("additionalProperties") is False:
                yield f"{at}/{pointer(name)}", "property is not allowed; allowed: " + ", ".join(known)


def pointer(name):
    """A name as a step of a JSON Pointer (RFC 6901), short and printable, since the caller chose it."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name[:100])
    return shown.replace("~", "~0").replace("/", "~1")


def judge(tool, arguments):
    """Returns the faults of a call. The texts never repeat a value of the arguments."""
    schemas = {"validate": CALL, "validate_batch": BATCH, **{name: t["schema"] for name, t in TOOLS.items()}}
    if tool not in schemas:
        return [("", "the server has no tool of this name")]
    found = list(faults(schemas[tool], arguments))
    if not found and "check" in TOOLS.get(tool, {}):
        try:
            found = list(TOOLS[tool]["check"](arguments))
        except Exception as broken:
            print(f"the check of {tool} broke: {broken!r}", file=sys.stderr)
            found = [("", "a check broke, so the call was not judged")]
    return found


def verdict(tool, arguments):
    errors = [f"{at}: {message}" if at else message for at, message in judge(tool, arguments)]
    return {"valid": not errors, "errors": errors, "warnings": [], "suggestions": []}


def entry(call):
    """The verdict of a dry run. A call of the wrong shape is an invalid call."""
    call = {"arguments": {}, **call} if isinstance(call, dict) else call
    shape = [(at, m) for at, m in faults(CALL, call) if at != "/arguments" and not at.startswith("/arguments/")]
    if shape:
        return {"valid": False, "errors": [f"{at}: {m}" if at else m for at, m in shape], "warnings": [], "suggestions": []}
    return verdict(call["tool"], call["arguments"])


def batch(calls):
    results = [entry(call) for call in calls]
    joined = {name: [f"calls/{i}: {text}" for i, r in enumerate(results) for text in r[name]] for name in CORE}
    return {"valid": all(r["valid"] for r in results), **joined, "results": results}


def refusal(v):
    lines = ["The call was refused before it ran:", *("- " + e for e in v["errors"]), "Nothing was executed. Fix the errors before you call again."]
    return {"content": [{"type": "text", "text": "\n".join(lines)}], "isError": True, "_meta": {"io.github.toolvet/verdict": v}}


def call(name, arguments, revision):
    if name in ("validate", "validate_batch"):
        shape = verdict(name, {**arguments, "arguments": {}} if name == "validate" else arguments)  # the target's arguments are judged, not refused
        if not shape["valid"]:
            return refusal(shape)
        v = entry(arguments) if name == "validate" else batch(arguments["calls"])
        result = {"content": [{"type": "text", "text": json.dumps(v)}]}
        return {**result, "structuredContent": v} if revision >= "2025-06-18" else result
    v = verdict(name, arguments)
    if not v["valid"]:
        return refusal(v)
    try:
        return {"content": [{"type": "text", "text": TOOLS[name]["run"](arguments)}]}
    except Exception as broken:
        print(f"{name} broke: {broken!r}", file=sys.stderr)
        return {"content": [{"type": "text", "text": "the tool broke while it ran"}], "isError": True}


def listed():
    tools = [{"name": n, "inputSchema": t["schema"]} for n, t in TOOLS.items()]
    for name, schema, what in (("validate", CALL, "a call"), ("validate_batch", BATCH, "several calls")):
        tools.append({"name": name, "description": f"Dry run of {what} of other tools of this server.",
                      "inputSchema": schema, "outputSchema": RESULT, "annotations": READS})
    return tools


class Fault(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


def answer(method, params, session):
    meta = params.get("_meta", {})
    revision = meta.get("io.modelcontextprotocol/protocolVersion", session.get("revision", REVISIONS[3])) if isinstance(meta, dict) else None
    if not isinstance(revision, str):
        raise Fault(-32602, "params._meta must be an object, and its protocol version a string")
    capabilities = {"tools": {}, "experimental": {"toolValidation": CAPABILITY}, "extensions": {"io.github.toolvet/tool-validation": CAPABILITY}}
    if method == "initialize":
        asked = params.get("protocolVersion")
        session["revision"] = asked if asked in REVISIONS[:4] else REVISIONS[3]
        return {"protocolVersion": session["revision"], "capabilities": capabilities, "serverInfo": {"name": "example", "version": "1.0"}}
    if method == "server/discover":
        result = {"supportedVersions": [REVISIONS[4]], "capabilities": capabilities, "serverInfo": {"name": "example", "version": "1.0"}, "ttlMs": 0, "cacheScope": "private"}
    elif method == "ping":
        result = {}
    elif method == "tools/list":
        result = {"tools": listed(), "ttlMs": 0, "cacheScope": "private"} if revision >= REVISIONS[4] else {"tools": listed()}
    elif method == "tools/call":
        if not isinstance(params.get("name"), str):
            raise Fault(-32602, "params.name must be the name of a tool")
        if not isinstance(params.get("arguments", {}), dict):
            raise Fault(-32602, "params.arguments must be an object")
        result = call(params["name"], params.get("arguments", {}), revision)
    else:
        raise Fault(-32601, "the server does not know this method")
    return {"resultType": "complete", **result} if revision >= REVISIONS[4] else result


def unique(pairs):
    """Refuses a key that is given twice: another reader would take the other value."""
    members = dict(pairs)
    if len(members) < len(pairs) or any("\0" in name for name in members):
        raise Fault(-32600, "a key is given twice, or holds U+0000")
    return members


def unknown(constant):
    raise ValueError(constant)


def respond(line, session):
    request = {}
    try:
        if len(line) > 4_000_000:
            raise Fault(-32600, "the message is too long")
        request = json.loads(line, object_pairs_hook=unique, parse_constant=unknown)  # NaN and Infinity are no JSON
        json.dumps(request, ensure_ascii=False).encode()  # fails for an unpaired surrogate
        if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
            raise Fault(-32600, "the message is no JSON-RPC request")
        if "id" not in request:
            return None
        known = type(request["id"]) in (int, str) and (isinstance(request["id"], str) or abs(request["id"]) <= 2**53)
        if not known:
            request["id"] = None
            raise Fault(-32600, "the id must be a string, or an integer that all readers take for the same number")
        params = request.get("params", {})
        other = [k for k in params if k.lower() in ("name", "arguments") and k not in ("name", "arguments")] if isinstance(params, dict) else ["params"]
        if other:
            raise Fault(-32602, "some readers take a member of params for another one")
        return {"jsonrpc": "2.0", "id": request["id"], "result": answer(request["method"], params, session)}
    except Fault as fault:
        error = {"code": fault.code, "message": fault.message}
    except (ValueError, RecursionError):
        error = {"code": -32700, "message": "the message is no JSON, or too deep"}
    return {"jsonrpc": "2.0", "id": request.get("id") if isinstance(request, dict) else None, "error": error}


def supported(schema):
    """Refuses a schema with a keyword that `faults` does not judge: what it demands would go unjudged."""
    foreign = set(schema) - KEYWORDS
    if foreign or not isinstance(schema.get("type", ""), str):
        raise SystemExit(f"this example does not judge {', '.join(sorted(foreign)) or 'a list of types'}: add it to faults, or use a library")
    for member in schema.get("properties", {}).values():
        supported(member)


def main():
    for tool in TOOLS.values():
        supported(tool["schema"])
    session = {}
    for line in sys.stdin.buffer:
        message = respond(line, session)
        if message:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
