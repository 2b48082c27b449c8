// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

// ownRules are texts in which each secret stands in brackets behind its marker.
var ownRules = []string{
	"DATABASE_URL=postgres://app:[redacted:url-password]⟦Zx81-kq93mm⟧@db.internal:5432/app",
	"redis://:[redacted:url-password]⟦k3-9fjsLQ⟧@cache:6379/0 and https://example.org:8080/@scope/name",
	"postgres://user:password@localhost/db mysql://root:root@db/x amqp://guest:guest@mq https://u:${PASS}@h https://u:<pw>@h",
	"docker://alpine:3.8@sha256:0123456789abcdef git@github.com:a/b.git ssh://git@host:22/x",

	"GET / HTTP/1.1\nAuthorization: Basic [redacted:authorization-header]⟦YXBwOlp4ODEta3E5M21t⟧\n",
	"\"authorization\": \"Token [redacted:authorization-header]⟦9f8a7b6c5d4e3f2a1b0c⟧\"",
	"Authorization: Bearer <token>, Authorization: Bearer YOUR_ACCESS_TOKEN, Authorization: Basic abc",
	"send Bearer [redacted:bearer-token]⟦q8Zr1xTt5vLw9mKd3nPb7yHc⟧ with it",
	"Bearer authentication-is-required-here, bearer of bad news1 and 2",

	"password: \"[redacted:password]⟦Tr0ub4dor&3⟧\"",
	"{'db_passwd': '[redacted:password]⟦kX9#mQ2!vL⟧'}",
	"password: \"correct-horse-battery\" password = \"${DB_PASSWORD}\" \"password\": {\"type\": \"string\"} password = 'changeme123'",
	"\"passwordField\": \"password_2\", secret: \"my-secret-name\", secret = \"projects/1/secrets/2\", passwd=\"<password1>\"",
	"db:\n  password: [redacted:password-line]⟦kX9mQ2vLw⟧\n  Lösenord：[redacted:password-line]⟦Zx81#kq93⟧\n**Contraseña:** `[redacted:password-line]⟦kX9mQ2vLw⟧`",
	"password: correct-horse-battery\npassword = os.environ1\npassword: String\nPasswort: siehe Kapitel 4\npassword: ${DB_Pass1}\npassword=user2.Password\npassword: sha256-hashed",
	"The password for admin is [redacted:password-prose]⟦kX9mQ2vLw⟧ now; das Passwort lautet [redacted:password-prose]⟦Zx81#kq93⟧",
	"The password is case-sensitive. The password is required for user1. The password is UTF-8 encoded. A password is Base64-encoded.",
	"deploy --api-key [redacted:password-flag]⟦kX9mQ2vLw⟧ --db-password='[redacted:password]⟦Zx81#kq93⟧' --token-file /run/Secrets/1 --token <Token1>",
	"mysql -u root -p[redacted:mysql-password]⟦kX9mQ2vLw⟧ shop; mysql -u root -p shop; mysqldump --port 3306 -P3306",
	"Set-Cookie: a=b; sessionid=[redacted:session-cookie]⟦q8zr1xtt5vlw9mkd3npb⟧; HttpOnly\nCookie: theme=dark-mode-of-the-operating-system",
	"webhook_secret: [redacted:hexadecimal-secret]⟦0011223344aabb550011223344aabb66⟧ and commit: 0011223344aabb550011223344aabb6600112233",
	"use [redacted:prefixed-token]⟦SK" + "0f1e2d3c4b5a69788796a5b4c3d2e1f0⟧, or [redacted:prefixed-token]⟦NRAK-" + "Q7W2E9R4T1Y8U3I6O5P0A7S2D4F⟧; not NRAK-X, task-0f1e2d3c4b5a69788796a5b4c3d2e1f0",
	"{\"db_password\": \"[redacted:numeric-password]⟦8364917265⟧\", 'passcode': '[redacted:numeric-password]⟦739105⟧'}",
	"\"password\": \"12345678\" \"password\": \"20240131\" \"last_passwd\": \"1718000000\" \"pwd\": \"111111\" \"password\": \"1234\"",

	// Ordinary values, beside a name that leaves no doubt.
	"connect with password=[redacted:password-value]⟦hunter2hunter⟧ to the host, or passwd=[redacted:password-value]⟦letmein⟧; DB_PASSWORD=[redacted:password-value]⟦correct-horse-battery⟧",
	"{\"user\": \"ann\", \"password\": \"[redacted:password-value]⟦qwertz⟧\"} {'db_passphrase': '[redacted:password-value]⟦correct-horse-battery⟧'}",
	"password=password PASSWORD=changeme password=required?user=a passwd=self.password password=getpass() password=$1 --password=<password> password=YOUR_PASSWORD password=DB_ROOT_PASS\npassword=****",
	"{\"password\": \"Password\", \"password\": \"Kennwort\", \"password\": \"string\", \"password\": \"required\", \"password\": \"${DB}\", \"password\": \"密码不能为空\", \"passwordField\": \"hunter2x\"}",
	"use [redacted:sk-key]⟦sk-Zr8qTvWm3xKpLdYh5nBc⟧ or [redacted:sk-key]⟦sk-or-v1-Zr8qTvWm3xKpLdYh5nBc9sJf⟧; class=\"sk-container-id-1\" sk-loading-indicator-wave sk-toggleable__label_arrow sk-test",
	"key [redacted:aws-key-id]⟦AKIA" + "Q9T17VXN2LPR8MKD⟧ and not AKIAIOSFODNN7EXAMPLE",
	"[redacted:private-key-header]⟦-----BEGIN RSA PRIVATE KEY-----⟧", "key: \"[redacted:private-key-header]⟦-----BEGIN PGP PRIVATE KEY BLOCK-----⟧\"\n",
	// Random values of any characters, behind a name.
	"[DEBUG] Using Key=[redacted:random-value]⟦q5przi0tmp6xpo7rpsd0q:kl0qg:2gdj3jyumq04q9kcqk/qxdo⟧\nSecret = [redacted:random-value]⟦BXiMbhBlC3=5hIbqCEKvq7op/AJfQ+2Ytxc1hDq1:z⟧.\n",
	"req.Header.Set(\"Beamer-Api-Key\", \"[redacted:random-value]⟦DyVdf7+cAXw4MH9gT1CPotU3__aLKbrABRWvT7TyO=⟧\") appKey := \"[redacted:random-value]⟦(QGxPq3RyzvtxEKcV&9ePJGn)k0d9a⟧\"",
	"func apiToken() string { return \"[redacted:random-value]⟦nt+D0ER8QpuT0O1WqsclApO2⟧\" } \"refresh_token\": \"[redacted:random-value]⟦0.AX3AF" + base64ish + base64ish + base64ish + "_-⟧\"",
	"cache_key=Linux-q5Przi0tmp6xPo7/rpsd0q:z nextToken: \"q5Przi0tmp6xPo7/rpsd0q:z\" key: config.Get1.Value2.Name3Of token=https://a.example/q5Przi0tmp6xPo7 key = \"src/Sub2/Part3/Name4.go\" publicKey: q5Przi0tmp6xPo7/rpsd0q:z",
	"Your key is [redacted:hexadecimal-prose]⟦36a584c280b5b617e8eb25dae6b64d63⟧, and the commit is 36a584c280b5b617e8eb25dae6b64d6312345678",
	"<secret>[redacted:element-value]⟦{AQAAABAAA XzUkp562BtmjfRGoOGBiLLNu}⟧</secret><db.password>[redacted:element-value]⟦hunter22⟧</db.password><Password>[redacted:password-value]⟦letmein⟧</Password>",
	"<password>${db.Pass1}</password><token>the token that you got 3 days ago</token><password>string</password><api-key>changeme1</api-key>",
	"bannerToken := \"Bearer [redacted:bearer-token]⟦yvxpthLIcYpZweFpPOVeCOtt⟧\"; the bearer AuthenticationTokenProviders",
	"[redacted:prefixed-token]⟦sk-lf-1a2b3c4d-0a1b-4c5d-8e9f-0a1b2c3d4e5f⟧ /keys/[redacted:prefixed-token]⟦pri_0998f14d114dfaae476569b395eade12⟧ [redacted:prefixed-token]⟦api-5gykyl1b-wgrq-41lc-z6q1-h7zn5fdlcybw⟧",
	"PASSWORD=[redacted:password-variable]⟦git&202503251200&R2xlVEmqi+OW130dxWIDhfw1K6XKw/gxc5P9te3cwWBtnK2XkZq5k+VUAdnuX1Y0T/I5CRK9fJyBJr31SmFEYw==⟧\n",
	"DB_PASSWORD=[redacted:password-variable]⟦kX9#mQ2!vL⟧\nPATH=/bin",
	"\"Env\": [\"PATH=/bin\", \"DB_PASSWORD=[redacted:password-variable]⟦kX9#mQ2!vL⟧\"]",
	"[{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted:named-value]⟦kX9#mQ2!vL⟧\"},{\"value\": \"[redacted:named-value]⟦f81Kq0zPq7Yt3Lm⟧\",\n \"name\": \"API_KEY\"}]",
	"env:\n  - name: DB_PASSWORD\n    value: [redacted:named-value]⟦kX9#mQ2!vL⟧\n  - name: SIGNING_KEY\n    value: '[redacted:named-value]⟦f81Kq0zPq7Yt3Lm⟧'\n",
	"name  = \"DB_PASSWORD\"\nvalue = \"[redacted:named-value]⟦kX9#mQ2!vL⟧\"",
	"{\"password\": [\"[redacted:password]⟦kX9#mQ2!vL⟧\"]} {\"password\":{\"type\":\"text\", \"value\":\"[redacted:password]⟦kX9#mQ2!vL⟧\"}}",
	"[{\"name\":\"DB_PASSWORD\",\"value\":\"$DB_PASS1234\"},{\"name\":\"DB_PASSWORD_FILE\",\"value\":\"kX9#mQ2!vL\"},{\"name\":\"DB_PASSWORD\",\"valueFrom\":\"arn:aws:ssm:p/kX9\"},{\"name\":\"a\",\"value\":\"kX9#mQ2!vL\"},{\"name\":\"API_TOKEN\"}]",
	"[{\"name\":\"nextToken\",\"value\":\"f81Kq0zPq7Yt3Lm\"},{\"name\":\"API_KEY\",\"value\":\"PROD_API_KEY_V2\"},{\"name\":\"DB_PASSWORD\",\"value\":\"vault-path-v2\"}]",
	"{\"password\":[\"required|min:8\",\"min:12\"], \"secret\": [\"This value must have 8 characters.\"], \"password\":{\"type\":\"string\",\"minLength\":12}}",
	"DB_PASSWORD=$DB_PASS1234\nDB_PASSWORD=/run/secrets/db1\nADMIN_PASS=your-password-1",

	"Server=db;User Id=app;Password=[redacted:connection-string-password]⟦kX9#mQ2!vL⟧;Encrypt=true",
	"a;password=foo1.bar();b ;pwd=x1",
	"CREATE USER 'app'@'%' IDENTIFIED BY '[redacted:sql-password]⟦kX9#mQ2!vL⟧';",
	"ALTER ROLE app PASSWORD '$1' IDENTIFIED BY 'password123'",
	"machine api.internal login app password [redacted:netrc-password]⟦kX9mQ2vL⟧\n",
	"machine x login y password <password>",
	"//npm.internal/:_authToken=[redacted:npmrc-auth]⟦0a1b2c3d-e4f5-6789-abcd⟧",
	"//npm.internal/:_authToken=${NPM_TOKEN}",

	"[redacted:private-key-header]⟦-----BEGIN PRIVATE KEY-----⟧\n[redacted:private-key-part]⟦MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKj⟧",
	"look for -----BEGIN PRIVATE KEY----- or -----BEGIN RSA PRIVATE KEY----- in what a tool returns",
	"-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END CERTIFICATE-----",
	"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n[redacted:putty-private-key]⟦AAAAIDNHOpPmVSDQEuIHiHdVCL3ujEwXXrMZ⟧\n",

	"[redacted:json-web-token]⟦eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoiSm9lIiwKInN0YXR1cyI6ImVtcGxveWVlIgp9⟧",
	"a header alone: eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
	"aws_session_token = [redacted:aws-session-token]⟦" + base64ish + base64ish + "⟧",
	"AccountName=x;AccountKey=[redacted:azure-account-key]⟦" + base64ish + "Zz3k5P7mQ9rT1vX3zB5d==⟧",
	"client_id: [redacted:google-oauth-client-secret]⟦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⟧",
	"refresh [redacted:google-oauth-token]⟦1//0gR8xKq2mVbTzCgYIARAAGBASNwF-L9IrZ3kq8vX1cW2e⟧",
	"[redacted:discord-bot-token]⟦MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs⟧",
	"[redacted:slack-token]⟦xoxr-523423-234243-234233-e039d02840a0b9379c⟧",
	"xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx xoxp-572370529330-573807301142-572331691188-####",
	"[redacted:gitlab-ci-build-token]⟦glcbt-helloworld380_testing⟧",
	"X-JFrog-Art-Api: [redacted:artifactory-password]⟦AP6kq8vX1cW2e⟧",
	"[redacted:mailchimp-key]⟦a2937653ed38c31a43ea46e2b19257db-us2⟧",
	"[redacted:telegram-bot-token]⟦7213808860:AAH1bjqpKKW3maRSPAxzIU-0v6xNuq2-NjM⟧",
	"arn:aws:sns:aaa:111122223333:aaaaaaaaaaaaaaaaaaassssssddddddddddddd",
	"[redacted:pypi-token]⟦pypi-AgENdGVzdC5weXBpLm9yZwIkN2YxOWZhOWEtY2FjYS00MGZhLTj2MGEtODFjMnE2MjdmMzY0AAIqWzMsImJl⟧",
	"square_oauth = [redacted:square-secret]⟦sq0csp-ABCDEFGHIJK_LMNOPQRSTUVWXYZ-0123456789\\abcd⟧",

	"apiVersion: v1\nkind: Secret\ndata:\n  [redacted:kubernetes-secret]⟦user: YXBw\n  pass: Zmxvd2Vycw==⟧\ntype: Opaque\n",
	"kind: ConfigMap\ndata:\n  user: YXBw\n  pass: Zmxvd2Vycw==\n",
	"https://x.blob.core.windows.net/f?sig=[redacted:presigned-url]⟦mZ3kq8vX1cW2eR4tY5uI6oP7aS8dF9gH0jK1lZ2xC3v%3D⟧",

	// Nothing of this is a secret.
	"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 key 550e8400-e29b-41d4-a716-446655440000",
	"github.com/a/tokenizer v0.3.0 h1:FE8DYbNSz/kSbgEo9l/RjgYHkIJYEdskumitFQBE9FE=",
	"\"integrity\": \"sha512-YkmQj1uHqCVNoUx5a9uvRTe81gmAcln5hoRMPWFBU4tulufUf0OzP2K==\"",
}

const base64ish = "Kq8vX1cW2eR4tY5uI6oP7aS8dF9gH0jK1lZ2xC3vB4nM5qW6eR7tY8uI9oP0aS1dF"
