// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAsk holds the order of effects: deny before ask before allow; and that an ask rule permits what no allow rule does, if a
// person consents.
func TestAsk(t *testing.T) {
	t.Parallel()
	rules := map[Effect]Rule{
		Allow: {Name: "allow", Effect: Allow}, Ask: {Name: "ask", Effect: Ask, Message: "it matters"}, Deny: {Name: "deny", Effect: Deny},
	}
	asked := Reason{Rule: "ask", Message: `the rule "ask" wants a person to consent to the call: it matters`, Ask: true}
	denied := Reason{Rule: "deny", Message: `the rule "deny" refuses the call`}
	never := Rule{Name: "never", Effect: Ask, When: "false"}
	other := Rule{Name: "other", Effect: Allow, When: "false"}
	observing := rules[Ask]
	observing.Observe = true
	for name, tt := range map[string]struct {
		rules []Rule
		want  Decision
	}{
		"ask alone":                       {[]Rule{rules[Ask]}, Decision{Reasons: []Reason{asked}}},
		"ask that does not match":         {[]Rule{never}, Decision{Allowed: true}},
		"ask wins over allow":             {[]Rule{rules[Allow], rules[Ask]}, Decision{Reasons: []Reason{asked}}},
		"ask in place of allow":           {[]Rule{other, rules[Ask]}, Decision{Reasons: []Reason{asked}}},
		"ask that does not match, either": {[]Rule{other, never}, Decision{Reasons: []Reason{{Rule: "other", Message: `the rule "other" does not allow the call`}}}},
		"deny as well":                    {[]Rule{rules[Ask], rules[Deny]}, Decision{Reasons: []Reason{asked, denied}}},
		"ask that only observes":          {[]Rule{observing}, Decision{Allowed: true, Reasons: []Reason{{Rule: "ask", Message: `the rule "ask" would want a person to consent to the call, and only observes: it matters`, Ask: true, Observed: true}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, decide(t, `{}`, tt.rules...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAskBroken holds that an ask rule that cannot be evaluated denies: nobody can consent to what the rule does not know.
func TestAskBroken(t *testing.T) {
	t.Parallel()
	d := decide(t, `{}`, Rule{Name: "ask", Effect: Ask, When: `args.path == "x"`})
	if d.Allowed || len(d.Reasons) != 1 || d.Reasons[0].Ask {
		t.Errorf("got %+v, want a refusal that does not ask", d)
	}
}
