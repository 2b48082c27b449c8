// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func none(string) bool { return false }

// run runs a stand-in with no other program in reach, and returns what it says.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("stand-ins need /bin/sh")
	}
	bin := t.TempDir()
	if err := Write(bin, none); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	cmd.Env, cmd.Dir = []string{"PATH="}, bin
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if strings.Contains(said.String(), "not found") || strings.Contains(said.String(), "yntax") {
		t.Errorf("%s %q: %s", name, args, said.String())
	}
	return out.String(), err
}

// TestAnswers holds what the stand-ins say of the one thing that there is.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"adb devices": "List of devices attached\naudit\tdevice\n\n",
		"adb -s audit shell getprop ro.build.version.release": "14\n",
		"adb -s audit shell wm size":                          "Physical size: 1080x1920\n",
		"adb -s audit install -r absent.apk":                  "!",
		"adb -s audit install -r adb":                         "Success\n",
		"adb push adb /sdcard/x":                              "Success\n",
		"adb":                                                 "",
		"adb -s":                                              "!",
		"xcrun simctl list devices -j":                        `{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-17-0":[{"udid":"audit","name":"audit","state":"Booted","isAvailable":true}]}}` + "\n",
		"kubectl get pods -n default -o json":                 `{"apiVersion":"v1","kind":"List","items":[]}` + "\n",
		"kubectl get pods --output=yaml":                      "apiVersion: v1\nitems: []\nkind: List\n",
		"kubectl config current-context":                      "audit\n",
		"helm list --output json":                             "[]\n",
		"docker ps --format {{json_.}}":                       `{"ID":"audit","Image":"audit","Names":"audit","State":"running","Status":"Up 1 minute"}` + "\n",
		"podman --version":                                    "podman version 5.0.0\n",
		"git -C /x rev-parse --abbrev-ref HEAD":               "main\n",
		"gh pr list --json title":                             "[]\n",
		"aws s3 ls":                                           "",
		"aws ec2 describe-instances":                          "{}\n",
		"gcloud compute instances list --format=json":         "[]\n",
		"terraform output -json":                              "{}\n",
		"redis-cli -h x PING":                                 "PONG\n",
		"ffmpeg -i absent.mp4 out.mp4":                        "!",
		"pandoc absent.md":                                    "!",
		"psql -c x":                                           "",
	} {
		words := strings.Fields(line)
		got, err := run(t, words[0], words[1:]...)
		if err != nil {
			got += "!"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestScreenshot(t *testing.T) {
	t.Parallel()
	out, err := run(t, "adb", "-s", Name, "exec-out", "screencap", "-p")
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(strings.NewReader(out)); err != nil || picture.Bounds().Dx() != 1 {
		t.Errorf("%v: %q", err, out)
	}
}

// TestFiles holds that what the program would write is there afterwards, wherever that is.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "in.md")
	if err := os.WriteFile(text, []byte("a \\ b\n-n\nend"), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, line := range map[string]string{
		"adb":    "adb -s audit pull /sdcard/x",
		"docker": "docker cp audit:/x",
		"xcrun":  "xcrun simctl io audit screenshot",
		"ffmpeg": "ffmpeg -y -i " + text,
		"pandoc": "pandoc -f markdown -t html " + text + " -o",
	} {
		out := filepath.Join(dir, file)
		words := append(strings.Fields(line), out)
		if said, err := run(t, words[0], words[1:]...); err != nil {
			t.Errorf("%s: %v %s", line, err, said)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Error(err)
		}
		if file == "pandoc" && string(raw) != "a \\ b\n-n\nend\n" {
			t.Errorf("pandoc wrote %q", raw)
		}
		if _, err := run(t, words[0], append(words[1:len(words)-1], filepath.Join(dir, "absent", file))...); err == nil {
			t.Errorf("%s: wrote where nothing can be written", line)
		}
	}
}

// TestWrite holds that each program has a stand-in, and that git has one only where there is none.
func TestWrite(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := Write(bin, func(program string) bool { return program == "git" || program == "adb" }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := slices.DeleteFunc(Names(), func(name string) bool { return name == "git" })
	if !slices.Equal(got, want) || !slices.Contains(got, "adb") || !slices.Contains(got, "ssh") {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := Write(filepath.Join(bin, "absent"), none); err == nil {
		t.Error("nothing was written, and nobody was told")
	}
}
