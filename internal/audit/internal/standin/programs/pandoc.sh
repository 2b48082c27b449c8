#!/bin/sh
# pandoc, which makes of a text the same text.
case "$1" in
--version | -v) echo 'pandoc 3.2' && exit 0 ;;
esac
source= file= before=
for word; do
	case "$before $word" in
	'-o '* | '--output '*) file="$word" ;;
	*' --output='*) file="${word#--output=}" ;;
	*' -'*) ;;
	'-f '* | '-t '* | '--from '* | '--to '*) ;;
	*) source="$word" ;;
	esac
	before="$word"
done
copy() {
	while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done
}
if [ -n "$source" ]; then
	[ -r "$source" ] || { echo "pandoc: $source: openBinaryFile: does not exist" >&2 && exit 1; }
	exec <"$source"
fi
if [ -n "$file" ]; then
	copy >"$file" || exit 1
else
	copy
fi
exit 0
