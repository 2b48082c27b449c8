#!/bin/sh
# docker, or podman, with one container.
case "${0##*/} $*" in
'podman --version' | 'podman -v') echo 'podman version 5.0.0'; exit ;;
esac
case "$*" in
--version | -v) echo 'Docker version 27.0.0, build audit' ;;
version*json*) echo '{"Client":{"Version":"27.0.0"},"Server":{"Version":"27.0.0"}}' ;;
version* | info*) echo 'Server Version: 27.0.0' ;;
inspect* | *' inspect '*) echo '[{"Id":"audit","Name":"/audit","State":{"Status":"running","Running":true},"Config":{"Image":"audit"}}]' ;;
ps*json* | 'container ls'*json* | 'container list'*json*) echo '{"ID":"audit","Image":"audit","Names":"audit","State":"running","Status":"Up 1 minute"}' ;;
ps* | 'container ls'* | 'container list'*) printf 'CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\naudit   audit   "audit"   1 minute ago   Up 1 minute      audit\n' ;;
images*json* | 'image ls'*json*) echo '{"ID":"audit","Repository":"audit","Tag":"latest"}' ;;
images* | 'image ls'*) printf 'REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\naudit   latest   audit   1 minute ago   1MB\n' ;;
'cp '* | 'container cp '*)
	for file; do :; done
	case "$file" in
	-) ;;
	*:*) ;;
	*) : >"$file" || exit 1 ;;
	esac
	;;
create* | run* | start* | stop* | restart* | rm* | kill*) echo audit ;;
esac
exit 0
