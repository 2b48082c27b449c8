// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package fast

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// limit is the time of the first try: half of the default deadline of package client. A hook with another deadline has no first try.
const limit = 4 * time.Second

func init() {
	if len(os.Args) < 3 || os.Args[1] != "hook" || !isHost(os.Args[2]) {
		return
	}
	policy, preset, answered, ok := flags(os.Args[3:])
	if !ok {
		return
	}
	Tried = &Try{Began: time.Now()}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	type text struct {
		input  []byte
		failed string
	}
	read := make(chan text, 1)
	go func() {
		input, failed := readAll()
		read <- text{input, failed}
	}()
	timer := time.NewTimer(limit)
	select {
	case in := <-read:
		Tried.Read, Tried.Input, Tried.Failed = true, in.input, in.failed
	case <-timer.C: // the host does not end its input
		return
	case <-heard:
		Tried.Interrupted = true
	}
	if Tried.Interrupted || Tried.Failed != "" {
		return
	}
	answer := make(chan []string, 1)
	go func() { answer <- ask(os.Args[2], policy, preset, Tried.Input) }()
	select {
	case fields := <-answer:
		if fields != nil {
			end(fields, answered)
		}
	case <-timer.C:
	case <-heard:
		Tried.Interrupted = true
	}
}

// flags reads the flags. Package client tells what is wrong with them.
func flags(args []string) (policy, preset string, answered int, ok bool) {
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			return "", "", 0, false
		}
		value := args[i+1]
		switch args[i] {
		case "--policy":
			if value == "" || value[0] != '/' {
				return "", "", 0, false
			}
			policy = value
		case "--preset":
			preset = value
		case AnsweredFlag:
			if answered = Code(value); answered == 0 {
				return "", "", 0, false
			}
		default:
			return "", "", 0, false
		}
	}
	return policy, preset, answered, true
}

// readAll reads standard input.
func readAll() (input []byte, failed string) {
	b := make([]byte, 0, 16<<10)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := os.Stdin.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > MaxPayload:
			return nil, "the host tells more than 32 MiB"
		case err != nil && err.Error() == "EOF":
			return b, ""
		case err != nil:
			return nil, err.Error()
		}
	}
}

// ask returns the fields of the judge's answer; nil: there is none.
func ask(host, policy, preset string, payload []byte) []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	address, err := Address(program)
	if err != nil {
		return nil
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil
	}
	syscall.CloseOnExec(fd)
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: address}); err != nil {
		syscall.Close(fd)
		return nil
	}
	conn := os.NewFile(uintptr(fd), address)
	defer conn.Close()
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	environ := os.Environ()
	fields := []string{host, policy, preset, dir, string(appendSize(nil, int(limit))), Marks(environ), string(payload)}
	for _, v := range environ {
		if i := equals(v); Told(v[:i]) {
			fields = append(fields, v)
		}
	}
	if _, err := conn.Write(Message(fields...)); err != nil {
		return nil
	}
	if err := syscall.Shutdown(fd, syscall.SHUT_WR); err != nil {
		return nil
	}
	var reply []byte
	part := make([]byte, 16<<10)
	for len(reply) <= 2*MaxPayload {
		n, err := conn.Read(part)
		reply = append(reply, part[:n]...)
		if err != nil || n == 0 {
			break
		}
	}
	answer, err := Fields(reply)
	if err != nil || len(answer) != 3 || len(answer[2]) != 1 {
		return nil
	}
	return answer
}

// end ends the process with an answer: standard output, standard error and the exit code, or in place of 0 another one.
func end(answer []string, answered int) {
	_, err := os.Stdout.WriteString(answer[0])
	if _, errErr := os.Stderr.WriteString(answer[1]); err == nil {
		err = errErr
	}
	code := int(answer[2][0])
	if code == 0 && (err != nil || answer[0] != "" && Deaf()) {
		code = 2 // a denial to most hosts
	}
	if code == 0 {
		code = answered
	}
	os.Exit(code)
}
