package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/index"
)

// TestBodiesAreBoundedTogether: while others hold what there is for all bodies, a request is told to come again, and
// when they have their answers it gets its own.
func TestBodiesAreBoundedTogether(t *testing.T) {
	a := must(New(&Setup{
		Service: newFake(t), Index: index.DefaultParams(), Sources: anySource(), Access: Access{Loopback: true},
		Limits: Limits{RequestsPerS: 100, LookupsPerS: 100}, Logger: zerolog.Nop(),
	}))(t)
	lookup := func() *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/api/v1/lookup",
			strings.NewReader(`{"text": "a text of some words"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		return w
	}
	other := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.LimitReader(endless{}, maxBody))
	held := func(n int64, then func()) {
		a.bodies.bounded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if got, err := io.Copy(io.Discard, io.LimitReader(r.Body, n)); got != n || err != nil {
				t.Errorf("read %d: %v", got, err)
			}
			then()
		})).ServeHTTP(httptest.NewRecorder(), other)
	}
	a.bodies.left.Store(maxBody)
	held(maxBody-10, func() {
		if w := lookup(); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" ||
			!strings.Contains(w.Body.String(), "remedy") {
			t.Errorf("while others hold it all: %d %v %s", w.Code, w.Header(), w.Body)
		}
	})
	if w := lookup(); w.Code != http.StatusOK || a.bodies.left.Load() != maxBody {
		t.Errorf("afterwards: %d %s, and %d are left", w.Code, w.Body, a.bodies.left.Load())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestFormsAreNotRead: what a request asks stands in its address. A form in its body, which would be kept in files,
// is none.
func TestFormsAreNotRead(t *testing.T) {
	d := serve(t, newFake(t), nil)
	form := "--b\r\nContent-Disposition: form-data; name=\"limit\"\r\n\r\nx\r\n--b--\r\n"
	for _, path := range []string{"/api/v1/recent", "/api/v1/document/news/2/0"} {
		if code, got := d.do("GET", path, form, "Content-Type", "multipart/form-data; boundary=b"); code != http.StatusOK {
			t.Errorf("GET %s with a form as its body is answered %d %v; want %d, as no form is read", path, code, got, http.StatusOK)
		}
	}
}

// TestSlowBody: a body that does not come is told from one that is wrong.
func TestSlowBody(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
		iotest.ErrReader(fmt.Errorf("read: %w", os.ErrDeadlineExceeded)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if readBody(w, r, new(question), askRemedy) || w.Code != http.StatusRequestTimeout ||
		strings.Contains(w.Body.String(), "read:") {
		t.Errorf("a body that comes too late is taken, or answered %d %s; want %d without the words of the read error",
			w.Code, w.Body, http.StatusRequestTimeout)
	}
}

// TestNothingBehindABody: a body is one value of JSON, and nothing else.
func TestNothingBehindABody(t *testing.T) {
	d := serve(t, newFake(t), nil)
	for behind, want := range map[string]int{
		"": http.StatusOK, " \n": http.StatusOK, "}": http.StatusBadRequest, "]": http.StatusBadRequest,
		" {}": http.StatusBadRequest, " x": http.StatusBadRequest,
	} {
		body := `{"text": "a text of some words"}` + behind
		if code, got := d.do("POST", "/api/v1/lookup", body, "Content-Type", "application/json"); code != want {
			t.Errorf("the lookup %q is answered %d %v; want %d", body, code, got, want)
		}
	}
}

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
