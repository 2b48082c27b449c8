// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A trie finds which words and stems of a dictionary a text begins with. The letters of
// ASCII are read in any case.
type trie struct {
	nodes []trieNode
	// edges of node n are those from nodes[n].first, nodes[n].count of them, by label.
	edges []trieEdge
	root  [256]int32
	heads [1 << (15 - 6)]uint64 // a set of the first three bytes of words, five bits of each
	small [][26]uint16          // edges by small letters, which are most of them
}

type trieNode struct {
	first, count int32
	word, stem   class // of what ends here, and of what begins so
}

type trieEdge struct {
	label byte
	to    int32
}

// newTrie makes a trie of words; one that ends in an asterisk is a stem. They are few: the numbers of its nodes have 16 bits.
func newTrie(words map[string]class) *trie {
	list := make([]string, 0, len(words))
	for w := range words {
		list = append(list, w)
	}
	// Not by slices.SortFunc, whose code a program has once for each type: 12 kB.
	sort.Slice(list, func(i, j int) bool { return stemsFirst(list[i], list[j]) < 0 })
	t := &trie{nodes: make([]trieNode, 0, 2*len(list)), edges: make([]trieEdge, 0, 2*len(list))}
	t.build(list, 0, words)
	for _, w := range list {
		t.addHead(strings.TrimSuffix(w, "*"), len(w) < 3 || w[len(w)-1] == '*')
	}
	t.small = make([][26]uint16, len(t.nodes))
	for n, node := range t.nodes {
		for _, e := range t.edges[node.first:][:node.count] {
			if i := e.label - 'a'; i < 26 {
				t.small[n][i] = uint16(e.to)
			}
		}
	}
	for _, e := range t.edges[t.nodes[0].first:][:t.nodes[0].count] {
		t.root[e.label] = e.to
		if e.label >= 'a' && e.label <= 'z' {
			t.root[e.label-'a'+'A'] = e.to
		}
	}
	return t
}

// stemsFirst puts a stem behind the word of the same letters, and before all longer ones.
func stemsFirst(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i] == '*':
			return -1
		case b[i] == '*':
			return 1
		default:
			return cmp.Compare(a[i], b[i])
		}
	}
	return len(a) - len(b)
}

// build adds the node for the first depth bytes of list, which its words share, and returns
// its number.
func (t *trie) build(list []string, depth int, words map[string]class) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, trieNode{})
	var node trieNode
	rest := list
	for len(rest) > 0 && (len(rest[0]) == depth || rest[0][depth] == '*') {
		if len(rest[0]) == depth {
			node.word = words[rest[0]]
		} else {
			node.stem = words[rest[0]]
		}
		rest = rest[1:]
	}
	groups := [][]string{}
	for len(rest) > 0 {
		label := rest[0][depth]
		end := slices.IndexFunc(rest, func(s string) bool { return s[depth] != label })
		if end < 0 {
			end = len(rest)
		}
		groups = append(groups, rest[:end])
		rest = rest[end:]
	}
	node.first, node.count = int32(len(t.edges)), int32(len(groups))
	t.edges = append(t.edges, make([]trieEdge, len(groups))...)
	for i, group := range groups {
		to := t.build(group, depth+1, words)
		t.edges[int(node.first)+i] = trieEdge{group[0][depth], to}
	}
	t.nodes[n] = node
	return n
}

// addHead adds the first bytes of a word to heads: with open set, whatever stands behind a shorter one.
func (t *trie) addHead(word string, open bool) {
	if len(word) >= 3 || !open {
		h := head(word)
		t.heads[h>>6] |= 1 << (h & 63)
		return
	}
	for c := range 32 {
		t.addHead(word+string(rune(c)), true)
	}
}

// head is a number for the first three bytes of a word, with letters in either case.
func head(word string) uint16 {
	h := uint16(word[0]&31)<<10 | uint16(word[1]&31)<<5
	if len(word) > 2 {
		h |= uint16(word[2] & 31)
	}
	return h
}

// may tells of most words of two bytes and more that they are not in the dictionary.
func (t *trie) may(word string) bool {
	h := head(word)
	return t.heads[h>>6]>>(h&63)&1 == 1
}

// lookup returns the class of a word: its own, or its longest stem's.
func (t *trie) lookup(word string) class {
	n := t.root[word[0]]
	if n == 0 {
		return 0
	}
	stem := t.nodes[n].stem
	for i := 1; i < len(word); i++ {
		if n = t.next(n, lower(word[i])); n == 0 {
			return stem
		}
		if s := t.nodes[n].stem; s != 0 {
			stem = s
		}
	}
	if c := t.nodes[n].word; c != 0 {
		return c | stem
	}
	return stem
}

// longest returns the longest stem or word that the text begins with: for scripts that do
// not put spaces between words.
func (t *trie) longest(text string) (c class, size int) {
	n := t.root[text[0]]
	for i := 1; n != 0; i++ {
		if here := t.nodes[n].word | t.nodes[n].stem; here != 0 {
			c, size = here, i
		}
		if i == len(text) {
			break
		}
		n = t.next(n, lower(text[i]))
	}
	return c, size
}

func (t *trie) next(n int32, label byte) int32 {
	if i := label - 'a'; i < 26 {
		return int32(t.small[n][i])
	}
	node := &t.nodes[n]
	for _, e := range t.edges[node.first:][:node.count] {
		if e.label >= label {
			if e.label == label {
				return e.to
			}
			return 0
		}
	}
	return 0
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// spellings are the folded forms in which a word may stand in a text: the capitals of some
// alphabets look like others of ASCII than their small letters.
func spellings(word string) []string {
	if nonASCII(word) == len(word) {
		return []string{strings.ToLower(word)}
	}
	forms := []string{word, strings.ToUpper(word)}
	if r := []rune(word); len(r) > 1 {
		forms = append(forms, strings.ToUpper(string(r[:1]))+string(r[1:]))
	}
	for i, form := range forms {
		forms[i] = strings.ToLower(fold(nil, form).text)
	}
	return forms
}
