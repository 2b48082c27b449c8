#!/bin/sh
# ffmpeg, which takes any input for a film and writes one in which there is nothing.
case "$*" in
-version | --version) echo 'ffmpeg version 7.0' && exit 0 ;;
esac
source= file= before=
for word; do
	[ "$before" = -i ] && source="$word"
	before="$word" file="$word"
done
case "$source" in
'') exit 1 ;;
*://*) ;;
*) [ -r "$source" ] || { echo "$source: No such file or directory" >&2 && exit 1; } ;;
esac
case "$file" in
"$source" | - | pipe:*) ;;
*) : >"$file" || exit 1 ;;
esac
exit 0
