// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minAttribute is how many words an attribute must have to be a text that nobody sees.
const minAttribute = 5

// Bounds of markup.
const (
	maxTag     = 8 << 10
	maxElement = 8 << 10 // of a hidden element that is not closed
)

// html reports text of no size and suspicious URLs in markup, and returns what a browser
// would not show: comments, hidden elements, and long attributes.
func (s *scanner) html(v *view) []hiddenSpan {
	if !mayHide(v.text) {
		return nil
	}
	s.steps += len(v.text)
	d := document{scanner: s, view: v, tokens: html.NewTokenizer(strings.NewReader(v.text))}
	for !s.over() {
		kind := d.tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		d.token(kind, len(d.tokens.Raw()))
	}
	if d.element != "" {
		d.hide("element", d.from, min(len(v.text), d.from+maxElement))
	}
	return d.hidden
}

// mayHide tells whether a text has markup that could hide something.
func mayHide(text string) bool {
	if !hasTag(text) {
		return false
	}
	for _, mark := range []string{"<!--", "style", "hidden", "alt=", "title=", "aria-", "src=", "href=", "data-", "value=", "content=", "placeholder=", "label=", "summary=", "<font", "<template", "<desc", "<no", "<dialog", "<text", "<tspan", "<metadata", "<script",
		"STYLE", "HIDDEN", "ALT=", "TITLE=", "SRC=", "HREF=", "<FONT", "<TEMPLATE"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// hasTag tells whether something stands in a text with which a tag or a comment may begin.
func hasTag(text string) bool {
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 || i+1 == len(text) {
			return false
		}
		text = text[i+1:]
		if c := text[0]; c == '!' || c == '/' || c == '?' || isASCIILetter(rune(c)) {
			return true
		}
	}
}

// A document is markup on the way through it.
type document struct {
	*scanner
	view   *view
	tokens *html.Tokenizer
	at     int // where the token begins
	hidden []hiddenSpan

	inStyle bool            // the next text is a style sheet
	hiding  map[string]bool // classes (.x) and ids (#x) that the style sheets so far hide

	element string // the hidden element that we are in, "" for none
	depth   int    // of elements of that name
	from    int
	noSize  bool // its letters have no size
}

func (d *document) hide(rule string, start, end int) {
	d.hidden = append(d.hidden, hiddenSpan{span{start, end}, kindHiddenHTML, rule})
}

func (d *document) token(kind html.TokenType, size int) {
	start := d.at
	d.at += size
	if kind != html.TextToken {
		d.inStyle = false
	}
	switch kind {
	case html.CommentToken:
		d.hide("comment", start, d.at)
	case html.TextToken:
		if d.inStyle {
			d.styles(d.view.text[start:min(d.at, len(d.view.text))])
		}
		if d.noSize && countWords(d.view.text[start:min(d.at, len(d.view.text))], minAttribute) >= minAttribute {
			from, to := d.view.original(start, d.at, len(d.scanner.text))
			d.report(kindHiddenHTML, "text-without-size", from, to, 60)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := d.tokens.TagName()
		d.startTag(string(name), more, start, kind == html.SelfClosingTagToken)
		d.tokens.NextIsNotRawText() // else <plaintext> would hide the rest from us
	case html.EndTagToken:
		name, _ := d.tokens.TagName()
		if string(name) == d.element {
			if d.depth--; d.depth == 0 {
				d.hide("element", d.from, start)
				d.element, d.noSize = "", false
			}
		}
	}
}

func (d *document) startTag(name string, more bool, start int, closed bool) {
	hidden, noSize := unseen[name], false
	if d.at-start > maxTag || !drawn[name] && atom.Lookup([]byte(name)) == 0 {
		return // not HTML, but a comparison in code, or a placeholder
	}
	for more {
		var k, val []byte
		k, val, more = d.tokens.TagAttr()
		switch key, value := string(k), string(val); key {
		case "style":
			h, n := hides(value)
			hidden, noSize = hidden || h, noSize || n
		case "class":
			for c := range strings.FieldsSeq(value) {
				hidden = hidden || d.hiding["."+c]
			}
		case "id":
			hidden = hidden || d.hiding["#"+value]
		case "color":
			hidden = hidden || name == "font" && invisibleColour(strings.ToLower(value))
		case "opacity", "fill-opacity", "font-size", "display", "visibility", "fill":
			if drawn[name] {
				h, n := hides(key + ":" + value)
				hidden, noSize = hidden || h, noSize || n
			}
		case "type":
			hidden = hidden || name == "script" && (strings.HasPrefix(value, "text/") && !strings.HasSuffix(value, "script") || strings.HasSuffix(value, "json"))
		case "hidden":
			hidden = hidden || value == "" || value == "hidden" || value == "true" || value == "until-found"
		case "src", "href", "background", "poster", "data":
			d.address(value, start, d.at, key != "href")
		default:
			if d.speaks(key) && countWords(value, minAttribute) >= minAttribute {
				d.hide("attribute", start, d.at)
			}
		}
	}
	d.inStyle = name == "style" && !closed
	switch {
	case d.element == name:
		d.depth++
	case d.element == "" && hidden && !closed && !void[name]:
		d.element, d.depth, d.from, d.noSize = name, 1, d.at, noSize
	}
}

// speaks tells whether an attribute may hold a text for readers.
func (d *document) speaks(key string) bool {
	switch key {
	case "alt", "title", "aria-label", "aria-description", "placeholder", "content", "summary", "value", "label", "longdesc", "abbr":
		return true
	}
	return strings.HasPrefix(key, "data-") || strings.HasPrefix(key, "aria-")
}

// drawn are the elements of SVG that hold text, or elements with text.
var drawn = map[string]bool{"text": true, "tspan": true, "textpath": true, "g": true, "defs": true, "symbol": true, "metadata": true, "foreignobject": true}

// unseen are the elements of which a browser shows nothing.
var unseen = map[string]bool{"template": true, "desc": true, "noscript": true, "noframes": true, "noembed": true, "dialog": true, "metadata": true}

// maxStyles bounds the rules of style sheets that are read.
const maxStyles = 1000

// styles notes the classes and ids that a style sheet hides.
func (d *document) styles(sheet string) {
	for rule := range strings.SplitSeq(sheet, "}") {
		selectors, declarations, ok := strings.Cut(rule, "{")
		if hidden, _ := hides(declarations); !ok || !hidden || len(d.hiding) >= maxStyles || strings.Contains(rule, "@") {
			continue
		}
		for selector := range strings.SplitSeq(selectors, ",") {
			if selector = strings.TrimSpace(selector); len(selector) > 1 && !strings.ContainsAny(selector[1:], " .#:>[+~") && (selector[0] == '.' || selector[0] == '#') {
				if d.hiding == nil {
					d.hiding = map[string]bool{}
				}
				d.hiding[selector] = true
			}
		}
	}
}

func (d *document) address(url string, start, end int, image bool) {
	from, to := d.view.original(start, end, len(d.scanner.text))
	d.checkURL(url, from, to, image)
}

// void are the elements that have no content.
var void = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true,
	"input": true, "link": true, "meta": true, "source": true, "track": true, "wbr": true,
}

// hides tells whether a style hides an element, and whether by giving its text no size.
func hides(style string) (hidden, noSize bool) {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	var letters, ground string
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSuffix(value, "!important")
		switch property {
		case "display":
			hidden = hidden || value == "none"
		case "visibility":
			hidden = hidden || value == "hidden" || value == "collapse"
		case "mso-hide":
			hidden = hidden || value == "all"
		case "font-size", "opacity", "fill-opacity", "line-height", "max-height", "height", "width", "max-width":
			zero := strings.Trim(value, "0.") == "" || strings.Trim(strings.TrimRight(value, "pxemtr%"), "0.") == "" || value == "1px"
			hidden = hidden || zero && value != "" || faint(property, value)
			noSize = noSize || zero && value != "" && property == "font-size"
		case "color", "-webkit-text-fill-color", "fill":
			letters = value
			hidden = hidden || invisibleColour(value) || property == "fill" && value == "none"
		case "background", "background-color":
			ground = value
		case "left", "top", "right", "text-indent", "margin-left", "margin-top":
			hidden = hidden || strings.HasPrefix(value, "-") && len(strings.TrimRight(value, "pxemtr%")) > 4
		case "clip", "clip-path", "transform":
			hidden = hidden || strings.Contains(value, "(0") || strings.Contains(value, "inset(100%")
		}
	}
	return hidden || letters != "" && letters == ground, noSize
}

