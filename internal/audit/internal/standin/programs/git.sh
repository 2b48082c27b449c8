#!/bin/sh
# git, in a repository with one commit, where the machine has none.
while [ "$1" = -C ] || [ "$1" = -c ]; do
	shift 2 || exit 1
done
case "$*" in
--version | version) echo 'git version 2.45.0' ;;
'rev-parse --show-toplevel'*) echo "$PWD" ;;
'rev-parse --is-inside-work-tree'*) echo true ;;
'rev-parse --abbrev-ref'* | 'branch --show-current'*) echo main ;;
rev-parse*) echo 0123456789abcdef0123456789abcdef01234567 ;;
'status --porcelain'* | 'status -s'* | diff*) ;;
status*) printf 'On branch main\nnothing to commit, working tree clean\n' ;;
branch*) echo '* main' ;;
'remote -v'*) printf 'origin\thttp://git.example/audit (fetch)\norigin\thttp://git.example/audit (push)\n' ;;
remote*) echo origin ;;
log* | show*) printf 'commit 0123456789abcdef0123456789abcdef01234567\nAuthor: audit <audit@git.example>\nDate:   Sat Jan 31 12:00:00 2026 +0000\n\n    audit\n' ;;
esac
exit 0
