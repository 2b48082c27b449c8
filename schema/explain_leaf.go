// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An explainer turns failures into violations.
type explainer struct {
	*evaluator
	views map[string]*view
}

// view returns what the schema says about the object at a place.
func (x *explainer) view(at *place) *view {
	pointer := at.pointer()
	w, ok := x.views[pointer]
	if !ok {
		w = x.evaluator.view(x.nodesAt(at))
		x.views[pointer] = w
	}
	return w
}

// violations returns one violation for most failures, and for alternatives
// those of the one that comes closest.
func (x *explainer) violations(f *failure) []Violation {
	if (f.keyword == "anyOf" || f.keyword == "oneOf") && f.branches != nil {
		return x.choose(f)
	}
	v := x.leaf(f)
	v.Message += f.because.words()
	return []Violation{v}
}

func (x *explainer) leaf(f *failure) Violation {
	v := Violation{Pointer: f.subject().pointer(), Keyword: f.keyword}
	switch f.keyword {
	case "type":
		v.Message = "expected " + describe(f.node)
		v.Suggestion = x.advice(f, f.node)
		v.Value = f.node.onlyValue()
	case "const", "enum":
		x.explainValues(f, &v)
	case "format":
		v.Message = "expected " + f.node.format.words
	case "required", "dependencies", "dependentRequired":
		x.explainMissing(f, &v)
	case "additionalProperties", "unevaluatedProperties":
		x.explainExtra(f, &v)
	case "propertyNames":
		x.explainName(f, &v)
	case "not":
		v.Message = notWords(f.node.not)
	case "oneOf":
		x.explainBoth(f, &v)
	case "false", "unevaluatedItems":
		v.Message = "nothing is allowed here"
		v.Suggestion = "remove " + subject(f.at)
	case "uniqueItems":
		v.Message = fmt.Sprintf("it equals item %d of the array, and each item must be different", f.pair[0])
		v.Suggestion = "remove " + subject(f.at)
	default:
		v.Message = "expected " + f.node.ruleWords(f.keyword)
	}
	return v
}

// ruleWords says what one keyword of a simple rule asks for.
func (n *node) ruleWords(keyword string) string {
	switch keyword {
	case "minLength", "maxLength":
		return sizeWords(n.text.min, n.text.max, "character")
	case "pattern":
		return "a string that matches the pattern " + printable(n.text.pattern.text, maxPrintedPattern)
	case "minItems", "maxItems":
		return sizeWords(n.array.min, n.array.max, "item")
	case "minProperties", "maxProperties":
		return sizeWords(n.object.min, n.object.max, "property")
	case "items", "additionalItems":
		return "at most " + counted(len(n.array.prefix), "item")
	case "contains", "minContains", "maxContains":
		return sizeWords(n.array.minContains, n.array.maxContains, "item") + " of this kind: " + describe(n.array.contains)
	case "multipleOf":
		return "a multiple of " + n.number.multipleOf.text
	default: // minimum, maximum and the exclusive ones
		return "a number" + n.number.rangeWords(keyword)
	}
}

// notWords says what must not be. "required" under "not" is how schemas say
// that properties exclude each other.
func notWords(not *node) string {
	if o := not.object; o == nil || len(o.required) == 0 || o.props != nil || not.kinds|kindObject != kindObject || len(not.inPlace) > 0 {
		return "expected anything but " + describe(not)
	}
	names := listed(quoted(not.object.required), maxListed, "and")
	if len(not.object.required) == 1 {
		return names + " may not be sent"
	}
	return names + " may not be sent together"
}

// explainValues words a failing const or enum.
func (x *explainer) explainValues(f *failure, v *Violation) {
	values := f.node.enum
	if f.keyword == "const" {
		values = f.node.constant
	}
	v.Message = "expected " + values.text(maxListed)
	v.Suggestion, v.Value = meantValue(f.value, values.values)
}

