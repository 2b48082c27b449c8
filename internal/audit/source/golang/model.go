// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// A model stands for a function of a library.
type model func(c *flow.CallSite) flow.Value

// A table has the models by name: "os.Open", "net/http.Client.Do".
type table struct{ models map[string]model }

func newTable() *table {
	t := &table{models: map[string]model{}}
	t.builtins()
	t.text()
	t.json()
	t.sdks()
	t.paths()
	t.archives()
	t.filesystems()
	t.guards()
	t.network()
	t.processes()
	t.reflection()
	return t
}

func (t *table) define(m model, names ...string) {
	for _, n := range names {
		t.models[n] = m
	}
}

func nothing(*flow.CallSite) flow.Value { return flow.Value{} }

// changed is an argument, changed as a whole, with labels.
func changed(i int, how flow.Deriv, labels flow.Label, native ...string) model {
	return func(c *flow.CallSite) flow.Value {
		return c.In.Derive(how, labels, c.Pos, "", c.Arg(i)).WithNative(native...)
	}
}

// withError is a function that gives a second value, an error.
func withError(m model) model {
	return func(c *flow.CallSite) flow.Value { return c.In.Tuple(m(c), flow.Value{}) }
}

// ofRecv is a method with a result made of the receiver.
func ofRecv(how flow.Deriv, labels flow.Label, native ...string) model {
	return func(c *flow.CallSite) flow.Value {
		return c.In.Derive(how, labels, c.Pos, "", c.Recv).WithNative(native...)
	}
}

func recvCheck(yes, no flow.Label) model {
	return func(c *flow.CallSite) flow.Value { return c.In.Check(c.Recv, yes, no) }
}

func argCheck(i int, yes, no flow.Label) model {
	return func(c *flow.CallSite) flow.Value { return c.In.Check(c.Arg(i), yes, no) }
}

func (t *table) builtins() {
	t.define(func(c *flow.CallSite) flow.Value {
		if len(c.Args) == 0 {
			return flow.Value{}
		}
		return c.In.Append(c.Args[0], c.Args[1:], c.Spread)
	}, "builtin.append")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.Extend(c.Arg(0), c.Arg(1), false)
		return flow.Value{}
	}, "builtin.copy")
	t.define(func(c *flow.CallSite) flow.Value { return flow.Count(c.Arg(0)) }, "builtin.len")
	t.define(func(c *flow.CallSite) flow.Value { return flow.AnyOf(c.Args...) }, "errors.Join")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Listed(c.In.Keys(c.Arg(0))) }, "builtin.keys")
	t.define(func(*flow.CallSite) flow.Value { return flow.Failure() }, "errors.New", "fmt.Errorf", "mcp-go/mcp.NewToolResultError", "mcp-go/mcp.NewToolResultErrorf", "mcp-go/mcp.NewToolResultErrorFromErr")
	t.define(nothing, "errors.Is", "errors.As", "time.Now", "time.ParseDuration", "strconv.Atoi", "strconv.ParseInt", "strconv.ParseUint", "strconv.ParseFloat", "strconv.ParseBool", "strconv.Itoa", "strconv.FormatInt",
		"fmt.Print", "fmt.Println", "fmt.Printf", "log.Print", "log.Printf", "log.Println", "log/slog.Info", "log/slog.Debug", "log/slog.Warn", "log/slog.Error", "log/slog.Logger.Info", "log/slog.Logger.Debug", "log/slog.Logger.Warn", "log/slog.Logger.Error",
		"os.Getenv", "os.LookupEnv", "os.IsNotExist", "mcp-go/mcp.NewToolResultText", "context.WithTimeout")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Contained(c.Arg(1), c.Arg(0)) }, "slices.Contains")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Any(c.In.Invoke(c.Arg(1), []flow.Value{c.In.Element(c.Arg(0), c.Pos)}, c.Pos))
	}, "slices.ContainsFunc", "slices.IndexFunc")
	t.define(changed(0, flow.Whole, 0), "slices.Clone", "strings.Clone")
	t.define(func(c *flow.CallSite) flow.Value {
		if v := c.Arg(0); v.HasObject() {
			return v
		}
		return changed(0, flow.Whole, 0)(c)
	}, "maps.Clone")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Listed(c.In.Keys(c.Arg(0))) }, "maps.Keys", "golang.org/x/exp/maps.Keys")
}

