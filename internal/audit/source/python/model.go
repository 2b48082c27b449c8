// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// A model stands for a function of a library.
type model func(l *lang, c *flow.CallSite) flow.Value

// Call implements [flow.Lang].
func (l *lang) Call(c *flow.CallSite) (flow.Value, bool) {
	if v, ok := l.register(c); ok {
		return v, true
	}
	if f, ok := l.wrapped[c.Name]; ok {
		if id := c.Arg(0).Identity(); id != nil && c.Decorates != nil && f.Callable() && f.Func() != c.Decorates {
			l.wraps[id] = f
		}
		return c.Arg(0), true
	}
	name := strings.TrimPrefix(c.Name, "builtins.")
	if name == "dataclasses.field" && c.Arg(-1, "default_factory").Is("list") {
		return flow.EachOwnList(), true
	}
	if m, ok := l.table.models[name]; ok {
		return m(l, c), true
	}
	if command, ok := strings.CutPrefix(name, "git.Repo().git."); ok {
		return gitCommand(c, command), true
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		recv, method := name[:i], name[i+1:]
		if m, ok := l.table.instances[recv]; ok {
			if f, ok := m[method]; ok {
				return f(l, c), true
			}
		}
		if isArchive[recv] { // the content of a file is not the caller's
			return flow.Value{}, true
		}
	}
	return flow.Value{}, false
}

// A table has the models of functions by their names, of methods on something unknown (".strip"),
// and of methods by the type of the instance.
type table struct {
	models    map[string]model
	instances map[string]map[string]model
}

func newTable() *table {
	t := &table{models: map[string]model{}, instances: map[string]map[string]model{}}
	defineBuiltins(t)
	defineText(t)
	definePaths(t)
	defineArchives(t)
	defineNetwork(t)
	defineProcesses(t)
	return t
}

func (t *table) define(m model, names ...string) {
	for _, n := range names {
		t.models[n] = m
	}
}

func (t *table) method(m model, types []string, names ...string) {
	for _, typ := range types {
		if t.instances[typ] == nil {
			t.instances[typ] = map[string]model{}
		}
		for _, n := range names {
			t.instances[typ][n] = m
		}
	}
}

// wrapper is a name for a decorator that passes on another function's signature.
func (l *lang) wrapper(f flow.Value) string {
	name := "functools.wraps " + strconv.Itoa(len(l.wrapped))
	l.wrapped[name] = f
	return name
}

func nothing(*lang, *flow.CallSite) flow.Value { return flow.Value{} }

func first(_ *lang, c *flow.CallSite) flow.Value { return c.Arg(0) }

func receiver(_ *lang, c *flow.CallSite) flow.Value { return c.Recv }

// changed is the first argument, changed as a whole, with labels.
func changed(labels flow.Label, native ...string) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, labels, c.Pos, "", c.Arg(0)).WithNative(native...)
	}
}

// recvChanged is the receiver, changed as a whole, with labels.
func recvChanged(how flow.Deriv, labels flow.Label, native ...string) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(how, labels, c.Pos, "", c.Recv).WithNative(native...)
	}
}

// recvCheck is a condition on the receiver.
func recvCheck(yes, no flow.Label) model {
	return func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Check(c.Recv, yes, no) }
}