// meantValue finds the value of the schema that a wrong one stands for.
func meantValue(given any, values []any) (string, json.RawMessage) {
	if len(values) == 1 {
		return "send " + shown(values[0]), marshal(values[0])
	}
	s, ok := given.(string)
	if !ok || len(values) > maxAlternatives {
		return "", nil
	}
	var texts []string
	for _, value := range values {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	meant, ok := similar(s, texts, func(string) bool { return false })
	if !ok {
		return "", nil
	}
	return "did you mean " + shown(meant) + "?", marshal(meant)
}

// explainMissing words a missing property. The violation is where it should be.
func (x *explainer) explainMissing(f *failure, v *Violation) {
	v.Message = "required property is missing"
	if f.other != "" {
		v.Message = "required when " + quote(f.other) + " is present"
	}
	wanted := x.wanted(f.at, f.name)
	if text := describe(wanted); text != anyValue {
		v.Message += "; expected " + text
	}
	v.Suggestion = "add " + quote(f.name)
	if given, ok := x.misspelt(f); ok {
		v.Suggestion = renameOr(true, given, f.name)
	} else if wanted != nil {
		v.Value = wanted.onlyValue()
		if v.Value == nil && wanted.fallback != nil && (wanted.kinds == 0 || wanted.kinds.has(wanted.fallback)) {
			v.Value = marshal(wanted.fallback)
		}
	}
}

// wanted returns the most telling subschema for a property, nil for none.
func (x *explainer) wanted(at *place, name string) *node {
	subs := x.children(x.view(at).nodes, name)
	for _, n := range subs {
		if describe(n) != anyValue {
			return n
		}
	}
	return nil
}

// misspelt returns the undeclared property that was meant to be f.name.
func (x *explainer) misspelt(f *failure) (string, bool) {
	obj := f.value.(map[string]any)
	w := x.view(f.at)
	if len(obj) > maxAlternatives {
		return "", false
	}
	var stray []string
	for _, name := range sortedNames(obj) {
		if w.declares(x.evaluator, name) {
			continue
		}
		if meant, ok := w.meant(x.evaluator, name, obj); !ok || meant == f.name {
			stray = append(stray, name)
		}
	}
	return similar(f.name, stray, func(string) bool { return false })
}

// explainExtra words a property that is not allowed.
func (x *explainer) explainExtra(f *failure, v *Violation) {
	w := &view{declared: map[string]bool{}, required: map[string]bool{}}
	x.spend(len(f.node.object.names))
	if f.keyword == "unevaluatedProperties" {
		w = x.view(f.at)
	} else {
		for _, name := range f.node.object.names {
			w.declared[name] = true
		}
		for _, name := range f.node.object.required {
			w.required[name] = true
		}
	}
	allowed := quoted(w.names())
	for _, p := range f.node.object.patterns {
		allowed = append(allowed, "names that match "+printable(p.pattern.text, maxPrintedPattern))
	}
	v.Message = "property is not allowed; none is"
	if len(allowed) > 0 {
		v.Message = "property is not allowed; allowed: " + listed(allowed, maxListed, "and")
	}
	obj := f.value.(map[string]any)
	meant, near := w.meant(x.evaluator, f.name, obj)
	v.Suggestion = renameOr(near, f.name, meant)
}

// explainName words a property whose name is not allowed.
func (x *explainer) explainName(f *failure, v *Violation) {
	v.Message = "the property's name is not allowed"
	if text := describe(f.node.object.propNames); text != anyValue {
		v.Message += "; expected " + text
	}
	for _, reason := range f.branches[0] {
		if values := reason.node.values(); values != nil {
			meant, _ := meantValue(f.name, values.values)
			v.Suggestion = strings.Replace(meant, "send ", "name it ", 1)
		}
	}
}

// explainBoth words a value that fits two branches of oneOf.
func (x *explainer) explainBoth(f *failure, v *Violation) {
	a, b := f.node.oneOf[f.pair[0]], f.node.oneOf[f.pair[1]]
	v.Message = "it fits two forms of which only one may apply: " + describe(a) + "; " + describe(b)
	left, right := onlyRequired(a, b), onlyRequired(b, a)
	if left != nil && right != nil {
		v.Message = "only one of " + listed(quoted(left), maxListed, "and") + " and " +
			listed(quoted(right), maxListed, "and") + " may be sent"
		v.Suggestion = "send either " + listed(quoted(left), maxListed, "and") + " or " + listed(quoted(right), maxListed, "and")
	}
}

// onlyRequired returns the properties that a requires and b does not.
func onlyRequired(a, b *node) []string {
	if a.object == nil || b.object == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.object.required), func(name string) bool {
		return slices.Contains(b.object.required, name)
	})
}

// onlyValue returns the one value that n allows, nil when there are more.
func (n *node) onlyValue() json.RawMessage {
	values := n.values()
	if values == nil || len(values.values) != 1 {
		return nil
	}
	return marshal(values.values[0])
}

func marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// words says why a subschema applies at all. It reads after a message.
func (c *cause) words() string {
	switch {
	case c == nil:
		return ""
	case c.property != "":
		return " (because " + quote(c.property) + " is present)"
	case !c.holds:
		return ""
	default:
		return c.conditionWords()
	}
}

// conditionWords names the properties and values that an "if" looks for.
func (c *cause) conditionWords() string {
	if c.condition.object == nil {
		return ""
	}
	var parts []string
	props := c.condition.object.props
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if values := props[name].values(); values != nil {
			parts = append(parts, quote(name)+" is "+values.text(describeParts))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (because " + listed(parts, describeParts, "and") + ")"
}