func (t *table) text() {
	for _, n := range []string{"TrimSpace", "Trim", "TrimLeft", "TrimRight", "TrimPrefix", "TrimSuffix", "TrimFunc", "ToLower", "ToUpper", "Title", "ToValidUTF8", "Map", "Repeat"} {
		i := 0
		if n == "Map" {
			i = 1
		}
		t.define(changed(i, flow.Whole, 0), "strings."+n, "bytes."+n)
	}
	for _, n := range []string{"Split", "SplitN", "SplitAfter", "Fields", "FieldsFunc", "SplitSeq", "FieldsSeq"} {
		t.define(changed(0, flow.Word, flow.Parted), "strings."+n, "bytes."+n)
	}
	t.define(func(c *flow.CallSite) flow.Value { return c.In.HasPrefix(c.Arg(0), c.Arg(1)) }, "strings.HasPrefix", "bytes.HasPrefix")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.HasSuffix(c.Arg(0), c.Arg(1)) }, "strings.HasSuffix", "bytes.HasSuffix")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Contained(c.Arg(1), c.Arg(0)) }, "strings.Contains", "bytes.Contains", "strings.ContainsRune")
	t.define(func(c *flow.CallSite) flow.Value {
		if s, ok := c.Arg(1).String(); ok {
			return c.In.Check(c.Arg(0), 0, flow.WithoutAny(s))
		}
		return flow.Value{}
	}, "strings.ContainsAny", "bytes.ContainsAny")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Same(c.Arg(0), c.Arg(1)) }, "strings.EqualFold")
	t.define(nothing, "strings.Index", "strings.LastIndex", "strings.Count", "strings.IndexByte", "strings.Compare", "unicode/utf8.ValidString")
	safe := flow.NoMeta | flow.NoDash | flow.Contain | flow.ContainReal | flow.NoDotDot | flow.Relative
	t.define(argCheck(0, safe, 0), "unicode.IsLetter", "unicode.IsDigit", "unicode.IsNumber")
	t.define(func(c *flow.CallSite) flow.Value {
		part := c.In.Derive(flow.Word, 0, c.Pos, "", c.Arg(0))
		return c.In.Tuple(part, part, flow.Value{})
	}, "strings.Cut")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(changed(0, flow.Whole, 0)(c), c.In.HasPrefix(c.Arg(0), c.Arg(1)))
	}, "strings.CutPrefix", "strings.CutSuffix")
	t.define(replace, "strings.ReplaceAll", "strings.Replace")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
	}, "strings.Join", "bytes.Join", "strings.Replacer.Replace", "fmt.Append", "bytes.NewBufferString", "strings.NewReader", "bytes.NewReader")
	t.define(changed(0, flow.Whole, 0), "strings.Replacer.Replace")
	t.define(func(c *flow.CallSite) flow.Value { return sprintf(c, 0) }, "fmt.Sprintf")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Concat(c.Pos, c.Args...) }, "fmt.Sprint", "fmt.Sprintln")
	for _, b := range []string{"strings.Builder", "bytes.Buffer", "bufio.Writer"} {
		write := func(c *flow.CallSite) flow.Value {
			appendText(c, c.Recv, c.Arg(0))
			return flow.Value{}
		}
		t.define(write, b+".WriteString", b+".Write", b+".WriteRune", b+".WriteByte")
		t.define(written, b+".String", b+".Bytes")
	}
	t.define(func(c *flow.CallSite) flow.Value {
		appendText(c, c.Arg(0), sprintf(c, 1))
		return flow.Value{}
	}, "fmt.Fprintf")
	t.define(func(c *flow.CallSite) flow.Value {
		for _, a := range c.Args[1:] {
			appendText(c, c.Arg(0), a)
		}
		return flow.Value{}
	}, "fmt.Fprint", "fmt.Fprintln")
	t.regexps()
}

