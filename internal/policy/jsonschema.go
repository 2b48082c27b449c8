// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"reflect"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/checkdoc"
	"github.com/toolvet/toolvet/internal/limit"
)

// JSONSchema returns a JSON Schema (draft 2020-12) of policies that name these checks and make
// demands of these kinds. With it editors complete keys, explain them and underline misspelt
// ones. The schema misses some errors that [Parse] reports, such as a relative directory.
func JSONSchema(checks []*check.Check, kinds []*check.Demand) []byte {
	named := object{}
	for _, c := range checks {
		named[c.Name] = object{"description": checkdoc.Summary(c.Doc), "$ref": "#/$defs/check"}
	}
	demands, output := object{}, object{}
	for _, k := range kinds {
		if k.Results {
			output[k.Name] = optionsSchema(k)
		} else {
			s := optionsSchema(k)
			s["properties"].(object)["severity"] = words("ask: a person must consent to what it finds; warning: its findings refuse nothing; default: error", "error", "ask", "warning")
			demands[k.Name] = s
		}
	}
	results := object{"$ref": "#/$defs/output"}
	root := closed(object{
		"version":       object{"const": 1, "description": "the version of this format: 1"},
		"preset":        words("demands on arguments that the policy does not mention; default: standard", presets...),
		"checks":        closed(named, "settings of checks, by their names"),
		"output":        results,
		"servers":       object{"type": "object", "description": "servers by name", "additionalProperties": object{"$ref": "#/$defs/server"}},
		"authorization": authorizationSchema(),
		"session":       closed(object{"subject": textSchema("the caller, where nobody is authenticated")}, "sessions of a door without authentication"),
		"rules":         listOf(ruleSchema(), "allow and deny calls: deny rules win, and one allow rule refuses every call that no allow rule permits"),
		"pinning":       pinningSchema(),
		"log":           logSchema(),
		"limits":        listOf(structSchema(reflect.TypeFor[limit.Limit](), "a limit"), "how many calls may be made"),
		"shared":        structSchema(reflect.TypeFor[limit.Shared](), "where limits are counted together with other proxies"),
		"rehearsal":     structSchema(reflect.TypeFor[Rehearsal](), "calls that are made in a sandbox before they are made"),
		"dry_run":       structSchema(reflect.TypeFor[BoundCalls](), "calls that need a dry run before"),
		"schedule":      structSchema(reflect.TypeFor[Schedule](), "the scheduler: where jobs are kept, and who is told of their troubles"),
		"errors": closed(object{
			"invalid_calls":  words("protocol: calls of unknown tools, and calls that a schema refuses, are answered with the JSON-RPC error -32602; default: tool, a result with isError that a model sees", "tool", "protocol"),
			"invalid_params": words("tool: the error -32602 with which a server answers a call becomes a result with isError; default: protocol, as the server sent it", "protocol", "tool"),
		}, "the forms of errors about arguments"),
		"visibility": words("allowed: tools that the session may not call are left out of tools/list; default: all", "all", "allowed"),
	}, "a policy of toolvet")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "toolvet.yaml"
	root["required"] = []string{"version"}
	root["$defs"] = object{
		"check":  checkSchema(),
		"server": serverSchema(),
		"tool": closed(object{
			"arguments": object{"type": "object", "description": "demands by the name or JSON Pointer of an argument; * in a pointer is every element",
				"additionalProperties": object{"$ref": "#/$defs/demands"}},
			"requires": listOf(object{"$ref": "#/$defs/demands"}, "demands on the tool as a whole"),
			"output":   results,
			"calls":    callsSchema(),
		}, "demands on the calls of a tool"),
		"demands": closed(demands, "demands, by name"),
		"output":  closed(output, "demands on results, by name; those of a tool count before those of its server, and these before those of all"),
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil // maps of strings and their like can be written
	}
	return append(text, '\n')
}

// An object is a part of a schema.
type object map[string]any

// closed is a mapping with these keys and no others.
func closed(properties object, about string) object {
	return object{"type": "object", "description": about, "properties": properties, "additionalProperties": false}
}

func words(about string, list ...string) object { return object{"description": about, "enum": list} }

