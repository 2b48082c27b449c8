// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package service

import "strings"

// smtp takes mail (RFC 5321), and drops it.
func (v *visit) smtp() error {
	if err := v.say("220 audit ESMTP\r\n"); err != nil {
		return err
	}
	for {
		line, err := v.line()
		if err != nil {
			return err
		}
		verb, rest, _ := strings.Cut(line, " ")
		answer := "250 OK"
		switch strings.ToUpper(verb) {
		case "EHLO": // STARTTLS is not offered: not every client trusts the certificate, and those that insist ask for it
			answer = "250-audit\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-SIZE 35882577\r\n250 AUTH PLAIN LOGIN"
		case "STARTTLS":
			if err := v.say("220 go ahead\r\n"); err != nil {
				return err
			}
			if err := v.secure(); err != nil {
				return err
			}
			continue
		case "AUTH":
			if answer, err = v.smtpLogin(strings.Fields(rest)); err != nil {
				return err
			}
		case "DATA":
			if err := v.say("354 end with a dot\r\n"); err != nil {
				return err
			}
			for line = ""; line != "."; {
				if line, err = v.line(); err != nil {
					return err
				}
			}
			answer = "250 OK: queued as 1"
		case "QUIT":
			return v.say("221 bye\r\n")
		}
		if err := v.say(answer + "\r\n"); err != nil {
			return err
		}
	}
}

// smtpLogin takes any login, whose parts may be in the command already.
func (v *visit) smtpLogin(given []string) (answer string, err error) {
	missing := 1
	if len(given) > 0 && strings.EqualFold(given[0], "LOGIN") {
		missing = 2
	}
	for range missing - max(0, len(given)-1) {
		if err := v.say("334 \r\n"); err != nil {
			return "", err
		}
		if _, err := v.line(); err != nil {
			return "", err
		}
	}
	return "235 OK", nil
}
