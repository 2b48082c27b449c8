#!/bin/sh
# kubectl, with one cluster in which there is nothing.
form=
for word; do
	case "$word" in
	json | -ojson | -o=json | --output=json) form=json ;;
	yaml | -oyaml | -o=yaml | --output=yaml) form=yaml ;;
	esac
done
case "$1" in
version) echo 'Client Version: v1.30.0' ;;
cluster-info) echo 'Kubernetes control plane is running at http://cluster.example' ;;
config)
	case "$2" in
	current-context | get-contexts | get-clusters | get-users) echo audit ;;
	view) [ "$form" = json ] && echo '{"kind":"Config","apiVersion":"v1","current-context":"audit"}' ;;
	*) echo 'Switched to context "audit".' ;;
	esac
	;;
get)
	case "$form" in
	json) echo '{"apiVersion":"v1","kind":"List","items":[]}' ;;
	yaml) printf 'apiVersion: v1\nitems: []\nkind: List\n' ;;
	*) echo 'No resources found in default namespace.' ;;
	esac
	;;
port-forward) echo 'Forwarding from 127.0.0.1:8080 -> 80' ;;
apply | create | delete | patch | scale | label | annotate) echo 'audit configured' ;;
esac
exit 0