// listOf is a list, in whose place one scalar may stand.
func listOf(element object, about string) object {
	return object{"description": about, "oneOf": []object{{"type": "array", "items": element}, element}}
}

func textSchema(about string) object { return object{"type": "string", "description": about} }

func checkSchema() object {
	return object{"oneOf": []object{
		{"const": "off", "description": "the check does not run"},
		closed(object{
			"severity":  words("of all its findings; default: as the check says", "error", "ask", "warning"),
			"mode":      words("observe: findings are recorded and refuse nothing; default: enforce", "enforce", "observe"),
			"fail_open": object{"type": "boolean", "description": "true: where the check breaks it warns instead of refusing; default: false"},
		}, "what becomes of its findings"),
	}}
}

func authorizationSchema() object {
	return closed(object{
		"resource":   textSchema("identifier of what is protected: the URL that clients are given; may be left out if all tokens are static"),
		"issuers":    listOf(structSchema(reflect.TypeFor[Issuer](), "an issuer"), "authorization servers whose tokens are taken"),
		"tokens":     listOf(structSchema(reflect.TypeFor[Token](), "a token"), "static bearer tokens that are taken, by digest"),
		"scopes":     listOf(object{"type": "string"}, "scopes that every token must have"),
		"clock_skew": textSchema("how far the clocks of issuers may be off; default: 1m"),
	}, "whose requests a door takes that listens on the network")
}

func credentialsSchema() object {
	named := func(about string) object {
		return object{"type": "object", "description": about, "additionalProperties": object{"type": "string"}}
	}
	client := closed(object{
		"token_url":          textSchema("token endpoint of the authorization server"),
		"client_id":          textSchema("toolvet's name there"),
		"client_secret":      textSchema("its secret: write ${NAME}"),
		"client_secret_file": textSchema("file that holds the secret, relative to the policy"),
		"scopes":             listOf(object{"type": "string"}, "scopes that are asked for"),
		"resource":           textSchema("resource indicator (RFC 8707); default: the server's url"),
		"parameters":         named("more parameters of the token request, such as audience"),
		"secret_in":          words("where the token request holds the secret; default: header", "header", "body"),
	}, "tokens in toolvet's own name (OAuth client credentials)")
	client["required"] = []string{"token_url", "client_id"}
	return closed(object{
		"header":             named("values by the header's name: write ${NAME} for a secret"),
		"header_file":        named("files that hold the value, by the header's name, relative to the policy"),
		"client_credentials": client,
	}, "what toolvet shows the server of itself")
}

func pinningSchema() object {
	s := closed(object{
		"lock":    textSchema("file that holds the definitions of tools, as toolvet lock writes it; relative to the policy"),
		"changed": words("for calls of a tool that differs from the lock; default: refuse", "refuse", "warn"),
		"unknown": words("for calls of a tool that is not in the lock; default: refuse", "refuse", "warn"),
	}, "tools whose definitions may not change unseen")
	s["required"] = []string{"lock"}
	return s
}

func logSchema() object {
	s := closed(object{
		"file":      textSchema("the log, JSON lines chained by hashes; relative to the policy"),
		"key_file":  textSchema("file with a key of at least 32 bytes, so that only its holder can make the hashes; default: none"),
		"sync":      words("when records are forced to the disk; default: every-second", "every-second", "always"),
		"max_bytes": object{"type": "integer", "minimum": 1, "description": "size above which the file is rotated; default: 100 MiB"},
		"max_age":   textSchema("age above which the file is rotated, such as 24h; default: never"),
		"keep":      object{"type": "integer", "minimum": 1, "description": "rotated files that are kept; default: all"},
		"on_error":  words("for calls that cannot be recorded; default: refuse", "refuse", "continue"),
		"arguments": words("recorded: the log holds the arguments, values and all, which a replay needs; default: omitted", "omitted", "recorded"),
	}, "a record of every call")
	s["required"] = []string{"file"}
	return s
}

