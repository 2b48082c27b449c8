#!/bin/sh
# A program that nothing is known of. It succeeds, and answers in the form that it is asked for.
said=" $* "
case "$said" in
*' --version '* | *' -version '* | *' version '* | *' -V '*) echo "${0##*/} 1.0.0" && exit 0 ;;
esac
one='{"id":"audit","name":"audit","title":"audit","udid":"audit","uuid":"audit","status":"active","state":"Booted","type":"audit","type_id":1,"url":"https://example.org/audit","path":"audit","version":"1.0.0","data":[],"items":[],"results":[]}'
case "$said" in
*json*)
	case "$said" in
	*list* | *' ls '* | *devices* | *' ps '* | *search*) echo "[$one]" ;;
	*) echo "$one" ;;
	esac
	exit 0
	;;
esac
# It writes the file that an option names.
out=
for word; do
	case "$out" in
	-o | --output | --out | --output-file | -out) [ -e "$word" ] || { [ -d "${word%/*}" ] && echo audit >"$word"; } ;;
	esac
	out="$word"
done
case "$said" in
*list* | *' ls '* | *devices* | *status* | *' get '*) echo audit ;;
esac
exit 0
