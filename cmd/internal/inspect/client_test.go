package inspect

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

func serve(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s
}

func open(t *testing.T, p Params) *Client {
	t.Helper()
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestErrors: what goes wrong is said with what to do about it, and the token goes to nobody else.
func TestErrors(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirection was followed") })
	var answer http.HandlerFunc
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	c := open(t, Params{Server: strings.TrimPrefix(s.URL, "http://") + "/below/", Token: "a token that is long"})
	for want, a := range map[string]http.HandlerFunc{
		"give it with --token-file": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error": "the request carries no valid token", "remedy": "send the header"}`)
		},
		"too many; ask again": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error": "too many", "remedy": "ask again"}`)
		},
		"404 Not Found; is it the http.listen of an unecho?": http.NotFound,
		"307 Temporary Redirect": http.RedirectHandler(
			elsewhere.URL, http.StatusTemporaryRedirect).ServeHTTP,
		"is not JSON of a member": func(w http.ResponseWriter,
			_ *http.Request,
		) {
			fmt.Fprint(w, "<html>")
		},
	} {
		answer = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer a token that is long" || r.URL.Path != "/below/api/v1/recent" {
				t.Errorf("asked %s with %v", r.URL, r.Header)
			}
			a(w, r)
		}
		if _, err := c.Recent(t.Context(), Filter{}); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "long") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s.Close()
	if _, err := c.Recent(t.Context(), Filter{}); err == nil ||
		!strings.Contains(err.Error(), "no member answers at http://") || !strings.Contains(err.Error(), "--server") {
		t.Errorf("nobody there: %v", err)
	}
	for _, bad := range []string{"ftp://x", "http://", "http://a b", "::1"} {
		if _, err := New(Params{Server: bad}); err == nil {
			t.Errorf("%q is an address", bad)
		}
	}
}

// TestBusy: a lookup waits for a member that has too much to do, and other questions do not.
func TestBusy(t *testing.T) {
	t.Parallel()
	asked := 0
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error": "too many", "remedy": "ask again"}`)
			return
		}
		fmt.Fprint(w, `{"results": [{"duplicate": true}]}`)
	})
	got, err := open(t, Params{Server: s.URL}).Lookup(t.Context(), Question{Texts: []string{"x"}})
	if err != nil || len(got) != 1 || !got[0].Duplicate || asked != 2 {
		t.Errorf("%+v, %v after %d requests", got, err, asked)
	}
}

// TestLookupSendsBytes: texts go as they are, and where one is not UTF-8, all in base64, which keeps its bytes. Scope and topic go
// with them.
func TestLookupSendsBytes(t *testing.T) {
	t.Parallel()
	var bodies []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		fmt.Fprint(w, `{"results": [{}, {}]}`)
	})
	for _, q := range []Question{{Texts: []string{"a", "b"}}, {Texts: []string{"a", "\xec\xee"}, Scope: "de", Topic: "news", Most: 3}} {
		if _, err := open(t, Params{Server: s.URL}).Lookup(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`{"most":1,"texts":["a","b"]}`, `{"base64":true,"most":3,"scope":"de","texts":["YQ==","7O4="],"topic":"news"}`}
	if got := strings.Fields(strings.Join(bodies, " ")); !slices.Equal(got, want) {
		t.Errorf("the member was asked %q; want %q", got, want)
	}
}

// TestCertificates: a member's certificate is verified, by the authority that was named.
func TestCertificates(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		fmt.Fprint(w, `{"copies": []}`)
	}))
	defer s.Close()
	if _, err := open(t, Params{Server: s.URL}).Recent(t.Context(), Filter{}); err == nil ||
		!strings.Contains(err.Error(), "--ca") {
		t.Errorf("an unknown authority: %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, Params{Server: s.URL, CA: file}).Recent(t.Context(), Filter{}); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Params{Server: s.URL, CA: file}); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("no certificate: %v", err)
	}
}

// TestFollow: a stream goes on behind the last copy when the member is back, and ends when the member says no.
func TestFollow(t *testing.T) {
	t.Parallel()
	var asked []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		switch len(asked) {
		case 1:
			fmt.Fprint(w, ": alive\n\nid: r-1\nevent: copy\ndata: {\"number\": 1}\n\nid: r-2\nevent: copy\ndata: {\"number\": 2}\n\nid: r-3\nevent: copy\ndata: {\"num")
		case 2:
			fmt.Fprint(w, "event: restarted\ndata: {}\n\nevent: missed\ndata: {\"copies\":7}\n\nid: s-0\nevent: copy\ndata: "+
				"{\"number\": \"x\"}\n\nid: s-1\nevent: copy\ndata: {\"number\": 3}\n\n")
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error": "closed", "remedy": "open it"}`)
		}
	})
	var told []string
	stream := Stream{
		Copy:      func(c shape.Copy) error { told = append(told, fmt.Sprint(c.Number)); return nil },
		Missed:    func(n uint64) { told = append(told, fmt.Sprint("missed ", n)) },
		Restarted: func() { told = append(told, "restarted") },
		Unread:    func(error) { told = append(told, "unread") },
		Lost:      func(error) { told = append(told, "lost") },
	}
	c := open(t, Params{Server: s.URL})
	c.again = 0
	err := c.Follow(t.Context(), Filter{Topic: "news", Last: 5}, "r-0", stream)
	if err == nil || err.Error() != "closed; open it" {
		t.Errorf("it ends with %v", err)
	}
	if want := []string{"1", "2", "lost", "restarted", "missed 7", "unread", "3", "lost"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if want := []string{"after=r-0&topic=news", "after=r-2&topic=news", "after=s-1&topic=news"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	asked = nil
	stream.Copy = func(shape.Copy) error { return errors.New("nobody reads") }
	if err := open(t, Params{Server: s.URL}).Follow(t.Context(), Filter{}, "", stream); err == nil ||
		err.Error() != "nobody reads" {
		t.Errorf("a handler fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := open(t, Params{Server: s.URL}).Follow(ctx, Filter{}, "", stream); err != nil {
		t.Errorf("cancelled: %v", err)
	}
}

// TestFollowPassesOver: a copy that takes more than anybody reads is passed over. If nothing says where to go on, the
// member is only asked again.
func TestFollowPassesOver(t *testing.T) {
	t.Parallel()
	large := "data: " + strings.Repeat("x", mostLine)
	var asked []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("after"))
		switch len(asked) {
		case 1:
			fmt.Fprint(w, "id: r-8\nevent: copy\n"+large)
		case 2:
			fmt.Fprint(w, "event: copy\n"+large)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	})
	unread := 0
	c := open(t, Params{Server: s.URL})
	c.again = 0
	err := c.Follow(t.Context(), Filter{}, "r-7", Stream{Unread: func(error) { unread++ }, Lost: func(error) {}})
	if want := []string{"r-7", "r-8", "r-8"}; err == nil || !slices.Equal(asked, want) || unread != 1 {
		t.Errorf("asked behind %q, want %q; %d unread, %v", asked, want, unread, err)
	}
}
