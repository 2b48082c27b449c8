#!/bin/sh
# adb, with one device.
picture() {
	printf '\211PNG\r\n\032\n\000\000\000\015IHDR\000\000\000\001\000\000\000\001\010\000\000\000\000\072\176\233\125'
	printf '\000\000\000\012IDAT\170\234\143\140\000\000\000\002\000\001\110\257\244\161\000\000\000\000IEND\256B\140\202'
}
while :; do
	case "$1" in
	-s | -t | -H | -P | -L) shift 2 || exit 1 ;;
	-d | -e | -a) shift ;;
	*) break ;;
	esac
done
command="$1"
[ $# -gt 0 ] && shift
case "$command" in
devices) printf 'List of devices attached\naudit\tdevice\n\n' ;;
get-state) echo device ;;
get-serialno) echo audit ;;
version | --version) printf 'Android Debug Bridge version 1.0.41\nVersion 35.0.0\n' ;;
pull)
	[ "$1" = -a ] && shift
	: >"${2:-pulled}" || exit 1
	echo "$1: 1 file pulled"
	;;
push | install | install-multiple)
	file=
	for word; do
		case "$command $word" in
		'push '*) file="$word" && break ;;
		*' -'*) ;;
		*) file="$word" ;;
		esac
	done
	[ -r "$file" ] || { echo "adb: failed to stat $file: No such file or directory" >&2 && exit 1; }
	echo Success
	;;
shell | exec-out)
	case "$*" in
	'screencap -p' | 'screencap -p -d '* | 'screencap -d '*) picture ;;
	'wm size'*) echo 'Physical size: 1080x1920' ;;
	'wm density'*) echo 'Physical density: 420' ;;
	'getprop ro.build.version.release'*) echo 14 ;;
	'getprop ro.build.version.sdk'*) echo 34 ;;
	'getprop '*) echo audit ;;
	'pm list features'*) echo 'feature:android.hardware.touchscreen' ;;
	'pm list packages'*) echo 'package:com.example.audit' ;;
	'pm path'*) echo 'package:/data/app/audit/base.apk' ;;
	'uiautomator dump'*) echo "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"></hierarchy>" ;;
	esac
	;;
esac
exit 0
