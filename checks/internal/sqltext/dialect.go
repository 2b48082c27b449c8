// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"
)

// A reading is how a database cuts a text into words, strings and comments.
type reading struct {
	family       family
	backslash    bool // '\'' is one string
	escapeE      bool // E'\'' is one string
	doubleString bool // "text" is a string, else a name
	triple       bool // '''text''' and """text""" are strings
	raw          bool // r'\' is a string
	rawPairs     bool // r'\'' is a string
	alternative  bool // q'[text]' is a string
	dollar       bool // $tag$text$tag$ is a string
	backtick     bool // `name`
	bracket      bool // [name]
	nested       bool // /* /* */ */ is one comment
	hash         bool // # begins a comment
	hashName     bool // #name is a name
	slashes      bool // // begins a comment
	dashSpace    bool // -- begins a comment only before a space
	conditional  bool // /*! text */ is run, by some versions
	tclVariables bool // :name(') is a variable
	selectE      bool // E'\'' is one string right after SELECT, where no table is named
	escapedName  bool // `\x61` is the name a
	unsure       bool // another database may read the text
}

// A family is whose operators a text may have.
type family uint8

const (
	otherFamily family = iota
	postgresFamily
	mysqlFamily
	sqliteFamily
)

var (
	postgresReading = reading{family: postgresFamily, escapeE: true, dollar: true, nested: true}
	mysqlReading    = reading{family: mysqlFamily, backslash: true, doubleString: true, backtick: true, hash: true, dashSpace: true, conditional: true}
	sqliteReading   = reading{family: sqliteFamily, backtick: true, bracket: true, tclVariables: true}
	mssqlReading    = reading{bracket: true, nested: true, hashName: true}
	oracleReading   = reading{alternative: true}

	bigqueryReading   = reading{backslash: true, doubleString: true, triple: true, rawPairs: true, backtick: true, hash: true, escapedName: true}
	snowflakeReading  = reading{backslash: true, dollar: true, slashes: true}
	sparkReading      = reading{backslash: true, doubleString: true, raw: true, backtick: true, nested: true}
	clickhouseReading = reading{backslash: true, backtick: true, nested: true, dollar: true, hash: true, escapedName: true}
)

// MySQL with the modes ANSI_QUOTES, and NO_BACKSLASH_ESCAPES: a session may set them.
var (
	mysqlNames       = reading{family: mysqlFamily, backslash: true, backtick: true, hash: true, dashSpace: true, conditional: true}
	mysqlNoBackslash = reading{family: mysqlFamily, backtick: true, hash: true, dashSpace: true, conditional: true}
)

// commonReadings are the readings of the usual databases behind servers without a named dialect.
var commonReadings = []reading{
	postgresReading, mysqlReading.lenient(), mysqlNames.lenient(), mysqlNoBackslash.lenient(), sqliteReading.lenient(),
}

// dialects are the readings that each dialect has. A text is judged in each of them,
// because a text that one database takes for a string is a second statement to another.
var dialects = map[string][]reading{
	"generic": slices.Concat(commonReadings, []reading{
		mssqlReading.lenient(), oracleReading.lenient(), bigqueryReading.lenient(), snowflakeReading.lenient(),
		sparkReading.lenient(), clickhouseReading.lenient(),
	}),
	"postgres":   {postgresReading},
	"mysql":      {mysqlReading, mysqlNames, mysqlNoBackslash},
	"sqlite":     {sqliteReading},
	"mssql":      {mssqlReading},
	"oracle":     {oracleReading},
	"bigquery":   {bigqueryReading},
	"snowflake":  {snowflakeReading},
	"spark":      {sparkReading},
	"clickhouse": {clickhouseReading},
	"trino":      {{}},
}

// loose are the dialects in which a statement may follow another without a semicolon.
var loose = map[string]bool{"generic": true, "mssql": true, "spark": true}

// otherNames are names that dialects are known by as well.
var otherNames = map[string]string{
	"":           "generic",
	"ansi":       "generic",
	"postgresql": "postgres",
	"redshift":   "postgres",
	"mariadb":    "mysql",
	"sqlserver":  "mssql",
	"tsql":       "mssql",
	"databricks": "spark",
	"hive":       "spark",
	"athena":     "trino",
	"presto":     "trino",
}

// lenient is a reading of a database that has no strings of the form E'text', for when
// the database is not known. A name that stands right after SELECT, here E, has no FROM
// before the next semicolon, so the statement cannot run if it is no string. The same
// does not hold of $$text$$: to SQLite, $$ is a variable.
func (r reading) lenient() reading {
	r.selectE, r.unsure = true, true
	return r
}

// dialectOf returns the dialect of a name that a policy uses, or "".
func dialectOf(name string) string {
	name = strings.ToLower(name)
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if _, ok := dialects[name]; !ok {
		return ""
	}
	return name
}

// readingsOf returns the readings of a dialect that may differ over a text.
func readingsOf(dialect, text string) []reading {
	return distinct(dialects[dialect], text)
}

// distinct leaves out readings that read a text as others do.
func distinct(all []reading, text string) []reading {
	if len(all) == 1 {
		return all
	}
	features := featuresOf(text)
	var list []reading
	for _, r := range all {
		r = r.within(features)
		r.family = otherFamily
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// within forgets what of a reading makes no difference to a text without these
// features.
func (r reading) within(has features) reading {
	r.backslash = r.backslash && has.backslash
	r.escapeE = r.escapeE && has.backslash
	r.doubleString = r.doubleString && has.double
	r.triple = r.triple && has.triple
	r.raw = r.raw && has.backslash
	r.rawPairs = r.rawPairs && has.backslash
	r.alternative = r.alternative && has.alternative
	r.dollar = r.dollar && has.dollar
	r.backtick = r.backtick && has.backtick
	r.bracket = r.bracket && has.bracket
	r.nested = r.nested && has.comment
	r.hash = r.hash && has.hash
	r.hashName = r.hashName && has.hash
	r.slashes = r.slashes && has.slashes
	r.dashSpace = r.dashSpace && has.dashes
	r.conditional = r.conditional && has.comment
	r.tclVariables = r.tclVariables && (has.variable || has.dollar)
	r.selectE = r.selectE && has.backslash && !r.escapeE
	r.escapedName = r.escapedName && has.backslash && (has.double || has.backtick)
	r.unsure = r.unsure && r.escapedName
	return r
}

// features are the marks in a text that databases read differently.
type features struct {
	backslash, double, triple, alternative, dollar, backtick, bracket, comment, hash, slashes, dashes, variable bool
}

func featuresOf(text string) (f features) {
	before, mark := byte(0), false
	for i := range len(text) {
		c := text[i]
		switch c {
		case '\\':
			f.backslash = true
		case '"':
			f.double = true
			f.triple = f.triple || before == '"'
		case '\'':
			f.triple = f.triple || before == '\''
			f.alternative = f.alternative || before|0x20 == 'q'
		case '$':
			f.dollar = true
		case '`':
			f.backtick = true
		case '[':
			f.bracket = true
		case '*':
			f.comment = f.comment || before == '/'
		case '#':
			f.hash = true
		case '/':
			f.slashes = f.slashes || before == '/'
		case '-':
			f.dashes = f.dashes || before == '-'
		case '@', ':':
			mark = true
		case '(':
			f.variable = f.variable || f.hash || mark
		}
		before = c
	}
	return f
}