func defineBuiltins(t *table) {
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { // of an address, it is one
		if v := c.Arg(0); slices.ContainsFunc(v.Native, func(n string) bool { return strings.HasPrefix(n, "ipaddress.") }) {
			return c.In.Derive(flow.Address, 0, c.Pos, "", v)
		}
		return flow.Value{}
	}, "int")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return flow.WithCond(flow.Value{}, c.Arg(0)) }, "bool")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return flow.Count(c.Arg(0)) }, "len")
	t.define(nothing, "float", "isinstance", "issubclass", "hasattr", "callable", "print", "type", "id", "abs", "round", "hash", "sum", "range", "ord", "hex", "setattr")
	t.define(func(l *lang, c *flow.CallSite) flow.Value {
		if len(c.Args) == 0 {
			return flow.Value{}
		}
		return c.Arg(0).Text()
	}, "str", "repr", "bytes", "bytearray", "memoryview", "format")
	t.define(first, "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "asyncio.gather", "asyncio.wait_for", "asyncio.create_task", "asyncio.ensure_future", "asyncio.shield", "asyncio.run", "anyio.run", "copy.copy", "copy.deepcopy", "dict.fromkeys")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.Arg(1) }, "typing.cast")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Element(c.Arg(0), c.Pos) }, "next", "min", "max")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Any(c.Arg(0)) }, "any")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.All(c.Arg(0)) }, "all")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Elsewhere(c.In.Tuple(flow.Value{}, c.In.Element(c.Arg(0), c.Pos)))
	}, "enumerate")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		var elems []flow.Value
		for i := range c.Args {
			elems = append(elems, c.In.Element(c.Arg(i), c.Pos))
		}
		return c.In.Elsewhere(c.In.Tuple(elems...))
	}, "zip")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		elem := c.In.Element(c.Arg(1), c.Pos)
		if c.Arg(0).Callable() {
			return c.In.Elsewhere(c.In.Invoke(c.Arg(0), []flow.Value{elem}, c.Pos))
		}
		return c.In.Elsewhere(c.In.Derive(flow.Whole, 0, c.Pos, "", elem))
	}, "map")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.Arg(1) }, "filter")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		name, ok := c.Arg(1).String()
		if !ok {
			return flow.Value{}
		}
		return c.In.Attr(c.Arg(0), &flow.Expr{Op: flow.Attr, S: name, Pos: c.Pos})
	}, "getattr")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Super() }, "super")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.ShellSink(c.Pos, c.Name, c.Arg(0))
		return flow.Value{}
	}, "eval", "exec")
	t.define(makeDict, "dict")
	t.define(func(l *lang, c *flow.CallSite) flow.Value { // a model made of a table
		site := *c
		site.Rest, site.Args = c.Arg(0), nil
		v, ok := l.Construct(&site, c.Recv)
		if !ok {
			return c.Arg(0)
		}
		return v
	}, "model_validate")
	t.define(first, "property", "staticmethod", "classmethod", "functools.lru_cache", "contextlib.contextmanager", "contextlib.asynccontextmanager", "dataclasses.dataclass", "functools.cache")
	t.define(func(l *lang, c *flow.CallSite) flow.Value {
		return flow.Value{}.AddNative(l.wrapper(c.Arg(0)))
	}, "functools.wraps")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Decoded, 0, c.Pos, "", c.Arg(0))
	}, "urllib.parse.unquote", "urllib.parse.unquote_plus", "base64.b64decode", "base64.urlsafe_b64decode", "html.unescape", "codecs.decode", "bytes.fromhex", "binascii.unhexlify")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Through, 0, c.Pos, "", c.Arg(0))
	}, "json.dumps", "yaml.dump", "yaml.safe_dump")
	t.define(func(l *lang, c *flow.CallSite) flow.Value { // the content of a text is as much the caller's
		if l.rpc && !c.Arg(0).Tainted() {
			return rpcRequest(c.In)
		}
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
	}, "json.loads", "orjson.loads", "ujson.loads", "simplejson.loads", "json5.loads", "yaml.safe_load", "yaml.load", "yaml.full_load", "ast.literal_eval", "toml.loads", "tomllib.loads", "urllib.parse.parse_qs", "urllib.parse.parse_qsl", "xmltodict.parse")
	for _, log := range []string{"logging", "logging.getLogger()", "loguru.logger", "structlog.get_logger()"} {
		for _, level := range []string{"debug", "info", "warning", "error", "exception", "critical", "warn", "log"} {
			t.models[log+"."+level] = nothing
		}
	}
}

// makeDict is dict(x, a=1).
func makeDict(_ *lang, c *flow.CallSite) flow.Value {
	if v := c.Arg(0); v.HasObject() && len(c.Kw) == 0 {
		return v
	}
	e := c.In.NewDict()
	for k, v := range c.Kw {
		c.In.SetIndex(e, flow.ConstStr(k), v)
	}
	return e
}

