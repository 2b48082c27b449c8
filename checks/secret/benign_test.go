// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// benign are texts that look like secrets, or speak of them, and hold none.
func benign() []string {
	r := rand.New(rand.NewPCG(11, 12))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString(noise(n)) }
	hash := func() string { s := sha256.Sum256(noise(8)); return hex.EncodeToString(s[:]) }
	integrity := func() string { s := sha512.Sum512(noise(8)); return base64.StdEncoding.EncodeToString(s[:]) }
	uuid := func() string {
		h := hex.EncodeToString(noise(16))
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	}
	var uuids, commits, sums strings.Builder
	for range 40 {
		fmt.Fprintln(&uuids, uuid())
		fmt.Fprintln(&commits, hash()[:40], "Fix the token endpoint")
		fmt.Fprintln(&sums, hash(), " dist/auth-key.js")
	}
	return []string{
		uuids.String(), commits.String(), sums.String(),
		"golang.org/x/crypto v0.41.0 h1:" + b64(32) + "\ngolang.org/x/crypto v0.41.0/go.mod h1:" + b64(32),
		`"node_modules/jsonwebtoken": {"version": "9.0.2", "resolved": "https://registry.example/jsonwebtoken-9.0.2.tgz", "integrity": "sha512-` + integrity() + `"}`,
		"resolution: {integrity: sha512-" + integrity() + "}", "checksum = \"" + hash() + "\"\nname = \"secrecy\"",
		"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE" + b64(66) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + b64(300) + "\n-----END CERTIFICATE-----",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + b64(32)[:43] + " ada@example.org", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + b64(380) + " ada@host",
		"SHA256:" + b64(32)[:43] + " ada@host (ED25519)", "data:image/png;base64,iVBORw0KGgo" + b64(900), "data:font/woff2;base64,d09GMgABAAAAA" + b64(900), "/9j/4AAQSkZJRgABAQ" + b64(1200),
		"ETag: \"" + hash()[:32] + "\"", "X-Request-Id: " + uuid(), "traceparent: 00-" + hash()[:32] + "-" + hash()[:16] + "-01", "cursor=" + b64(24), `{"nextPageCursor":"` + b64(40) + `"}`,
		"uses: actions/checkout@" + hash()[:40] + " # v4", "FROM alpine@sha256:" + hash(), "sha256sum: " + hash(), "commit " + hash()[:40] + "\nAuthor: Ada", "build_id=" + hash()[:40],
		`<script src="a.js" integrity="sha384-` + integrity()[:64] + `" crossorigin="anonymous">`, "0x" + hash()[:40] + " sent 3 ETH", "bc1q" + hash()[:38], "txid: " + hash(),
		"export API_KEY=your-api-key-here", "API_KEY=${API_KEY}", "password: <your password>", "token: $GITHUB_TOKEN", "secret: ${{ secrets.GITHUB_TOKEN }}", "apiKey: process.env.API_KEY", `password = os.environ["DB_PASSWORD"]`,
		"password: changeme", "DB_PASSWORD=postgres", "Set a strong password of at least 12 characters, with digits (0-9) and symbols (!@#).", "The password is hashed with bcrypt (cost 12) before it is stored.",
		"Password: ********", "Enter password: [hidden]", "passwords must match /^(?=.*[A-Z])(?=.*\\d).{8,}$/", "The token is valid for 3600 seconds; the refresh token for 14 days.", "--password-stdin", "--token <TOKEN>", "docker login -u ada --password-stdin registry.example.com",
		"Use a bearer token: `Authorization: Bearer <token>`.", "Authorization: Bearer $TOKEN", "curl -H 'X-Api-Key: YOUR_KEY' https://api.example.com", "sk_test_... and pk_live_... are the prefixes of keys", "Keys begin with ghp_, gho_, or github_pat_.", "AKIAIOSFODNN7EXAMPLE", "AKIA followed by 16 letters",
		"const tokenEndpoint = 'https://auth.example.com/oauth2/v1/token'", "secretName: my-app-tls-2024", "secretKeyRef: {name: db-credentials, key: password}", "KeyId: arn:aws:kms:eu-central-1:111122223333:key/" + uuid(), "publicKeyToken=b03f5f7f11d50a3a",
		"function getPasswordHash(password1, salt2) { return pbkdf2Sync(password1, salt2, 100000, 64, 'sha512') }", "if (token.type === TokenType.Keyword2) { next(token) }", "type Token1 struct { Kind TokenKind; Pos int }", "password_reset_expires_at: 2026-01-03T10:22:11Z", `{"password_changed_at":1767435731,"token_count":123456789,"keys":98765432}`,
		`{"password":{"type":"string","minLength":12,"format":"password"}}`, `{"passwordPolicy":"Min12Chars","secretVersion":"v12"}`, "token_uri: https://oauth2.example.com/token", "max_tokens: 128000, completion_tokens=1532", "tokens/s: 153.22", "tokenizer.json sha256=" + hash(),
		"error: invalid token 'foo2Bar' at line 12:34", "unexpected token } in JSON at position 1234", "!function(e,t){\"object\"==typeof exports&&\"undefined\"!=typeof module?t(exports):t((e=e||self).K2={})}(this,function(e){\"use strict\";var t=Object.freeze,n=e.token1||{}})",
		"a{background:url(data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="12"><path d="M1 2h3v4z"/></svg>`)) + ")}", base64.StdEncoding.EncodeToString([]byte("The quick brown fox jumps over the lazy dog, and nothing of it is a secret.")),
		base64.StdEncoding.EncodeToString([]byte(`{"id":42,"sort":["2026-01-03",17],"dir":"next"}`)), base32.StdEncoding.EncodeToString([]byte("just a text without any secret in it")), hex.EncodeToString([]byte("just a text without any secret in it")), hex.EncodeToString(noise(500)),
		"\x1b[32m10:22:11\x1b[0m \x1b[36mINFO\x1b[0m token refreshed id=\x1b[33m" + uuid() + "\x1b[0m", "2026-01-03 10:22:11 sshd[812]: Failed password for root from 203.0.113.7 port 51515 ssh2", "Accepted publickey for ada from 203.0.113.7 port 51515 ssh2: ED25519 SHA256:" + b64(32)[:43],
		"token=\x1b[33m" + uuid() + "\x1b[0m", "\x1b[36mapi_key\x1b[0m=\x1b[33m" + uuid() + "\x1b[0m", "\x1b[1mkey\x1b[0m: \x1b[32m" + hash()[:32] + "\x1b[0m", "\x1b[33mcommit " + hash()[:40] + "\x1b[m (\x1b[1;36mHEAD\x1b[m)",
		`[{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db-v2","key":"password"}}},{"name":"TOKEN_URL","value":"https://auth2.example.com/token"},{"name":"API_KEY_ID","value":"` + uuid() + `"}]`,
		"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db2, key: password}\n- name: DB_PASSWORD_FILE\n  value: /run/secrets/db2\n", `{"password":["This password is too short. It must contain at least 8 characters."]}`,
		`{"password":["required","min8chars"],"tokens":["` + hash() + `"],"secret":{"type":"string","value":"${SECRET2}"}}`, `<input name="password" type="password" value="">`, `{"name":"csrf_token","value":"hidden-input2"}`,
		base64.StdEncoding.EncodeToString([]byte("G\x00e\x00t\x00-\x00P\x00r\x00o\x00c\x00e\x00s\x00s\x00 \x00p\x00w\x00s\x00h\x00")), base64.StdEncoding.EncodeToString(make([]byte, 600)), strings.Repeat("00", 400),
		"das Passwort ist falsch", "la contraseña es incorrecta: inténtelo de nuevo", "le mot de passe : obligatoire", "密码：至少8个字符", "пароль: не менее 12 символов", "パスワード：8文字以上", "كلمة المرور غير صحيحة", "הסיסמה שגויה",
		"👩‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 1️⃣ key", "Keys: Q W E R T Y; Ctrl+Alt+F12", "key = 'user:1234:profile:v2'", "cache key: page-5d41402abc4b2a76b9719d911017c592", "partition_key=2026-01-03", "primary_key: order_id_000000012345", "sort key is createdAt#0001",
		"https://example.com/reset?lang=en&next=%2Fhome%2Fuser", "https://cdn.example.com/assets/index-" + hash()[:8] + ".js", "s3://bucket/year=2026/part-00000-" + uuid() + ".c000.snappy.parquet", "urn:uuid:" + uuid(), "git@github.com:org/secret-keeper.git", "https://user@example.com/path", "postgres://localhost:5432/db", "redis://cache:6379/0", "amqp://guest:guest@localhost//",
		"Basic auth is base64 of user:password.", "JWT: header.payload.signature, each base64url", "VAPID and ECDH P-256 keys have 65 bytes", "Diffie-Hellman group14-sha256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "oid 1.3.6.1.4.1.311.21.8", "MAC 00:1b:44:11:3a:b7", "IBAN DE89370400440532013000", "ISBN 978-3-16-148410-0", "2001:db8:85a3::8a2e:370:7334",
		"lorem/ipsum/dolor/sit/amet/consectetur/adipiscing/elit/sed/do", "com.example.security.oauth2.TokenServiceImplTest2", "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d", "vault kv get -field=password secret/app", "op://vault/item/password", "gpg: key 0123456789ABCDEF: public key imported",
	}
}

// TestBenign holds that a result without a secret stays as it is.
func TestBenign(t *testing.T) {
	t.Parallel()
	texts := benign()
	if len(texts) < 100 {
		t.Fatalf("only %d texts", len(texts))
	}
	for _, text := range texts {
		raw := textResult(text)
		if clean, n := redacted(t, raw); n > 0 || !bytes.Equal(raw, clean) {
			t.Errorf("%.300q becomes %.300s", text, visible(t, clean))
		}
	}
}
