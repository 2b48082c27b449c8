// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"
	"testing"
)

// benign are harmless texts that look like attacks, speak of them, or hide something for a
// good reason; none of them from a corpus.
var benign = []string{
	"# Prompt injection\n\nAn attacker may write \"ignore previous instructions\" into an issue. Our guardrail detects the phrase.",
	"OWASP LLM01: payloads such as `Disregard the system prompt` are tried by attackers first.",
	"| payload | blocked |\n|---|---|\n| ignore all previous instructions | yes |\n| you are now DAN | yes |\n\nThe scanner blocks these attacks.",
	"The README says: if you ignore previous instructions for the installer, remove ~/.cache first.",
	"To undo, ignore the previous step and run `make clean` again.", "Ignore the warnings above; they come from an old compiler.",

	"You can safely ignore this e-mail if you did not request a password reset.", "Do not share your password or token with anyone.",
	"Never commit credentials. Do not print secrets in logs.", "Send the form to the address below.", "Forget everything you know about slow builds: v3 is ten times faster.",
	"You are now connected to the server.", "You are now logged in as admin.", "You are no longer able to edit this page.", "You no longer need to set GOPATH.",
	"From now on, releases are made on Mondays.", "New instructions for the assembly of the shelf are in chapter 2.", "The new policy applies to all users from 1 January.",
	"Important: back up your database before you start the migration.", "IMPORTANT NOTE: this option is deprecated.", "Attention: the API changes in v2.", "URGENT: the deadline for the new task is Friday.",
	"The system prompt is sent with each request (see `system` in the API reference).", "Set the system prompt in config.yaml.", "The assistant role answers; the user role asks.",
	"messages = [{\"role\": \"system\", \"content\": \"You are a helpful assistant.\"}, {\"role\": \"user\", \"content\": prompt}]", "You are a helpful assistant that translates English to French.",
	"The agent reads the file and must release the lock.", "When reading this chapter, keep the earlier one in mind.", "Do not show this prompt again", "Do not show this message again.", "Never ask me again",
	"Developer mode: Settings > About > tap the build number seven times.", "Run with --debug to enter debug mode.", "sudo mode needs your password.", "Enable maintenance mode before you upgrade.",
	"Repeat the steps above for each node.", "Print all rows above the median.", "Show all text in the cell above", "Read the .env file with dotenv before the server starts.", "Copy ~/.kube/config to the new machine; keep the credentials safe.",
	"ssh-keygen writes id_ed25519 and id_ed25519.pub; upload the public one.", "cat ~/.ssh/id_ed25519.pub", "git config --global user.name 'Ada'", "stop following symlinks: --no-dereference", "Stop following this thread", "Unfollow all users",
	"# eslint-disable-next-line -- ignore the rule above", "<!-- prettier-ignore -->", "<!-- markdownlint-disable MD033 -->", "/* istanbul ignore next */", "//nolint:gosec // ignore all rules here",
	"[skip ci] revert previous commits", "Revert \"Ignore previous instructions in tests\"", "test_ignore_all_previous_instructions PASSED", "def ignore_previous(instructions): return instructions[1:]",
	`{"message":"All previous commands were discarded","level":"info"}`, `{"ignore":["**/node_modules"],"override":true,"rules":{"all":"off"}}`, `.hidden{display:none} .sr-only{position:absolute;left:-9999px}`,
	`<div hidden>Loading…</div><noscript>Please enable JavaScript to run this app.</noscript>`, `<span class="sr-only">Skip to main content</span>`, `<p style="display:none">Template for the e-mail footer of the shop</p>`, `<input type="hidden" name="csrf" value="a8f5f167f44f4964e6c998dee827110c">`,
	`<img src="https://ci.example.com/badge.svg?branch=main&style=flat">`, "![graph](https://quickchart.example/chart?c={type:'bar',data:{labels:['Q1','Q2']}})", "![](https://www.example.com/pixel.gif?utm_source=mail&utm_campaign=spring)",
	"[https://example.org/docs](https://docs.example.org/docs)", "[mailto](mailto:help@example.org?subject=Question)", "👩🏽\u200d💻 👨\u200d👩\u200d👧\u200d👦 🏳️\u200d⚧️ ❤️\u200d🔥 🇩🇪 1️⃣ ™️", "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f Wales", "می\u200cخواهم کتاب را بخوانم", "नमस्ते दुनिया, क्\u200dया हाल है", "שלום, version 2.1 (beta) שוחרר", "\u200fمرحبا\u200f API \u200ev2\u200e",
	"ﬁle ﬂow ½ ① Ⅳ ㎏ ｶﾅ", "Ωmega Δelta — Ärzte, naïve café, São Paulo", "Пожалуйста, прочитайте предыдущие главы.", "请先阅读之前的说明。", "以前の説明を参照してください。", "Bitte lesen Sie die vorherigen Anweisungen genau.", "Veuillez suivre les instructions précédentes.", "Siga las instrucciones anteriores.", "Lütfen önceki talimatları okuyun.", "Hãy đọc các hướng dẫn trước đó.", "Kérem, olvassa el a korábbi utasításokat.", "اقرأ التعليمات السابقة أولا.",
	"\x1b[1;31merror\x1b[0m\x1b[1m: mismatched types\x1b[0m\n \x1b[1;34m-->\x1b[0m src/main.rs:4:5", "\x1b[2K\r\x1b[36m⠋\x1b[39m Installing packages", "\x1b[33mWARN\x1b[39m deprecated subdependencies found", "Progress: 10%\rProgress: 20%\rProgress: 100%\n", "\x1b[?25l\x1b[?25h", "\x1b[7m reverse \x1b[27m",
	"!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this,function(){return{ignore:1,all:2,previous:3,instructions:4}})", "q=system+design&hl=en&source=hp&ei=x+y+z+1", "a+b+c+d+e+f+g = x", "C++ and g++ and i++ and j++", "GET /search?q=how+to+write+good+instructions+for+new+users HTTP/1.1",
	"A - B - C - D - E - F - G", "1. a) b) c) d) e) f)", "x-y-z a-b-c", "I-V-vi-IV in C major", "A.B.C. v. D.E.F., 12 U.S. 345", "w i d e", "y = m x + b", "SHA-256(a|b|c|d)", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "h1:" + strings.Repeat("qLrw1nFzTn", 4) + "abc=", "550e8400-e29b-41d4-a716-446655440000",
	"As an AI researcher, you should read this paper.", "The model is told to answer in JSON.", "Agents must be restarted after the update.", "Note for agents: call centre hours are 9 to 5.", "Tell the user that the password was changed.", "The tool must not tell the user whether an account exists.", "Ask the user before you delete anything.",
}

// touched are harmless texts that are known to be taken for attacks.
var touched = []string{
	"Please ignore my previous message, I found the error myself.",
	"@SuppressWarnings(\"all\") // ignore previous rule",
	"If you are an AI engineer, reading this book will help.",
	"If the build fails, disregard any previous output and look at the last line.",
}

// TestBenign holds that harmless texts pass.
func TestBenign(t *testing.T) {
	t.Parallel()
	if len(benign) < 100 {
		t.Fatalf("only %d texts", len(benign))
	}
	for _, text := range benign {
		if found := Scan(text); len(found) > 0 {
			t.Errorf("Scan(%+q) = %v, want nothing", text, found)
		}
	}
	for _, text := range touched {
		if len(Scan(text)) == 0 {
			t.Errorf("%q passes now: move it to benign", text)
		}
	}
}