// written is the text in a builder, in the field of appendText.
func written(c *flow.CallSite) flow.Value { return c.In.Field(c.In.Target(c.Recv), "text") }

// appendText appends a text to a builder's.
func appendText(c *flow.CallSite, builder, text flow.Value) {
	builder = c.In.Target(builder)
	before := flow.ConstStr("")
	if c.In.HasField(builder, "text") {
		before = c.In.Field(builder, "text")
	}
	c.In.SetField(builder, "text", c.In.Concat(c.Pos, before, text))
}

// replace is a guard against traversal if it removes separators of paths.
func replace(c *flow.CallSite) flow.Value {
	var labels flow.Label
	if s, ok := c.Arg(1).String(); ok && s == "/" {
		if with, ok := c.Arg(2).String(); ok && !strings.Contains(with, "/") {
			labels = flow.Contain | flow.NoDotDot | flow.Relative
		}
	}
	return flow.Either(c.In.Derive(flow.Whole, labels, c.Pos, "", c.Arg(0)), c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(2)))
}

// sprintf cuts a format at its verbs.
func sprintf(c *flow.CallSite, at int) flow.Value {
	format, ok := c.Arg(at).String()
	if !ok {
		return c.In.Derive(flow.Through, 0, c.Pos, "", c.Args...)
	}
	var parts []flow.Value
	next := at + 1
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			break
		}
		lit, rest := format[:i], format[i+1:]
		n := 0
		for n < len(rest) && strings.IndexByte("+-# 0123456789.[]*", rest[n]) >= 0 {
			n++
		}
		if n == len(rest) {
			break
		}
		if rest[n] == '%' {
			parts = append(parts, flow.ConstStr(lit+"%"))
		} else {
			v := c.Arg(next)
			next++
			if rest[n] == 'd' || rest[n] == 't' || rest[n] == 'x' || rest[n] == 'T' {
				v = flow.Value{}
			}
			parts = append(parts, flow.ConstStr(lit), v)
		}
		format = rest[n+1:]
	}
	return c.In.Concat(c.Pos, append(parts, flow.ConstStr(format))...)
}

func (t *table) regexps() {
	compile := func(c *flow.CallSite) flow.Value { return c.Arg(0).WithNative("regexp.Regexp") }
	t.define(compile, "regexp.MustCompile", "regexp.MustCompilePOSIX")
	t.define(withError(compile), "regexp.Compile")
	match := func(c *flow.CallSite, pattern, v flow.Value) flow.Value {
		s, ok := pattern.String()
		if !ok {
			return flow.Value{}
		}
		yes, no := flow.PatternLabels(s, false, false)
		return c.In.Check(v, yes, no)
	}
	t.define(func(c *flow.CallSite) flow.Value { return match(c, c.Recv, c.Arg(0)) }, "regexp.Regexp.MatchString", "regexp.Regexp.Match")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(match(c, c.Arg(0), c.Arg(1)), flow.Value{})
	}, "regexp.MatchString")
	t.define(func(c *flow.CallSite) flow.Value {
		var labels flow.Label
		if p, ok := c.Recv.String(); ok {
			if w, ok := c.Arg(1).String(); ok {
				labels = flow.SubstituteLabels(p, w)
			}
		}
		return c.In.Derive(flow.Whole, labels, c.Pos, "", c.Arg(0))
	}, "regexp.Regexp.ReplaceAllString", "regexp.Regexp.ReplaceAllLiteralString")
	t.define(func(c *flow.CallSite) flow.Value {
		return flow.WithCond(c.In.Derive(flow.Word, 0, c.Pos, "", c.Arg(0)), match(c, c.Recv, c.Arg(0)))
	}, "regexp.Regexp.FindStringSubmatch", "regexp.Regexp.FindString")
}