func ruleSchema() object {
	s := closed(object{
		"name":       textSchema("names the rule in reasons and logs"),
		"effect":     words("decision on matching calls; ask: a person must consent", "allow", "ask", "deny"),
		"tools":      listOf(object{"type": "string"}, "SERVER:TOOL, or TOOL of any server; * is any characters; default, where requests is absent, too: all tools and requests"),
		"requests":   listOf(object{"type": "string"}, "requests other than tools/call: SERVER:METHOD, or METHOD of any server; * is any characters"),
		"when":       textSchema("a CEL expression over session, server, tool, request, args and now; default: always"),
		"message":    textSchema("the text for a refused caller"),
		"suggestion": textSchema("advice for a refused caller"),
		"mode":       words("observe: the rule only reports its decision; default: enforce", "enforce", "observe"),
	}, "a rule")
	s["required"] = []string{"name", "effect"}
	return s
}

func serverSchema() object {
	return closed(object{
		"command": listOf(object{"type": "string"}, "how the server is started: the program and its arguments"),
		"env": object{"type": "object", "description": "added to the environment of the command: values by name; ${NAME} is looked up when the server is started",
			"additionalProperties": object{"type": []string{"string", "number"}}},
		"agent":       object{"type": "boolean", "description": "true: the tools are those that a host of coding agents brings along, such as claude-code, and toolvet hook judges their calls"},
		"unasked":     structSchema(reflect.TypeFor[Unasked](), "with agent: what the agent may do without a question, besides what the preset lets pass; what the preset refuses stays refused, but for files"),
		"dir":         textSchema("absolute directory in which the command is started; default: that of toolvet"),
		"contain":     structSchema(reflect.TypeFor[Containment](), "walls around the command's files and network (Linux)"),
		"url":         textSchema("where the server listens, in place of a command"),
		"credentials": credentialsSchema(),
		"platform":    words("whose paths are the server's; default: by its directories, else this machine's", "posix", "windows"),
		"location":    words("remote: its files, programs and environment are not those of this machine; default: local, unless its url leads to another", "local", "remote"),
		"base":        textSchema("absolute directory that the server resolves relative paths against"),
		"roots":       listOf(object{"type": "string"}, "absolute directories that the server is confined to"),
		"output":      object{"$ref": "#/$defs/output"},
		"resolver":    textSchema("IP address of the DNS server that names are looked up at, with its port if that is not 53; default: this machine's resolver"),
		"tools": object{"type": "object", "description": "tools by name; * in a name is any characters",
			"additionalProperties": object{"$ref": "#/$defs/tool"}},
		"requests": object{"type": "object", "description": "requests other than tools/call by method, such as resources/read; * is any characters; the same keys as below tools, and arguments are the params",
			"additionalProperties": object{"$ref": "#/$defs/tool"}},
	}, "a server")
}

// optionsSchema is the schema of a demand's options, all of which may be left out.
func optionsSchema(k *check.Demand) object {
	s := structSchema(reflect.TypeOf(k.Options()).Elem(), "the demand "+k.Name)
	s["type"] = []string{"object", "null"}
	return s
}

func structSchema(t reflect.Type, about string) object {
	properties := object{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("policy"); name != "" {
			properties[name] = valueSchema(f.Type, f.Tag.Get("doc"))
		}
	}
	return closed(properties, about)
}

// valueSchema describes what decoder.value reads into a field of type t.
func valueSchema(t reflect.Type, about string) object {
	described := func(kinds ...string) object { return object{"type": kinds, "description": about} }
	switch {
	case reflect.PointerTo(t).Implements(textType):
		return described("string", "number")
	case t == durationType:
		return described("string", "number")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return valueSchema(t.Elem(), about)
	case reflect.Bool:
		return described("boolean")
	case reflect.Int, reflect.Int64:
		return described("integer")
	case reflect.Float64:
		return described("number")
	case reflect.String:
		return described("string")
	case reflect.Slice:
		return listOf(valueSchema(t.Elem(), ""), about)
	case reflect.Map:
		return object{"type": "object", "description": about, "additionalProperties": valueSchema(t.Elem(), "")}
	case reflect.Struct:
		return structSchema(t, about)
	case reflect.Interface:
		return object{"description": about}
	}
	return described() // decoder.value panics, so that no policy can set it
}