func defineText(t *table) {
	t.define(recvChanged(flow.Whole, 0), ".strip", ".lstrip", ".rstrip", ".lower", ".upper", ".title", ".capitalize", ".casefold", ".encode", ".removeprefix", ".removesuffix", ".ljust", ".rjust", ".zfill", ".expandtabs", ".swapcase", ".translate", ".as_posix", ".as_uri", ".__str__", ".hex", ".geturl", ".human_repr", ".isoformat", ".decode")
	t.define(replace, ".replace")
	t.define(recvChanged(flow.Word, flow.Parted), ".split", ".rsplit", ".splitlines", ".partition", ".rpartition")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.HasPrefix(c.Recv, c.Arg(0)) }, ".startswith")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.HasSuffix(c.Recv, c.Arg(0)) }, ".endswith")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Contained(c.Arg(0), c.Recv) }, ".__contains__")
	t.define(nothing, ".find", ".rfind", ".index", ".rindex", ".count", ".is_symlink", ".isspace", ".islower", ".isupper")
	t.define(recvCheck(flow.NoMeta|flow.Contain|flow.ContainReal|flow.NoDotDot|flow.Relative|flow.NoDash|flow.Chosen, 0), ".isalnum", ".isalpha", ".isdigit", ".isdecimal", ".isnumeric", ".isidentifier")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.In.Concat(c.Pos, flow.ConstStr(""), c.Recv), c.Arg(0)).WithNative()
	}, ".join")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		parts := []flow.Value{c.Recv}
		if s, ok := c.Recv.String(); ok {
			parts = formatParts(s, c)
		} else {
			parts = append(parts, c.All()[1:]...)
		}
		return c.In.Concat(c.Pos, parts...)
	}, ".format")
	t.define(percent, "operator %")
	t.define(join, "operator /")
	t.define(get, ".get")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.IndexOf(c.Recv, c.Arg(0), c.Pos) }, ".pop", ".setdefault", ".popitem")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Elsewhere(c.In.Tuple(c.In.Keys(c.Recv), c.In.Element(c.Recv, c.Pos)))
	}, ".items")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Elsewhere(c.In.Element(c.Recv, c.Pos))
	}, ".values")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Elsewhere(c.In.Keys(c.Recv)) }, ".keys")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		v := c.Arg(len(c.Args) - 1)
		c.In.Extend(c.Recv, v, true)
		return flow.Value{}
	}, ".append", ".add", ".insert", ".appendleft", ".put", ".put_nowait")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.Extend(c.Recv, c.Arg(0), false)
		return flow.Value{}
	}, ".extend")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.Merge(c.Recv, c.Arg(0))
		for k, v := range c.Kw {
			c.In.SetIndex(c.Recv, flow.ConstStr(k), v)
		}
		return flow.Value{}
	}, ".update")
	t.define(receiver, ".copy", ".model_dump", ".dict", ".result", ".__aenter__", ".__enter__")
	t.define(query, ".execute", ".executemany", ".executescript", ".fetch", ".fetchrow", ".fetchval")
	defineRegexp(t)
}

// replace is a guard against traversal if it removes separators of paths.
func replace(_ *lang, c *flow.CallSite) flow.Value {
	var labels flow.Label
	if s, ok := c.Arg(0).String(); ok && s == "/" {
		if with, ok := c.Arg(1).String(); ok && !strings.Contains(with, "/") {
			labels = flow.Contain | flow.NoDotDot | flow.Relative
		}
	}
	v := c.In.Derive(flow.Whole, labels, c.Pos, "", c.Recv)
	return flow.Either(v, c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(1)))
}

// formatParts cuts a format at its braces.
func formatParts(s string, c *flow.CallSite) []flow.Value {
	var out []flow.Value
	next := 0
	for {
		i := strings.IndexByte(s, '{')
		j := strings.IndexByte(s, '}')
		if i < 0 || j < i {
			return append(out, flow.ConstStr(s))
		}
		out = append(out, flow.ConstStr(s[:i]))
		name, _, _ := strings.Cut(s[i+1:j], ":")
		name, _, _ = strings.Cut(name, "!")
		v, ok := c.Kw[name]
		if !ok {
			v = c.Arg(next)
			next++
		}
		out = append(out, v.Text())
		s = s[j+1:]
	}
}

// percent is "…%s…" % values.
func percent(_ *lang, c *flow.CallSite) flow.Value {
	s, ok := c.Arg(0).String()
	if !ok {
		return c.In.Derive(flow.Through, 0, c.Pos, "", c.Args...)
	}
	vals, _ := c.In.Elems(c.Arg(1))
	if len(vals) == 0 {
		vals = []flow.Value{c.Arg(1)}
	}
	var parts []flow.Value
	for i, lit := range strings.Split(s, "%s") {
		if i > 0 {
			v := c.Arg(1)
			if i-1 < len(vals) {
				v = vals[i-1]
			}
			parts = append(parts, v)
		}
		parts = append(parts, flow.ConstStr(lit))
	}
	return c.In.Concat(c.Pos, parts...)
}

// get is table.get(key, standard), or a request of an unknown client.
func get(_ *lang, c *flow.CallSite) flow.Value {
	v := c.In.IndexOf(c.Recv, c.Arg(0), c.Pos)
	if d, ok := c.Given(1, "default"); ok {
		v = flow.Either(v, d)
	}
	return v.Forget()
}

// query is a statement of a database with the caller's text in it.
func query(_ *lang, c *flow.CallSite) flow.Value {
	if q := c.Arg(0); q.Tainted() && !q.Whole() {
		c.In.NoteSink(c.Pos, c.Name[1:], "sql", "the caller's text becomes part of a statement of a database: SINK", q)
	}
	return flow.Value{}
}