// json keeps the knowledge of arguments that are written and read again.
func (t *table) json() {
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Tuple(c.Arg(0), flow.Value{}) }, "encoding/json.Marshal", "encoding/json.MarshalIndent", "io.ReadAll")
	decode := func(from func(c *flow.CallSite) flow.Value, to int) model {
		return func(c *flow.CallSite) flow.Value {
			c.In.SetTarget(c.Arg(to), from(c))
			return flow.Value{}
		}
	}
	arg0 := func(c *flow.CallSite) flow.Value { return c.Arg(0) }
	t.define(decode(arg0, 1), "encoding/json.Unmarshal", "github.com/mitchellh/mapstructure.Decode", "github.com/go-viper/mapstructure.Decode", "gopkg.in/yaml.Unmarshal", "github.com/goccy/go-json.Unmarshal", "github.com/bytedance/sonic.Unmarshal")
	t.define(arg0, "encoding/json.NewDecoder", "bytes.NewReader", "bytes.NewBuffer", "strings.NewReader", "bufio.NewReader")
	t.define(decode(func(c *flow.CallSite) flow.Value { return c.Recv }, 0), "encoding/json.Decoder.Decode")
	request := func(c *flow.CallSite) flow.Value { return arguments(c.In, c.Recv) }
	t.define(decode(request, 0), "mcp-go/mcp.CallToolRequest.BindArguments")
}

// arguments are the arguments in a request.
func arguments(in *flow.Interp, request flow.Value) flow.Value {
	return in.Field(in.Field(request, "Params"), "Arguments")
}

// sdks are functions of the SDKs that describe tools and read arguments.
func (t *table) sdks() {
	const req = "mcp-go/mcp.CallToolRequest."
	read := func(c *flow.CallSite) flow.Value { return c.In.IndexOf(arguments(c.In, c.Recv), c.Arg(0), c.Pos) }
	t.define(func(c *flow.CallSite) flow.Value { return flow.Either(read(c), c.Arg(1)) }, req+"GetString", req+"GetStringSlice")
	t.define(withError(read), req+"RequireString", req+"RequireStringSlice")
	numeric := func(c *flow.CallSite) flow.Value {
		read(c) // it is a parameter, if a harmless one
		return flow.Value{}
	}
	t.define(numeric, req+"GetInt", req+"GetFloat", req+"GetBool", req+"GetIntSlice", req+"GetFloatSlice", req+"GetBoolSlice")
	t.define(withError(numeric), req+"RequireInt", req+"RequireFloat", req+"RequireBool", req+"RequireIntSlice", req+"RequireFloatSlice", req+"RequireBoolSlice")
	t.define(func(c *flow.CallSite) flow.Value { return arguments(c.In, c.Recv) }, req+"GetArguments", req+"GetRawArguments")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.IndexOf(arguments(c.In, c.Arg(0)), c.Arg(1), c.Pos)
	}, "mcp-go/mcp.ParseString", "mcp-go/mcp.ParseArgument", "mcp-go/mcp.ParseStringMap")
	t.define(func(c *flow.CallSite) flow.Value { return c.Arg(0).AddNative(typedMarker) }, "mcp-go/mcp.NewTypedToolHandler", "mcp-go/mcp.NewStructuredToolHandler")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Record("Name", c.Arg(0), "params", c.From(1))
	}, "mcp-go/mcp.NewTool", "mcp-go/mcp.NewToolWithRawSchema")
	for _, kind := range []string{"String", "Number", "Boolean", "Object", "Array", "Any"} {
		t.define(func(c *flow.CallSite) flow.Value { return c.Arg(0) }, "mcp-go/mcp.With"+kind)
	}
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Record("Name", c.Arg(0), "handler", c.Arg(2))
	}, "go-sdk/mcp.NewServerTool")
}
