#!/bin/sh
# xcrun, with one simulator.
[ "$1" = simctl ] && shift
case "$*" in
'list '*-j* | 'list '*--json* | 'list -j' | 'list --json')
	echo '{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-17-0":[{"udid":"audit","name":"audit","state":"Booted","isAvailable":true}]}}'
	;;
list*) printf '== Devices ==\n-- iOS 17.0 --\n    audit (audit) (Booted)\n' ;;
'io '*' screenshot '*)
	for file; do :; done
	[ "$file" = - ] || : >"$file" || exit 1
	;;
'io '*' recordVideo '*)
	for file; do :; done
	: >"$file" || exit 1
	;;
--version) echo 'xcrun version 70.' ;;
esac
exit 0
