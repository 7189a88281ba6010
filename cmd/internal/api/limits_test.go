package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestLimits: a second's worth is answered, and what is beyond it is told when to come again.
func TestLimits(t *testing.T) {
	d := serve(t, newFake(t), func(s *Setup) { s.Limits = Limits{RequestsPerS: 3, LookupsPerS: 1} })
	for i := range 4 {
		code, got := d.do("GET", "/api/v1/config", "")
		if want := map[bool]int{true: 200, false: 429}[i < 3]; code != want ||
			code == 429 && got["remedy"] != "ask more slowly, or ask another member" {
			t.Errorf("request %d: %d %v", i+1, code, got)
		}
	}
	d = serve(t, newFake(t), func(s *Setup) { s.Limits = Limits{RequestsPerS: 1000, LookupsPerS: 1} })
	full := `{"texts":["` + strings.Repeat(`a","`, maxTexts-1) + `a"]}`
	if code, got := d.do("POST", "/api/v1/lookup", full); code != http.StatusOK {
		t.Errorf("one full request: %d %v", code, got)
	}
	for body, least := range map[string]int{`{"text":"a"}`: 1, full: 99} {
		code, got, after := d.ask("POST", "/api/v1/lookup", body)
		if s, err := strconv.Atoi(after); code != http.StatusTooManyRequests || err != nil || s < least || s > least+1 ||
			got["remedy"] != "ask more slowly, or ask another member" {
			t.Errorf("beyond it: %d %v, again after %q s, want %d", code, got, after, least)
		}
	}
}

// TestStrangersTakeNothing: requests without the token don't use up what those with it may ask.
func TestStrangersTakeNothing(t *testing.T) {
	d := serve(t, newFake(t), func(s *Setup) {
		s.Access, s.Limits = Access{Token: func() string { return "a secret of some length" }},
			Limits{RequestsPerS: 1, LookupsPerS: 1}
	})
	for range 5 {
		if code, _ := d.do("GET", "/api/v1/config", ""); code != http.StatusUnauthorized {
			t.Errorf("a stranger gets %d", code)
		}
	}
	if code, got := d.do("GET", "/api/v1/config", "", "Authorization",
		"Bearer a secret of some length"); code != http.StatusOK {
		t.Errorf("with the token: %d %v", code, got)
	}
}