func defineRegexp(t *table) {
	match := func(whole, start bool) model {
		return func(_ *lang, c *flow.CallSite) flow.Value {
			pattern, v := c.Arg(0, "pattern"), c.Arg(1, "string")
			if c.Recv.Is("re.compile()") {
				pattern, v = c.Recv, c.Arg(0, "string")
			}
			list, _ := pattern.Strings()
			if len(list) == 0 {
				return c.In.Derive(flow.Part, 0, c.Pos, "", v)
			}
			yes, no := flow.PatternLabels(list[0], whole, start)
			for _, s := range list[1:] { // it is one of them
				y, n := flow.PatternLabels(s, whole, start)
				yes, no = yes&y, no&n
			}
			return flow.WithCond(c.In.Derive(flow.Part, 0, c.Pos, "", v), c.In.Check(v, yes, no))
		}
	}
	t.define(match(true, true), "re.fullmatch")
	t.define(match(false, true), "re.match")
	t.define(match(false, false), "re.search", "re.findall")
	compiled := []string{"re.compile()"}
	t.method(match(true, true), compiled, "fullmatch")
	t.method(match(false, true), compiled, "match")
	t.method(match(false, false), compiled, "search", "findall")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.Arg(0).WithNative("re.compile()") }, "re.compile")
	sub := func(_ *lang, c *flow.CallSite) flow.Value {
		pattern, with, v := c.Arg(0, "pattern"), c.Arg(1, "repl"), c.Arg(2, "string")
		if c.Recv.Is("re.compile()") {
			pattern, with, v = c.Recv, c.Arg(0, "repl"), c.Arg(1, "string")
		}
		var labels flow.Label
		if p, ok := pattern.String(); ok {
			if w, ok := with.String(); ok {
				labels = flow.SubstituteLabels(p, w)
			}
		}
		return c.In.Derive(flow.Whole, labels, c.Pos, "", v)
	}
	t.define(sub, "re.sub")
	t.method(sub, compiled, "sub")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Word, flow.Parted, c.Pos, "", c.Arg(1))
	}, "re.split")
	t.define(changed(0), "re.escape")
}

// Attr implements [flow.Lang].
func (l *lang) Attr(in *flow.Interp, native, name string, of flow.Value, pos flow.Pos) (flow.Value, bool) {
	if (native == "os" || native == "os.path") && name == "sep" {
		return flow.ConstStr("/"), true
	}
	if isURL[native] {
		switch name {
		case "hostname", "netloc", "host", "authority", "raw_host":
			return in.Derive(flow.Host, 0, pos, "", of), true
		case "scheme", "path", "query", "fragment", "port", "username", "password", "params":
			return in.Derive(flow.Part, 0, pos, "", of), true
		}
	}
	if strings.HasPrefix(native, "ipaddress.") && strings.HasSuffix(native, "()") {
		switch name {
		case "is_private":
			return in.Check(of, 0, flow.Private), true
		case "is_global":
			return in.Check(of, flow.Private, 0), true
		case "is_loopback":
			return in.Check(of, 0, flow.ChkLoop), true
		case "is_link_local":
			return in.Check(of, 0, flow.ChkLink), true
		case "is_reserved", "is_multicast", "is_unspecified", "version":
			return flow.Value{}, true
		case "ipv4_mapped", "sixtofour", "network_address":
			return in.Derive(flow.Address, 0, pos, "", of).WithNative(native), true
		}
	}
	if v, ok := archiveAttr(in, native, name, of, pos); ok {
		return v, true
	}
	if native == "pathlib.Path()" {
		switch name {
		case "parent", "parts", "anchor", "root", "drive":
			return pathAttr(in, name, of, pos), true
		case "parents":
			return in.Derive(flow.Ancestors, 0, pos, "", of), true
		case "name", "stem":
			return in.Derive(flow.Whole, basename, pos, "", of), true
		case "suffix", "suffixes":
			return in.Derive(flow.Part, 0, pos, "", of), true
		}
	}
	if strings.HasSuffix(native, "BaseModel") && slices.Contains([]string{"model_validate", "parse_obj"}, name) {
		return flow.NativeValue("model_validate"), true
	}
	return flow.Value{}, false
}

func pathAttr(in *flow.Interp, name string, of flow.Value, pos flow.Pos) flow.Value {
	switch name {
	case "parent":
		return in.Derive(flow.Whole, 0, pos, "", of).WithNative("pathlib.Path()")
	case "parts":
		return in.Derive(flow.Word, 0, pos, "", of)
	}
	return in.Derive(flow.Part, 0, pos, "", of)
}

// basename are the labels of the last part of a path.
const basename = flow.Contain | flow.ContainReal | flow.NoDotDot | flow.Relative

var isURL = map[string]bool{
	"urllib.parse.urlparse()": true, "urllib.parse.urlsplit()": true, "yarl.URL()": true, "httpx.URL()": true, "urllib3.util.parse_url()": true,
	"pydantic.AnyUrl()": true, "pydantic.HttpUrl()": true,
}