// faint tells whether letters of a size or an opacity are there, but nobody could read them.
func faint(property, value string) bool {
	if property != "font-size" && property != "opacity" && property != "fill-opacity" {
		return false
	}
	unit := strings.TrimLeft(value, "0123456789.")
	n, err := strconv.ParseFloat(strings.TrimSuffix(value, unit), 64)
	switch {
	case err != nil:
		return false
	case property != "font-size" && unit == "":
		return n < 0.1
	}
	return (unit == "" || unit == "px" || unit == "pt") && n <= 1.5 && property == "font-size"
}

// invisibleColour tells whether letters of a colour cannot be seen on a page, whose ground is mostly white.
func invisibleColour(colour string) bool {
	switch colour {
	case "white", "transparent", "snow", "ivory", "ghostwhite", "floralwhite", "whitesmoke", "azure", "mintcream":
		return true
	}
	if hex, ok := strings.CutPrefix(colour, "#"); ok {
		switch len(hex) {
		case 3:
			return strings.Trim(hex, "f") == ""
		case 4:
			return hex[3] == '0' || strings.Trim(hex[:3], "f") == ""
		case 8:
			if hex[6:] == "00" {
				return true
			}
			hex = hex[:6]
		}
		return len(hex) == 6 && hex[0] == 'f' && hex[2] == 'f' && hex[4] == 'f'
	}
	name, numbers, ok := strings.Cut(strings.TrimSuffix(colour, ")"), "(")
	if !ok || !strings.HasPrefix(name, "rgb") && !strings.HasPrefix(name, "hsl") {
		return false
	}
	parts := strings.FieldsFunc(numbers, func(r rune) bool { return r == ',' || r == '/' || r == ' ' })
	if len(parts) == 4 && strings.Trim(parts[3], "0.%") == "" {
		return true
	}
	if name[0] == 'h' {
		return len(parts) >= 3 && (parts[2] == "100%" || strings.HasPrefix(parts[2], "9") && len(parts[2]) == 3)
	}
	for _, p := range parts[:min(3, len(parts))] {
		if n, err := strconv.Atoi(p); err != nil || n < 0xf0 {
			return false
		}
	}
	return len(parts) >= 3
}
