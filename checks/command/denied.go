// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazy"
)

// A reason says why a program does not run unless the policy lists it, and what it can be
// allowed by instead.
type reason struct{ kind, what string }

// denied returns why a program is refused by default.
func denied(name string) (reason, bool) {
	why, found := deniedPrograms()[name]
	if !found {
		base, _, _ := cut(name, ".") // mkfs.ext4
		why, found = deniedFamilies()[strings.TrimRight(base, "0123456789-")]
	}
	return why, found
}

var (
	isShell     = &reason{inShell, "is a shell"}
	isBuiltin   = &reason{starter, "makes a shell run what it is given"}
	isStarter   = &reason{starter, "starts any other program that it is told"}
	isLater     = &reason{later, "makes something run later, or when the system starts"}
	isPrivilege = &reason{privilege, "changes to another user or root"}
	isSystem    = &reason{system, "stops the system, or changes its users, disks, protection or settings"}
	isEraser    = &reason{system, "deletes or overwrites files or disks for good"}
	isChannel   = &reason{network, "opens connections for any other program"}
	isEnder     = &reason{wipe, "ends processes by their names"}
	isSecret    = &reason{credential, "prints passwords and keys"}
	isWindows   = &reason{"", "is a known way to run or fetch any program on Windows"}
)

// deniedFamilies are programs whose name may end in a version or in a kind.
var deniedFamilies = group([]denial{
	{isShell, "sh bash dash ash zsh ksh mksh pdksh rbash csh tcsh fish elvish pwsh powershell"},
	{isSystem, "mkfs fsck"},
})

// deniedPrograms are refused unless the policy lists them. Programs that people call by name in
// good faith is not here: the options that make it dangerous are in risk.go.
var deniedPrograms = group([]denial{
	{isShell, "rksh yash nsh rc es xonsh busybox toybox cmd command.com powershell_ise wsl wslconfig git-bash git-shell rsh rlogin telnet"},
	{isBuiltin, "eval exec source . trap fc history coproc hash wait jobs disown suspend invoke-expression iex invoke-command icm start-process saps new-object add-type set-alias"},
	{isStarter, "xargs parallel script expect run-parts unshare chroot setarch pkexec ld.so ld-linux.so setpriv capsh start-stop-daemon daemonize screen tmux byobu gdb lldb entr rlwrap dtach zathura ssh-agent aa-exec cgexec bwrap ltrace strace tclsh wish"},
	{isLater, "at atq atrm batch crontab schtasks systemd-run launchctl register-scheduledtask"},
	{isPrivilege, "nsenter sudo sudoedit su doas runuser runas gosu su-exec dzdo pfexec newgrp gsudo"},
	{isSystem, "halt shutdown reboot poweroff telinit init kexec useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd visudo vipw vigr chsh " +
		"fdisk sfdisk gdisk cfdisk parted mkswap swapoff cryptsetup lvremove vgremove pvremove setenforce iptables ip6tables nft ufw " +
		"insmod modprobe rmmod sysctl mount umount losetup chattr bcdedit diskpart format vssadmin wbadmin cipher takeown icacls cacls net net1 sc reg regedit netsh wevtutil fsutil " +
		"setcap csrutil auditctl nvram lvm diskutil stop-computer restart-computer format-volume clear-disk set-executionpolicy"},
	{isEraser, "dd wipefs shred remove-item erase rd clear-recyclebin"},
	{isEnder, "killall killall5 pkill skill"},
	{isSecret, "pass gopass op bw lpass vault keyring secret-tool security keepassxc-cli"},
	{isChannel, "nc ncat netcat nc.openbsd nc.traditional bore tmate upterm gotty ttyd sshuttle frpc localtunnel lt zrok playit inlets socat cryptcat pwncat chisel ngrok iwr irm invoke-webrequest invoke-restmethod send-mailmessage start-bitstransfer wget2c"},
	{isWindows, ""}, // whose names the table of programs has
})

// A denial is the names of programs that are refused for one reason.
type denial struct {
	why   *reason
	names string
}

//go:noinline
func group(lists []denial) func() map[string]reason {
	return lazy.Value(func() map[string]reason {
		m := make(map[string]reason)
		for _, d := range lists {
			names := strings.Fields(d.names)
			if d.why == isWindows {
				names = grammar.List("windows")
			}
			for _, name := range names {
				m[name] = *d.why
			}
		}
		return m
	})
}
