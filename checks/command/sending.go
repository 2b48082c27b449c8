// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/checks/internal/filekind"
)

// services are programs with addresses and accounts of their own. Those of goods also build, install or show; only their words for sending count.
const (
	services = goods + " git rsync gh glab hub tea aws gcloud gsutil az doctl flyctl fly vercel netlify heroku firebase wrangler supabase surge railway sl gt arc ssh scp sftp mail mailx sendmail mutt msmtp restic borg wormhole croc tailscale lt ngrok " +
		"pastebinit gist hf huggingface-cli wandb sentry-cli codecov dvc bzr fossil tmate llm aider localtunnel mvn gradle dotnet ansible ansible-playbook xdg-open open start claude codex gemini telegram-cli slack"
	goods     = "docker podman nerdctl skopeo crane oras helm npm pnpm yarn lerna gem twine uv poetry pdm hatch flit cargo svn hg jj kubectl oc terraform tofu pulumi"
	gitSends  = "push send-email imap-send http-push send-pack svn p4 annex review"
	sendWords = "push --push publish unpublish upload deploy apply create delete copy sync login imagetools release submit commit tag yank owner cp upgrade"
	lookWords = "help version --help --version auth status login logout"
)

// judgeSending refuses commands that send something to an address without naming it.
func judgeSending(j *judge, s simple, r *grammar.Reading) {
	if len(j.deny) == 0 {
		return
	}
	has := func(list string) bool { return anyWord(s.words[1:], func(w string) bool { return among(w, list) }) }
	sends := false
	if len(r.Operands) > 0 && among(s.program(), launcherNames) {
		for _, i := range r.Operands[:min(2, len(r.Operands))] {
			if name := packageProgram(s.words[i]); among(name, services) && !among(name, goods) {
				sends = true
			}
		}
	}
	switch program := s.program(); {
	case program == "git":
		sends = has(gitSends) && s.words[1] != "help"
	case program == "rsync":
		sends = anyWord(s.words[1:], func(w string) bool { return contains(w, ":") })
	case among(program, goods):
		sends = has(sendWords)
	default:
		sends = len(r.Operands) > 0 && !among(s.first(r), lookWords)
	}
	if sends {
		j.refuse(-1, sending, "sends to an address that is set up already")
	}
}

// carriers are programs that write files under the names in their words.
const carriers = "cp mv ln install rsync curl wget aria2c tar unzip bsdtar cpio 7z git dd link gunzip patch uniq npm pnpm yarn"

// judgeSteering refuses to write a file of filekind.SteeringKind by a carrier.
func judgeSteering(j *judge, s simple, r *grammar.Reading) {
	if len(j.deny) == 0 {
		return
	}
	program := s.program()
	if among(program, "npm pnpm yarn") && among(s.first(r), "pkg init") {
		j.refuse(-1, steering, "changes "+filekind.Steers)
	}
	if program == "git" && len(r.Operands) > 0 && !among(s.first(r), "checkout restore mv rm apply stash") {
		return
	}
	j.each(s, steering, "names "+filekind.Steers, func(_ int, w string) bool { return filekind.Steering(trimPrefix(w, "of=")) })
}
