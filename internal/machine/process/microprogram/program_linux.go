// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package microprogram

import (
	"encoding/binary"
	"errors"
)

// A Word is the address of a 64-bit word of a running program, which holds an operand or takes a result.
type Word uint64

// A Label is a step of a program, as a target of branches.
type Label struct{ step int }

// A Program is a list of steps and the words that they use. It begins with its first step, and must not run past its last one.
type Program struct {
	steps     []*Step
	data      []byte
	constants map[uint64]Word
	scratch   Word
}

// A Step makes a system call, or subtracts; then it branches.
type Step struct {
	call                 int64
	operands             [operands]Word
	result, against      Word
	less, equal, greater *Label // nil: the next step
}

const (
	operands   = 5
	subtract   = -1 // in place of a system call
	stepWords  = 1 + operands + 2 + 3
	stepBytes  = 8 * stepWords
	maxSteps   = 96
	stepsBytes = maxSteps * stepBytes // the words stand behind them
	maxData    = 64 << 20             // more than the kernel takes as arguments and environment
)

// New returns a program without steps.
func New() *Program {
	p := &Program{constants: map[uint64]Word{}}
	p.scratch = p.Variable()
	return p
}

// Variable returns a word of its own, which is 0 at first.
func (p *Program) Variable() Word { return Word(p.Bytes(make([]byte, 8))) }

// Constant returns a word with a value. No step may write there.
func (p *Program) Constant(value uint64) Word {
	w, ok := p.constants[value]
	if !ok {
		w = Word(p.Bytes(binary.LittleEndian.AppendUint64(nil, value)))
		p.constants[value] = w
	}
	return w
}

// Bytes returns the address of bytes, at a multiple of 8.
func (p *Program) Bytes(b []byte) (address uint64) {
	address = dataAddress + stepsBytes + uint64(len(p.data))
	p.data = append(p.data, b...)
	for len(p.data)%8 != 0 {
		p.data = append(p.data, 0)
	}
	return address
}

// Text returns the address of a text with a zero byte at its end.
func (p *Program) Text(s string) (address uint64) { return p.Bytes(append([]byte(s), 0)) }

// Texts returns the address of an array of texts, as execve takes it.
func (p *Program) Texts(texts []string) (address uint64) {
	var array []byte
	for _, s := range texts {
		array = binary.LittleEndian.AppendUint64(array, p.Text(s))
	}
	return p.Bytes(binary.LittleEndian.AppendUint64(array, 0))
}

// Call adds a step that makes a system call with at most five operands. The others are 0.
func (p *Program) Call(number int, of ...Word) *Step {
	s := &Step{call: int64(number), result: p.scratch, against: p.Constant(0)}
	for i := range s.operands {
		s.operands[i] = p.Constant(0)
	}
	copy(s.operands[:], of)
	p.steps = append(p.steps, s)
	return s
}

// Subtract adds a step whose result is a - b.
func (p *Program) Subtract(a, b Word) *Step { return p.Call(subtract, a, b) }

// Mark makes the next step to be added the target of label.
func (p *Program) Mark(label *Label) { label.step = len(p.steps) }

// Into makes a step keep its result: what the kernel returned, so an error is its negative number.
func (s *Step) Into(w Word) *Step { s.result = w; return s }

// Against makes a step compare its result with a word. Without it, it compares with 0.
func (s *Step) Against(w Word) *Step { s.against = w; return s }

// Less, Equal and Greater say where to go after a comparison of signed numbers. Without them, the next step follows.
func (s *Step) Less(to *Label) *Step    { s.less = to; return s }
func (s *Step) Equal(to *Label) *Step   { s.equal = to; return s }
func (s *Step) Greater(to *Label) *Step { s.greater = to; return s }

// Then says where to go in every case.
func (s *Step) Then(to *Label) *Step { return s.Less(to).Equal(to).Greater(to) }

// The image is loaded where its header says: position-independent code would have to find its own data.
const (
	address     = 0x400000
	dataOffset  = 0x10000 // the largest page: code and data have pages of their own
	dataAddress = address + dataOffset
	headerSize  = 64
	segmentSize = 56
	segments    = 3
	codeOffset  = 0x100
)

// Image returns the program as an executable file in the format ELF.
func (p *Program) Image() ([]byte, error) {
	if len(p.steps) == 0 || len(p.steps) > maxSteps || len(p.data) > maxData {
		return nil, errors.New("microprogram: no steps, or too much")
	}
	code := interpreter()
	image := make([]byte, dataOffset, dataOffset+stepsBytes+len(p.data))
	copy(image[codeOffset:], code)
	le := binary.LittleEndian
	for i, s := range p.steps {
		image = le.AppendUint64(image, uint64(s.call))
		for _, w := range s.operands {
			image = le.AppendUint64(image, uint64(w))
		}
		image = le.AppendUint64(image, uint64(s.result))
		image = le.AppendUint64(image, uint64(s.against))
		for _, to := range []*Label{s.less, s.equal, s.greater} {
			step := i + 1
			if to != nil {
				step = to.step
			}
			if step >= len(p.steps) {
				return nil, errors.New("microprogram: a branch behind the last step")
			}
			image = le.AppendUint64(image, dataAddress+uint64(step)*stepBytes)
		}
	}
	image = append(image, make([]byte, dataOffset+stepsBytes-len(image))...)
	image = append(image, p.data...)

	header := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...) // 64 bits, little-endian, version 1
	header = le.AppendUint16(header, 2)                                 // ET_EXEC
	header = le.AppendUint16(header, machine)
	header = le.AppendUint32(header, 1)
	header = le.AppendUint64(header, address+codeOffset) // e_entry
	header = le.AppendUint64(header, headerSize)         // e_phoff
	header = le.AppendUint64(header, 0)                  // e_shoff
	header = le.AppendUint32(header, 0)                  // e_flags
	for _, n := range []uint16{headerSize, segmentSize, segments, 0, 0, 0} {
		header = le.AppendUint16(header, n)
	}
	segment := func(kind, flags uint32, offset, size uint64) {
		header = le.AppendUint32(header, kind)
		header = le.AppendUint32(header, flags)
		for _, n := range []uint64{offset, address + offset, address + offset, size, size, dataOffset} {
			header = le.AppendUint64(header, n)
		}
	}
	const load, stack, x, w, r = 1, 0x6474e551, 1, 2, 4
	segment(load, r|x, 0, codeOffset+uint64(len(code)))
	segment(load, r|w, dataOffset, uint64(len(image)-dataOffset))
	segment(stack, r|w, 0, 0) // without it, some kernels make all data executable
	copy(image, header)
	return image, nil
}
