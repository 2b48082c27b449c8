// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package flow follows values through a program: from the arguments of a tool to the functions that touch
// files, the network and processes, past the guards on their way.
//
// A front end of a language turns its syntax into [Func]s and models the functions of the language's
// libraries as a [Lang]. The interpreter runs a handler on abstract values: it enters calls, takes branches
// both ways and joins them. A guard does not remove taint but puts a [Label] on it, in the branch where it
// holds; the sink decides what a label is worth.
//
// Nothing here is run: there are no values but constants of the program. Steps, depth and time are bounded.
package flow

// A Pos is a place in a source file; lines and columns from 1, columns in bytes.
type Pos struct {
	File      string // relative to the analysed directory, with slashes
	Line, Col int
}

// An Op is the kind of an expression.
type Op uint8

// Expressions. The comment behind each lists the fields of [Expr] that it uses.
const (
	Unknown Op = iota // List: evaluated, and all of it in the result
	Str               // S
	Num               // S
	True
	False
	Nil
	Name    // S
	Native  // S: a function, type or value of a library, "os.open"
	Lambda  // Fn: a function within a function
	Attr    // X.S
	Index   // X[Y]
	Slice   // X[…]
	Call    // X(List…), Names the keywords: "" positional, "*" and "**" spread
	Binary  // X S Y
	And     // X, Y
	Or      // X, Y
	Not     // X
	Compare // X S Y: == != < in "not in" is "is not"
	Tuple   // List
	List    // List
	Dict    // Keys, List; a nil key spreads
	Cond    // X if Y else Z
	Format  // List: the parts of a string
	Comp    // X for each Clauses
	Let     // X := Y, as an expression
	Same    // X: an await
	Spread  // *X within a list
)

// An Expr is an expression.
type Expr struct {
	Op      Op
	Pos     Pos
	S       string
	X, Y, Z *Expr
	List    []*Expr
	Names   []string
	Keys    []*Expr
	Fn      *Func
	Clauses []Clause
}

// A Clause is one "for … in … if …" of a comprehension.
type Clause struct {
	Target *Expr
	In     *Expr
	Ifs    []*Expr
}

// A StmtOp is the kind of a statement.
type StmtOp uint8

// Statements.
const (
	Eval   StmtOp = iota // X
	Assign               // Targets = X; S is the operator of an augmented one; Define declares a field of a class
	If                   // X, Body, Else
	For                  // Targets[0] in X: Body, Else
	While                // X, Body, Else
	Return               // X
	Raise                // X
	Try                  // Body, Handlers, Else, Final
	With                 // X as Targets[0]: Body
	Break
	Continue
	Def    // Fn, named Targets[0]
	Class  // Cls
	Import // S the module, Names, Targets: see [Lang]
	Block  // Body
	Assert // X
	Outer  // Names are variables of an enclosing function or of the module
)

// A Stmt is a statement.
type Stmt struct {
	Op       StmtOp
	Pos      Pos
	S        string
	Define   bool
	X        *Expr
	Type     *Expr // an annotation
	Targets  []*Expr
	Names    []string
	Body     []*Stmt
	Else     []*Stmt
	Final    []*Stmt
	Handlers []Handler
	Fn       *Func
	Cls      *ClassDef
}

// A Handler catches what a Try's body raises.
type Handler struct {
	Name *Expr
	Body []*Stmt
}

// A ClassDef is a class with a body, which runs when the class is defined.
type ClassDef struct {
	Name       string
	Pos        Pos
	Bases      []*Expr
	Body       []*Stmt
	Decorators []*Expr
}

// A Func is a function.
type Func struct {
	Name       string
	Pos        Pos
	End        int // its last line
	Params     []Param
	Returns    *Expr // an annotation of its result, or nil
	Body       []*Stmt
	Decorators []*Expr
	Generator  bool // it yields; the yielded values are its result
}

// A Param is a parameter of a function.
type Param struct {
	Name    string
	Star    int   // 1: *args, 2: **kwargs
	Default *Expr // or nil
	Type    *Expr // annotation, or nil
}
