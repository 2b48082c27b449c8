// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// giveUp bounds the wait for a job whose processes have been ended.
const giveUp = 10 * time.Second

// job is a server and its descendants in a job object. The kernel ends them when the job's last handle
// closes, at the latest with this process.
type job struct {
	cmd    *exec.Cmd
	mu     sync.Mutex // guards handle, which is 0 when closed
	handle windows.Handle
}

// launch starts the server suspended, and resumes it in the job, because processes that it started
// before would be outside.
func launch(c Command, files *stdio) (tree, error) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files.theirs[0], files.theirs[1], files.theirs[2]
	// Its own group: Ctrl-C goes to us, and we stop the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	handle, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("cannot make a job object for the server: %w", err)
	}
	j := &job{cmd: cmd, handle: handle}
	if err := cmd.Start(); err != nil {
		j.close()
		return nil, StartError(c.Args[0], err)
	}
	if err := j.adopt(); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		j.close()
		return nil, fmt.Errorf("cannot put the server in its job object: %w", err)
	}
	return j, nil
}

func newJob() (windows.Handle, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(handle)
		return 0, err
	}
	return handle, nil
}

// adopt puts the suspended process in the job and lets it run.
func (j *job) adopt() error {
	var err error
	if e := j.cmd.Process.WithHandle(func(process uintptr) {
		err = windows.AssignProcessToJobObject(j.handle, windows.Handle(process))
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	return resume(uint32(j.cmd.Process.Pid))
}

// resume resumes the only thread of a suspended process. It looks the thread up, because os/exec does
// not keep its handle.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("its first thread cannot be found: %w", err)
}

func (j *job) terminate() { j.kill() }

func (j *job) kill() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		// Closing the handle ends the rest.
		_ = windows.TerminateJobObject(j.handle, uint32(killed.Code))
	}
}

func (j *job) wait() Exit {
	_ = j.cmd.Wait() // its error repeats the state
	j.kill()
	j.close()
	return Exit{Code: j.cmd.ProcessState.ExitCode()}
}

func (j *job) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = windows.CloseHandle(j.handle)
	j.handle = 0
}

func isNotProgram(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
