package token

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

const secret = "hunter2 & 3"

// askEndpoint asks a token endpoint that answers in this way, over TLS.
func askEndpoint(t *testing.T, answer http.HandlerFunc) (string, error) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	defer server.Close()
	p := Params{
		TokenURL: server.URL + "/token", ClientID: "unecho", ClientSecret: secret,
		Scopes: []string{"a", "b"}, Params: []string{"audience=k=v"},
	}
	return New(p, server.Client().Transport, zerolog.Nop()).Token(t.Context())
}

func write(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestEndpointIsAskedAsTheStandardSays(t *testing.T) {
	got, err := askEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		id, password, basic := r.BasicAuth()
		if r.Method != http.MethodPost || r.ParseForm() != nil || !basic || id != "unecho" || password != "hunter2+%26+3" {
			t.Errorf("%s by %s", r.Method, id)
		}
		for name, want := range map[string]string{"grant_type": "client_credentials", "scope": "a b", "audience": "k=v"} {
			if r.PostForm.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, r.PostForm.Get(name), want)
			}
		}
		write(http.StatusOK, `{"access_token":"abc.def","token_type":"Bearer","expires_in":3600}`)(w, r)
	})
	if got != "abc.def" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// Some endpoints accept client_id and client_secret only in the form.
func TestEndpointThatWantsTheSecretInTheForm(t *testing.T) {
	got, err := askEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, basic := r.BasicAuth(); basic || r.ParseForm() != nil || r.PostForm.Get("client_secret") != secret {
			write(http.StatusUnauthorized, `{"error":"invalid_client"}`)(w, r)
			return
		}
		write(http.StatusOK, `{"access_token":"abc","token_type":"Bearer"}`)(w, r)
	})
	if got != "abc" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEndpointThatGivesNone(t *testing.T) {
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   []string
	}{
		{"wrong secret", write(401, `{"error":"invalid_client","error_description":"`+secret+` is wrong"}`), []string{"401 Unauthorized", "invalid_client *** is wrong", "client_secret"}},
		{"wrong scope", write(400, `{"error":"invalid_scope"}`), []string{"400", "invalid_scope", "scopes"}},
		{"away", write(503, secret), []string{"503", "check that the token endpoint is up"}},
		{"too many", write(429, ``), []string{"429", "check that"}},
		{"a page", write(200, "<html>"+secret), []string{"token_url"}},
		{"no token", write(200, `{"token_type":"Bearer"}`), []string{"token_url"}},
		{"noise", write(200, `{"access_token":"a\u0001b","token_type":"Bearer"}`), []string{"not with a token"}},
		{"expired", write(200, `{"access_token":"`+jwt(time.Now().Add(-time.Hour))+`","token_type":"Bearer"}`), []string{"expired at ", "clocks"}},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, []string{"307", "token_url"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := askEndpoint(t, tt.answer)
			told(t, got, err, tt.want...)
		})
	}
	if elsewhere > 0 {
		t.Error("the secret was sent to another address")
	}
}

func TestEndpointUnknown(t *testing.T) {
	server := httptest.NewTLSServer(write(200, `{"access_token":"abc","token_type":"Bearer"}`))
	p := Params{TokenURL: server.URL, ClientID: "unecho", ClientSecret: secret}
	got, err := New(p, nil, zerolog.Nop()).Token(t.Context())
	told(t, got, err, "certificate", "ca_file")
	server.Close()
	got, err = New(p, nil, zerolog.Nop()).Token(t.Context())
	told(t, got, err, "refused", "can be reached")
}

// told makes sure that there is no token, and why: cause and remedy hold each word of want, and no secret.
func told(t *testing.T, got string, err error, want ...string) {
	t.Helper()
	var e *Error
	if got != "" || !errors.As(err, &e) || e.Remedy == "" {
		t.Fatalf("got %q, %v", got, err)
	}
	said := err.Error() + "; " + e.Remedy
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("%q, want %q", said, w)
		}
	}
	if strings.Contains(said, "hunter2") || strings.Contains(said, "\n") {
		t.Errorf("%q tells a secret, or is not one line", said)
	}
}

// A file holds a token alone, or JSON as token endpoints answer.
func TestParse(t *testing.T) {
	soon := jwt(time.Now().Add(time.Hour))
	for _, tt := range []struct{ name, text, want, mistake string }{
		{"alone", "abc\n", "abc", ""},
		{"JWT", soon, soon, ""},
		{"JSON", `{"access_token": "abc", "expires_in": 300}`, "abc", ""},
		{"JSON of others", `{"token": "abc", "expires_in": "300"}`, "abc", ""},
		{"nothing", "", "", "access_token"},
		{"two lines", "hunter2\nhunter2", "", "not understood"},
		{"half of JSON", `{"access_token": "hunter2`, "", "not understood"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := New(Params{File: path}, nil, zerolog.Nop()).Token(t.Context())
			if tt.mistake != "" {
				told(t, got, err, tt.mistake)
				return
			}
			if got != tt.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	put := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := New(Params{File: path}, nil, zerolog.Nop())
	got, err := c.Token(t.Context())
	told(t, got, err, path, "kafka.sasl.oauth.file")
	c = New(Params{File: path}, nil, zerolog.Nop())
	for _, want := range []string{"one", "two"} {
		put(want + "\n")
		c.must(t, want)
	}
	put("hunter2 hunter2")
	got, err = New(Params{File: path}, nil, zerolog.Nop()).Token(t.Context())
	told(t, got, err, "not understood")
	put(strings.Repeat("a", maxToken+1))
	got, err = New(Params{File: path}, nil, zerolog.Nop()).Token(t.Context())
	told(t, got, err, "longer")
}

// A pipe that nobody writes to, and anything else that is no file, is refused at once.
func TestFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir, os.DevNull} {
		got, err := New(Params{File: path}, nil, zerolog.Nop()).Token(t.Context())
		told(t, got, err, "no regular file", "kafka.sasl.oauth.file")
	}
}

// A file whose server is away is waited for as long as a source may take. Only one goroutine goes on waiting, however
// often the file is asked for. A result that comes too late is not taken for what the file holds now.
func TestFileThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away, begun := make(chan struct{}), 0
		r := reader{read: func() ([]byte, error) {
			begun++
			<-away
			return fmt.Appendf(nil, "reading %d", begun), nil
		}}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := r.within(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		close(away)
		synctest.Wait()
		if text, err := r.within(t.Context()); string(text) != "reading 2" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
	})
}

func jwt(exp time.Time) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode(fmt.Appendf(nil, `{"exp":%d}`, exp.Unix())) + ".sig"
}

func TestExpiryOfAJWT(t *testing.T) {
	want := time.Unix(2_000_000_000, 0)
	if got := expiryOf(jwt(want)); !got.Equal(want) {
		t.Errorf("got %s", got)
	}
	for _, odd := range []string{"", "a.b", "a.b.c", "a.e30.c", "a." +
		base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1e300}`)) + ".c"} {
		if got := expiryOf(odd); !got.IsZero() {
			t.Errorf("expiryOf(%q) = %s, want the zero time", odd, got)
		}
	}
}
