// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

const (
	pauseTokens = time.Second // between two requests for tokens
	renewBefore = time.Minute // a token is renewed so long before it expires, or after three quarters of its life
)

// clientTokens holds the tokens that an authorization server gives toolvet itself.
type clientTokens struct {
	renewed renewed[*oauth2.Token]
}

func newClientTokens(s *policy.Server, o Options) *clientTokens {
	p, client, log := s.Credentials.Client, newClient(o.Transport), o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &clientTokens{renewed[*oauth2.Token]{pause: pauseTokens, fetch: func(ctx context.Context) (*oauth2.Token, error) {
		t, err := fetchToken(ctx, p, s.URL, client)
		if err != nil {
			log.Warn("no token for a server", "server", s.Name, "err", err)
		}
		return t, err
	}}}
}

// token returns a token that has not expired. It returns the refused one only if there is no other.
func (c *clientTokens) token(ctx context.Context, refused string) (string, error) {
	t, at := c.renewed.current()
	now := time.Now()
	if t != nil && t.AccessToken != refused && live(t, now) {
		if renewBefore := min(renewBefore, t.Expiry.Sub(at)/4); !t.Expiry.IsZero() && t.Expiry.Sub(now) < renewBefore {
			c.renewed.renewSoon()
		}
		return t.AccessToken, nil
	}
	if err := c.renewed.renew(ctx); err != nil {
		return "", err
	}
	t, _ = c.renewed.current()
	if !live(t, time.Now()) {
		return "", errors.New("the token has expired, and another cannot be asked for yet")
	}
	return t.AccessToken, nil
}

// live reports whether a token is usable. A token without a time of expiry is usable until it is refused.
func live(t *oauth2.Token, now time.Time) bool { return t.Expiry.IsZero() || now.Before(t.Expiry) }

// fetchToken requests a token (RFC 6749, section 4.4), for one server only (RFC 8707).
func fetchToken(ctx context.Context, p *policy.ClientCredentials, server string, client *http.Client) (*oauth2.Token, error) {
	secret := p.ClientSecret
	if p.SecretFile != "" {
		var err error
		if secret, err = readSecret(p.SecretFile); err != nil {
			return nil, err
		}
	}
	config := clientcredentials.Config{
		ClientID: p.ClientID, ClientSecret: secret, TokenURL: p.TokenURL, Scopes: p.Scopes,
		EndpointParams: url.Values{"resource": {cmp.Or(p.Resource, server)}},
		AuthStyle:      oauth2.AuthStyleInHeader,
	}
	if p.InBody {
		config.AuthStyle = oauth2.AuthStyleInParams
	}
	for name, value := range p.Parameters {
		config.EndpointParams.Set(name, value)
	}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	var answer *oauth2.RetrieveError
	switch {
	case errors.As(err, &answer): // its text has the whole answer
		return nil, fmt.Errorf("%s answers with status %d %s", p.TokenURL, answer.Response.StatusCode, strictjson.Printable(answer.ErrorCode, 64))
	case err != nil:
		return nil, fmt.Errorf("asking for a token: %w", err)
	case !strings.EqualFold(t.Type(), "bearer") || !IsToken(t.AccessToken):
		return nil, fmt.Errorf("%s gives a token that is none for a bearer", p.TokenURL)
	}
	return t, nil
}
