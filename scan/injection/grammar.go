// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// A phrase is a sequence of meanings that counts as a mark, written as
//
//	ignore 3 prev|all 3 instr
//
// where a number is how many words may stand between two meanings. "order", where given,
// says that the phrase counts in full only as an order: at the beginning of a clause, or
// after a word like please or must.
type phrase struct {
	rule   string
	score  int
	order  bool
	tokens string
}

// enough is the score from which a mark counts by itself.
const enough = 50

// phrases are the grammar. Scores of marks that stand close together are added up.
var phrases = []phrase{
	// Ignore what you were told.
	{"ignore-previous", 60, true, "ignore 3 prev 4 instr"},
	{"ignore-previous", 60, true, "ignore 4 instr 6 prev|told"},
	{"ignore-all", 55, true, "ignore 2 all|own 3 instr"},
	{"ignore-all", 45, true, "ignore 0 your 2 instr"},
	{"ignore-previous-rules", 50, true, "ignore 3 prev 3 rule"},
	{"ignore-all-rules", 35, true, "ignore 2 all 3 rule"},
	{"ignore-all-rules", 35, true, "ignore 3 rule 6 prev|told"},
	{"ignore-what-was-said", 50, true, "ignore 3 all 6 told"},
	{"ignore-what-was-said", 50, true, "ignore 1 you 1 told"},
	{"ignore-above", 40, true, "ignore 1 prev ."},
	{"ignore-instructions", 40, true, "ignore 0 instr"},
	{"ignore-source-and-say", 50, true, "ignore 2 source|prev 3 say"},
	{"previous-ignore", 55, false, "prev 4 instr 5 ignoring"},
	{"previous-ignore", 55, false, "instr 2 prev 4 ignoring"},
	{"previous-ignore", 45, false, "all 2 instr 5 ignoring"},
	{"previous-ignore", 40, false, "told 5 ignoring"},
	{"not-follow-previous", 50, true, "neg 1 follow 3 prev 3 instr"},
	{"not-follow-previous", 50, true, "neg 1 follow 4 instr 3 prev"},
	{"stop-following", 55, true, "stop 0 follow 3 prev|all|own 3 instr|rule"},
	{"drop-others", 50, true, "drop 3 all|prev 1 all|prev 2 instr|task"},
	{"drop-all", 25, true, "drop 2 all|prev 2 instr|task"},
	{"others-void", 40, false, "all|prev 3 instr|task 6 void"},
	{"others-void", 45, false, "all 0 all 5 void"},
	{"only-this", 25, false, "this|sole 3 instr|task 6 sole"},
	{"new-task", 40, true, "own 0 new 1 task|instr|rule"},
	{"new-task", 25, true, "new 0 rule|instr|system ."},
	// Something important comes now.
	{"urgent-task", 25, false, "urgent 8 new|next 4 task|instr"},
	{"urgent-task", 25, false, "new|next 4 task|instr 10 urgent"},
	{"urgent-task", 25, false, "new|next 2 urgent 3 task|instr"},
	{"task-arrived", 30, false, "new 4 task|instr 8 arrive"},
	{"urgent-task-arrived", 45, false, "new 2 urgent 3 task|instr 8 arrive"},
	{"urgent-task-arrived", 45, false, "urgent 6 new 3 task|instr 8 arrive"},
	{"urgent-task-arrived", 45, false, "new 3 task|instr 6 urgent 8 arrive"},
	// You are somebody else now.
	{"you-are-now", 55, false, "you 1 are 1 now 2 dev|free"},
	{"you-are-now", 30, true, "you 1 are 0 now"},
	{"no-longer", 20, false, "you 1 are 1 longer"},
	{"no-longer-bound", 50, false, "you 1 are 1 longer 3 limits|instr|rule"},
	{"from-now-on", 30, false, "from 1 now 2 you"},
	{"act-as", 35, true, "act 4 dev|free"},
	{"act-as-model", 25, false, "act 3 ai"},
	{"obeys-no-rules", 20, false, "neg 4 follow 4 limits|rule"},
	{"dev-mode", 25, false, "dev 0 mode"},
	{"enter-mode", 30, true, "begin 3 dev|free 0 mode"},
	{"unrestricted", 25, false, "free 0 mode|answer"},
	{"safety-off", 35, false, "safety 2 limits|rule|source 4 void"},
	{"safety-off", 35, true, "drop|void 3 safety 2 limits|rule|free"},
	{"without-safety", 30, false, "neg 2 safety 1 limits|rule|free"},
	{"new-prompt", 40, true, "new|own 0 system 0 instr ."},
	{"end-of-prompt", 40, true, "end 1 system 0 instr"},
	{"no-restrictions", 20, false, "neg 2 limits|free"},
	// This is for the model.
	{"note-to-model", 45, false, "note 0 for 2 ai"},
	{"model-that-reads", 50, false, "ai 2 read 3 must"},
	{"you-are-model-that-reads", 55, false, "you 0 are 1 ai 2 read"},
	{"as-model-you-must", 35, false, "ai 1 you 1 must"},
	{"you-model", 40, false, "for 0 you 2 ai"},
	{"before-task", 40, false, "before 3 you 4 task"},
	{"before-answer", 25, false, "before 1 answer|read"},
	{"when-reading-also", 55, false, "when 0 read 1 this 3 also"},
	{"before-reading", 40, true, "before 1 read 2 this"},
	// Do not tell.
	{"tell-nobody", 35, false, "neg 1 tell|hide 4 user"},
	{"tell-nobody", 30, false, "neg 0 tell 0 this"},
	{"tell-nobody-of-this", 25, false, "tell 1 user 2 this"},
	{"tell-nobody-of-this", 40, false, "neg 0 tell 0 this 0 instr"},
	{"hide-from-user", 40, false, "hide 3 from 2 user"},
	// Give away.
	{"reveal-prompt", 50, true, "reveal 3 system 0 instr"},
	{"reveal-prompt", 50, true, "reveal 3 own 2 instr"},
	{"reveal-prompt", 55, true, "reveal 8 own 0 system 0 instr|rule"},
	{"reveal-above", 50, true, "reveal 2 all 3 rule 1 prev"},
	{"send-secret", 20, true, "send|read|reveal 5 secret|keyfile|chat"},
	{"send-away", 20, true, "send 8 chat|secret|keyfile 8 web"},
	{"read-key-file", 25, true, "read|send 6 keyfile"},
	// Forged authority.
	{"admin-override", 60, false, "begin 1 dev 0 dev"},
	{"override-mode", 20, false, "begin 2 dev 1 mode"},
}

// A pattern is a phrase made ready.
type pattern struct {
	*phrase
	slots []slot
	stop  bool // the clause must end behind the last word
}

type slot struct {
	class class
	gap   int32 // words between this and the last
}

// A table holds the patterns by the bits of their first meanings.
type table struct {
	starts [64][]pattern
	any    class // all bits that begin a pattern
}

var patterns = lazy.Value(func() *table {
	t := new(table)
	for i := range phrases {
		p := compile(&phrases[i])
		t.any |= p.slots[0].class
		for bit := range t.starts {
			if p.slots[0].class&(1<<bit) != 0 {
				t.starts[bit] = append(t.starts[bit], p)
			}
		}
	}
	return t
})

func compile(p *phrase) pattern {
	made := pattern{phrase: p}
	gap := 0
	for token := range strings.FieldsSeq(p.tokens) {
		switch n, err := strconv.Atoi(token); {
		case err == nil:
			gap = n
		case token == ".":
			made.stop = true
		default:
			made.slots = append(made.slots, slot{classes(token), int32(gap)})
		}
	}
	return made
}
