// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// issued are the forms of secrets as their issuers write them, with made-up values: {n:c} is
// n random characters of a class. So nobody takes this file for a leak.
var issued = map[string]string{
	"aws key":              "AKIA{16:B}",
	"aws temporary key":    "ASIA{16:B}",
	"github classic":       "ghp_{36:w}",
	"github fine-grained":  "github_pat_{22:w}_{59:w}",
	"github app":           "ghs_{36:w}",
	"github oauth":         "gho_{36:w}",
	"github refresh":       "ghr_{36:w}",
	"gitlab":               "glpat-{20:w}",
	"gitlab deploy":        "gldt-{20:w}",
	"gitlab runner":        "glrt-{20:w}",
	"slack bot":            "xoxb-{12:d}-{12:d}-{24:w}",
	"slack user":           "xoxp-{12:d}-{12:d}-{12:d}-{32:h}",
	"slack app":            "xapp-1-A{10:B}-{13:d}-{64:h}",
	"slack webhook":        "https://hooks.slack.com/services/T{10:B}/B{10:B}/{24:w}",
	"stripe live":          "sk_live_{24:w}",
	"stripe restricted":    "rk_live_{24:w}",
	"google api key":       "AIza{35:w}",
	"google oauth":         "GOCSPX-{28:w}",
	"google access token":  "ya29.a0{120:w}",
	"openai project":       "sk-proj-{74:w}T3BlbkFJ{74:w}",
	"openai old":           "sk-{20:w}T3BlbkFJ{20:w}",
	"anthropic":            "sk-ant-api03-{93:w}AA",
	"huggingface":          "hf_{34:a}",
	"npm":                  "npm_{36:w}",
	"pypi":                 "pypi-AgEIcHlwaS5vcmc{100:w}",
	"sendgrid":             "SG.{22:w}.{43:w}",
	"twilio key":           "SK{32:h}",
	"mailgun":              "MAILGUN_KEY=key-{32:h}",
	"mailchimp":            "{32:h}-us{2:e}",
	"telegram":             "{10:e}:AA{33:w}",
	"discord":              "M{23:w}.{6:w}.{38:w}",
	"digitalocean":         "dop_v1_{64:h}",
	"heroku":               "HRKU-AA{58:w}",
	"shopify":              "shpat_{32:h}",
	"square":               "sq0csp-{43:w}",
	"databricks":           "dapi{32:h}",
	"doppler":              "dp.pt.{43:w}",
	"linear":               "lin_api_{40:w}",
	"notion":               "ntn_{11:d}{35:w}",
	"new relic":            "NRAK-{27:B}",
	"grafana service":      "glsa_{32:w}_{8:h}",
	"grafana cloud":        "glc_{60:w}=",
	"hashicorp vault":      "hvs.{95:w}",
	"terraform cloud":      "{14:w}.atlasv1.{65:w}",
	"docker hub":           "dckr_pat_{27:w}",
	"atlassian":            "ATATT3xFfGF0{180:w}",
	"postman":              "PMAK-{24:h}-{34:h}",
	"planetscale":          "pscale_tkn_{43:w}",
	"age":                  "AGE-SECRET-KEY-1{58:Q}",
	"jwt":                  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{22:w}.{43:w}",
	"azure storage":        "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey={86:w}==;EndpointSuffix=core.windows.net",
	"azure ad":             "{3:w}8Q~{34:w}",
	"postgres url":         "postgres://app:{16:w}@db.internal:5432/app",
	"mongodb url":          "mongodb+srv://app:{18:w}@cluster0.abcde.mongodb.net/x",
	"amqp url":             "amqps://svc:{20:w}@mq.internal/vh",
	"git remote":           "https://oauth2:{24:w}@git.internal/a/b.git",
	"sentry":               "sntrys_eyJpYXQiO{20:w}LCJyZWdpb25fdXJs{40:w}_{43:w}",
	"cloudflare origin ca": "v1.0-{24:h}-{146:h}",
	"vercel":               "vcp_{56:w}",
	"supabase":             "sbp_{40:h}",
	"groq":                 "gsk_{52:w}",
	"replicate":            "r8_{37:w}",
	"perplexity":           "pplx-{48:w}",
	"xai":                  "xai-{80:w}",
	"fly.io":               "FlyV1 fm2_{120:w}",
	"figma":                "figd_{40:w}",
	"airtable":             "pat{14:w}.{64:h}",
	"dropbox":              "sl.{136:w}",
	"buildkite":            "bkua_{40:h}",
	"circleci":             "CCIPAT_{22:w}_{40:h}",
	"snyk / uuid":          "SNYK_TOKEN={8:h}-{4:h}-4{3:h}-a{3:h}-{12:h}",
}

// alphabets are the classes of characters.
var alphabets = map[string]string{
	"w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"B": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "h": "0123456789abcdef", "d": "0123456789", "e": "123456789",
	"Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

var random = regexp.MustCompile(`\{(\d+):(\w)\}`)

// filled is a form with random characters.
func filled(r *rand.Rand, form string) string {
	return random.ReplaceAllStringFunc(form, func(s string) string {
		m := random.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[1]) // the expression takes digits alone
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabets[m[2]][r.IntN(len(alphabets[m[2]]))]
		}
		return string(b)
	})
}

// carriers are texts in which tools return a secret.
var carriers = map[string]string{
	"alone": "%s", "sentence": "Here it is: %s. Keep it safe!", "quoted": `the key is "%s", said he`, "env": "DEBUG=1\nSERVICE_KEY=%s\nPORT=80\n",
	"export": "export API_TOKEN='%s'", "json": `{"id": 7, "api_key": "%s", "ok": true}`, "yaml": "auth:\n  token: %s\n  user: app\n",
	"toml": "[auth]\nsecret = \"%s\"\n", "curl": `curl -H "Authorization: Bearer %s" https://api.internal/v1`, "header": "X-Api-Key: %s\r\nAccept: */*\r\n",
	"xml": "<credentials><apiKey>%s</apiKey></credentials>", "attribute": `<input type="hidden" name="token" value="%s"/>`, "csv": "id,name,token\n7,app,%s\n",
	"table": "| name | token |\n|---|---|\n| app | `%s` |\n", "log": "2026-01-03T10:22:11Z INFO auth token=%s user=app status=200", "query": "GET /v1?token=%s&x=1 HTTP/1.1",
	"code": "client = Client(api_key=\"%s\")", "terraform": "variable \"token\" {\n  default = \"%s\"\n}", "docker": "ENV TOKEN=%s\nRUN make\n",
	"json in json": `{"body": "{\"token\": \"%s\"}"}`, "diff": "-token: old\n+token: %s\n", "parentheses": "(token: %s)", "markdown": "**Token:** `%s`\n", "properties": "app.token=%s\n",
}

// TestIssued finds made-up secrets of all issuers in all sorts of texts.
func TestIssued(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	s := standard(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, issuer := range slices.Sorted(maps.Keys(issued)) {
		for _, name := range slices.Sorted(maps.Keys(carriers)) {
			value := filled(r, issued[issuer])
			text := fmt.Sprintf(carriers[name], value)
			if clean := redact(s, text); strings.Contains(clean, value) {
				t.Errorf("%s in %s: %q is left", issuer, name, clean)
			}
		}
	}
}
