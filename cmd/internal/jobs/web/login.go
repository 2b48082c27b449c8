// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/auth"
)

const (
	cookieName = "toolvet-schedule"
	// loginLife bounds a login. It ends earlier if the token does, because each request checks the token anew.
	loginLife = 12 * time.Hour
	// Bounds of the logins. The oldest of a principal makes room for the newest, and among all, that of the principal
	// with the most: nobody can log others out who have fewer.
	maxLogins    = 1000
	maxOwnLogins = 20
)

// logins holds the tokens of visitors, by the digest of the secret in their cookie.
type logins struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]login
	last  int // number of the newest
}

type login struct {
	token  string
	who    string // the principal
	until  time.Time
	number int
}

// of returns the login of a request, "" for none.
func (l *logins) of(r *http.Request, now time.Time) (key, token string) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return "", ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.known[sha256.Sum256([]byte(cookie.Value))]
	if !now.Before(known.until) {
		return "", ""
	}
	return cookie.Value, known.token
}

// add remembers the token of a principal, and returns the secret for the cookie.
func (l *logins) add(token, who string, now time.Time) (key string) {
	key = rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[[sha256.Size]byte]login{}
	}
	counts := map[string]int{}
	for digest, known := range l.known {
		if !now.Before(known.until) {
			delete(l.known, digest)
			continue
		}
		counts[known.who]++
	}
	switch {
	case counts[who] >= maxOwnLogins:
		l.dropOldest(who)
	case len(l.known) >= maxLogins:
		most := who
		for other, n := range counts {
			if n > counts[most] || n == counts[most] && other < most {
				most = other
			}
		}
		l.dropOldest(most)
	}
	l.last++
	l.known[sha256.Sum256([]byte(key))] = login{token, who, now.Add(loginLife), l.last}
	return key
}

// dropOldest forgets the oldest login of a principal. L must be locked.
func (l *logins) dropOldest(who string) {
	var oldest [sha256.Size]byte
	number := 0
	for digest, known := range l.known {
		if known.who == who && (number == 0 || known.number < number) {
			oldest, number = digest, known.number
		}
	}
	delete(l.known, oldest)
}

func (l *logins) remove(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, sha256.Sum256([]byte(key)))
}

// forms makes and checks words in forms. They prove that a form was made here for the holder of a login.
type forms struct{ secret []byte }

func newForms() forms { return forms{[]byte(rand.Text())} }

func (f forms) word(key string) string {
	mac := hmac.New(sha256.New, f.secret)
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil))
}

func (f forms) genuine(word, key string) bool {
	return hmac.Equal([]byte(word), []byte(f.word(key)))
}

func (s *site) resource() *auth.Resource {
	if s.cfg.Authorization == nil {
		return nil
	}
	return s.cfg.Authorization()
}

// bearing returns a request with a token in its header.
func bearing(r *http.Request, token string) *http.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

type loginView struct {
	frame
	Problem, To string
}

// askLogin shows the form for a token, and the reason why the last token was refused.
func (s *site) askLogin(w http.ResponseWriter, r *http.Request, why error) {
	to := s.base
	if r.Method == http.MethodGet {
		to = s.inside(r.URL.RequestURI())
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	s.render(w, http.StatusUnauthorized, "login", loginView{frame: s.frame("Sign in", ""), Problem: why.Error(), To: to})
}

func (s *site) loginPage(w http.ResponseWriter, r *http.Request) {
	if _, err := s.admit(w, r); err == nil {
		http.Redirect(w, r, s.base, http.StatusSeeOther)
		return
	}
	s.render(w, http.StatusOK, "login", loginView{frame: s.frame("Sign in", ""), To: s.base})
}

// login takes a token from the form.
func (s *site) login(w http.ResponseWriter, r *http.Request) {
	if !s.genuine(w, r, "", maxLogin) {
		return
	}
	to := s.inside(r.PostForm.Get("to"))
	if resource := s.resource(); resource != nil {
		from, now := addressOf(r), s.cfg.Now()
		if wait := s.wrong.wait(from, now); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
			s.message(w, http.StatusTooManyRequests, "Too many wrong tokens", "They came from your address. The token was not looked at. Try again in a minute.")
			return
		}
		token := strings.TrimSpace(r.PostForm.Get("token"))
		taken, err := resource.Take(bearing(r, token))
		if err != nil {
			s.wrong.add(from, now)
			s.render(w, http.StatusUnauthorized, "login", loginView{frame: s.frame("Sign in", ""), Problem: err.Error(), To: to})
			return
		}
		s.setCookie(w, r, s.logins.add(token, auth.FromContext(taken.Context()).Identity(), now), int(loginLife.Seconds()))
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (v *visit) logout() error {
	v.logins.remove(v.key)
	v.setCookie(v.w, v.r, "", -1)
	http.Redirect(v.w, v.r, v.base+"login", http.StatusSeeOther)
	return nil
}

// setCookie sets the cookie of a login. The browser's Origin tells whether it came over TLS: a proxy in between may
// have ended TLS.
func (s *site) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: s.base, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

// inside returns an address of this site, with its query. Any other address becomes the first page.
func (s *site) inside(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || strings.ContainsAny(u.Path, "\\\r\n") {
		return s.base
	}
	clean := path.Clean(u.Path)
	if clean+"/" == s.base {
		clean = s.base
	}
	if !strings.HasPrefix(clean, s.base) || strings.HasPrefix(clean, "//") {
		return s.base
	}
	return (&url.URL{Path: clean, RawQuery: u.Query().Encode()}).String()
}
