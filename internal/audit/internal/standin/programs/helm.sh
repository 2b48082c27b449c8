#!/bin/sh
# helm, with a cluster in which nothing is installed.
case "$*" in
version*) echo 'version.BuildInfo{Version:"v3.15.0"}' ;;
list*json* | 'search '*json* | 'repo list'*json*) echo '[]' ;;
status*json*) echo '{"name":"audit","namespace":"default","info":{"status":"deployed"}}' ;;
list*) echo 'NAME	NAMESPACE	REVISION	UPDATED	STATUS	CHART	APP VERSION' ;;
install* | upgrade*) echo 'STATUS: deployed' ;;
esac
exit 0
