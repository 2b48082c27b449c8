#!/bin/sh
# aws, of an account that has nothing.
case "$*" in
--version) echo 'aws-cli/2.17.0' ;;
*'get-caller-identity'*) echo '{"UserId":"audit","Account":"000000000000","Arn":"arn:aws:iam::000000000000:user/audit"}' ;;
'configure list-profiles'*) echo audit ;;
's3 ls'* | 's3 cp'* | 's3 sync'* | configure*) ;;
*) echo '{}' ;;
esac
exit 0
