// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"encoding/json"
	"slices"
	"strconv"
)

// An estimate is the planner's estimate of a statement, in its own units.
type estimate struct {
	cost float64
	rows float64 // of the largest step
	// noCost is why the planner gave no cost, or "".
	noCost string
}

const narrower = "narrow it by WHERE or LIMIT, or ask for less"

// estimated tells what is more than the policy wants.
func (r *report) estimated(q *question, e estimate) {
	o := q.o
	switch {
	case e.noCost != "":
		if o.WarnCost > 0 || o.MaxCost > 0 {
			r.noCost(q, e.noCost)
		}
	case o.MaxCost > 0 && e.cost > o.MaxCost:
		r.fault(narrower, "costs about %s by the database's own estimate, and at most %s is allowed", amount(e.cost), amount(o.MaxCost))
	case o.WarnCost > 0 && e.cost > o.WarnCost:
		r.warn(narrower, "costs about %s by the database's own estimate, which is more than %s", amount(e.cost), amount(o.WarnCost))
	}
	if o.WarnRows > 0 && e.rows > o.WarnRows {
		r.warn(narrower, "works through about %s rows by the database's own estimate, which is more than %s", amount(e.rows), amount(o.WarnRows))
	}
}

// noCost tells that the cost is not known. Where the policy sets a limit, that is an
// error: otherwise the limit could be passed by what no planner can estimate.
func (r *report) noCost(q *question, why string) {
	if q.o.MaxCost > 0 {
		r.fault("write it without that, or ask whoever keeps the policy to do without max_cost",
			"has a cost that is not known, because %s; at most %s is allowed", why, amount(q.o.MaxCost))
		return
	}
	r.skip("the cost is not known, because " + why)
}

func amount(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// A planNode is a step of a plan of PostgreSQL.
type planNode struct {
	Cost  float64    `json:"Total Cost"`
	Rows  float64    `json:"Plan Rows"`
	Plans []planNode `json:"Plans"`
}

// postgresEstimate reads EXPLAIN (FORMAT JSON).
func postgresEstimate(text []byte) (estimate, bool) {
	var list []struct{ Plan *planNode }
	if json.Unmarshal(text, &list) != nil || len(list) != 1 || list[0].Plan == nil {
		return estimate{}, false
	}
	return estimate{cost: list[0].Plan.Cost, rows: list[0].Plan.largest()}, true
}

func (n *planNode) largest() float64 {
	rows := n.Rows
	for i := range n.Plans {
		rows = max(rows, n.Plans[i].largest())
	}
	return rows
}

// mysqlEstimate reads the lines of EXPLAIN and the status variable Last_query_cost,
// which is known only for a query without subqueries and UNION (MySQL manual, "Server
// Status Variables").
func mysqlEstimate(lines [][]string, cost string) estimate {
	e := estimate{rows: mysqlRows(lines)}
	simple := !slices.ContainsFunc(lines, func(line []string) bool { return len(line) < 2 || line[1] != "SIMPLE" })
	var err error
	if e.cost, err = strconv.ParseFloat(cost, 64); err != nil || !simple {
		e.noCost = "this database estimates it only for queries without UNION and subqueries"
	}
	return e
}

// mysqlRows is the largest number of rows that a nested loop over the tables of a query
// comes to. Each select multiplies on its own.
func mysqlRows(lines [][]string) float64 {
	products := make(map[string]float64) // by the id of the select
	largest := 0.0
	for _, line := range lines {
		column := 8
		if len(line) == 12 {
			column = 9 // MySQL has columns "partitions" and "filtered"
		}
		if len(line) <= column {
			continue
		}
		rows, err := strconv.ParseFloat(line[column], 64)
		if err != nil {
			continue // no table, or the result of a UNION
		}
		id := line[0]
		if _, known := products[id]; !known {
			products[id] = 1
		}
		products[id] *= max(rows, 1)
		largest = max(largest, products[id])
	}
	return largest
}
