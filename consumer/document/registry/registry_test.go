package registry

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The stand-in for a registry is franz-go's, with the paths, codes and errors of Confluent's.

const text = `{"type":"record","name":"R","fields":[{"name":"text","type":"string"}]}`

// standIn starts a stand-in that counts what it is asked, and knows one schema.
func standIn(t *testing.T, opts ...srfake.Option) (registry *srfake.Registry, asked *atomic.Int64) {
	t.Helper()
	registry, asked = srfake.New(opts...), &atomic.Int64{}
	t.Cleanup(registry.Close)
	registry.Intercept(func(http.ResponseWriter, *http.Request) bool {
		asked.Add(1)
		return false
	})
	registry.SeedSchema("news-value", 1, 7, sr.Schema{Type: sr.TypeAvro, Schema: text})
	return registry, asked
}

func newClient(t *testing.T, url string, edit func(*Params)) *Client {
	t.Helper()
	p := DefaultParams()
	p.URLs = []string{url}
	if edit != nil {
		edit(&p)
	}
	if wrong := p.Validate(); wrong != nil {
		t.Fatalf("the params of a test's client are not valid: %v", wrong)
	}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Files that are renewed are told of, in the log of who asks for long.
func TestRenewedFilesAreTold(t *testing.T) {
	registry, _ := standIn(t)
	ca := certificatetest.New(t)
	var log bytes.Buffer
	c := newClient(t, registry.URL(), func(p *Params) { p.CAFile, p.Logger = ca.Path("ca.pem"), zerolog.New(&log) })
	ca.Sign("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	if _, err := c.Schema(t.Context(), ID{Number: 7}); err != nil {
		t.Fatal(err)
	}
	const want = `"settings":"schema_registry"`
	if got := log.String(); !strings.Contains(got, want) || !strings.Contains(got, "certificates were read again") {
		t.Errorf("after certificate and key were renewed the log is %q, want %s, read again", got, want)
	}
}

func TestSchema(t *testing.T) {
	registry, asked := standIn(t)
	c := newClient(t, registry.URL(), nil)
	for _, id := range []ID{{Number: 7}, {GUID: guidOf(t, registry)}} {
		s, err := c.Schema(t.Context(), id)
		if err != nil || s.Type != "AVRO" || s.Text != text || s.Before != nil {
			t.Errorf("Schema(%v) = %+v, error %v; want the Avro schema %s, with none before it", id, s, err, text)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
	for _, id := range []ID{{Number: 8}, {GUID: "0f3c6ad1-e2b9-4c57-8000-000000000000"}} {
		asked.Store(0)
		if _, err := c.Schema(t.Context(), id); !errors.Is(err, ErrUnknown) || asked.Load() != 2 {
			t.Errorf("%v: %v after %d questions, want unknown after two", id, err, asked.Load())
		}
	}
}

func guidOf(t *testing.T, registry *srfake.Registry) string {
	t.Helper()
	s, found := registry.GetSchema("news-value", 1)
	if !found || s.GUID == "" {
		t.Fatal("no GUID")
	}
	return s.GUID
}

// TestReferences: what a schema refers to comes before it, once, and after what it refers to itself.
func TestReferences(t *testing.T) {
	registry, _ := standIn(t)
	refer := func(subjects ...string) (out []sr.SchemaReference) {
		for _, s := range subjects {
			out = append(out, sr.SchemaReference{Name: s, Subject: s, Version: 1})
		}
		return out
	}
	proto := func(text string, references ...string) sr.Schema {
		return sr.Schema{Type: sr.TypeProtobuf, Schema: text, References: refer(references...)}
	}
	registry.SeedSchema("a", 1, 11, proto("a"))
	registry.SeedSchema("b", 1, 12, proto("b", "a"))
	registry.SeedSchema("c", 1, 13, proto("c", "b", "a"))
	s, err := newClient(t, registry.URL(), nil).Schema(t.Context(), ID{Number: 13})
	if err != nil || s.Type != "PROTOBUF" || fmt.Sprint(s.Before) != "[{a a} {b b}]" {
		t.Errorf("Schema of 13 = %+v, error %v; want a Protobuf schema with a and b before it", s, err)
	}
}

// TestAway: whatever else happens, the registry has said nothing of the schema.
func TestAway(t *testing.T) {
	answer := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body)) // the client may have gone
		}
	}
	held := make(chan struct{})
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"a page":             {answer(200, "<html>Sign in</html>"), "see whether schema_registry.urls can be reached"},
		"a page not found":   {answer(404, "<html>Not Found</html>"), "seems to be no schema registry"},
		"a redirect":         {answer(302, ""), "seems to be no schema registry"},
		"no schema":          {answer(200, "{}"), "answers with something that is no schema"},
		"an error":           {answer(500, `{"error_code":50001,"message":"store"}`), `answers 500: "store"`},
		"busy":               {answer(429, ""), `answers 429: "no response"`},
		"no login":           {answer(401, `{"error_code":40101,"message":"Unauthorized"}`), "check schema_registry.username"},
		"no right":           {answer(403, "no"), "check schema_registry.username"},
		"an endless answer":  {func(w http.ResponseWriter, r *http.Request) { endless(w, r) }, "invalid character"},
		"a long page":        {answer(200, "\n<html>"+strings.Repeat("x", maxAnswer)), "see whether schema_registry.urls can be reached"},
		"nothing for long":   {func(http.ResponseWriter, *http.Request) { <-held }, "longer than 50ms"},
		"half of an answer":  {func(w http.ResponseWriter, _ *http.Request) { half(w) }, "unexpected end of JSON input"},
		"another's long say": {answer(500, strings.Repeat("x", 10_000)), `xxx..."`},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			if name == "nothing for long" {
				t.Cleanup(func() { close(held) })
			}
			client := newClient(t, server.URL, func(p *Params) {
				if name == "nothing for long" {
					p.Timeout = 50 * time.Millisecond
				}
			})
			_, err := client.Schema(t.Context(), ID{Number: 7})
			var away *AwayError
			if !errors.As(err, &away) || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 600 {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
	server := httptest.NewServer(nil)
	server.Close()
	if _, err := newClient(t, server.URL, nil).Schema(t.Context(), ID{Number: 7}); !errors.As(err, new(*AwayError)) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestSchemaTooLarge: a schema beyond the bound will be so each time: nobody waits for another answer, and it is asked
// for once.
func TestSchemaTooLarge(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"schema":"` + strings.Repeat("x", maxAnswer) + `"}`)) // the client does not read it all
	}))
	t.Cleanup(server.Close)
	cache := NewCache(newClient(t, server.URL, nil), func(Schema) (int, error) { return 0, nil })
	for _, id := range []ID{{Number: 7}, {GUID: "0f3c6ad1-e2b9-4c57-8000-000000000000"}, {Kind: GlobalIDs, Number: 7}} {
		asked.Store(0)
		for range 2 {
			_, err := cache.Get(t.Context(), id)
			if !errors.As(err, new(*UnusableError)) || !strings.Contains(err.Error(), "larger than 16 MiB") {
				t.Errorf("Get of %v returns error %v; want an UnusableError that names 16 MiB", id, err)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("the registry was asked %d times for %v, want once", n, id)
		}
	}
}

func endless(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return
		}
	}
}

func half(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"schema":"`)) }

// TestStopped: who waits for an answer can be stopped.
func TestStopped(t *testing.T) {
	held := make(chan struct{})
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-held
	}))
	defer server.Close()
	defer close(held)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := newClient(t, server.URL, nil).Schema(ctx, ID{Number: 7}); !errors.Is(err, context.Canceled) {
		t.Errorf("Schema returns error %v when its caller stops, want context.Canceled", err)
	}
}

// TestLoginRenewed: credentials that expire midway are away until the file has new ones.
func TestLoginRenewed(t *testing.T) {
	var valid atomic.Value
	valid.Store("first")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
			name, password = "me", token
		}
		if name != "me" || password != valid.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"schema":%q}`, text)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "secret")
	write := func(secret string) {
		if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	for _, edit := range []func(*Params){
		func(p *Params) { p.Username, p.Password, p.PasswordFile = "me", "first", file },
		func(p *Params) { p.Token, p.TokenFile = "first", file },
	} {
		c := newClient(t, server.URL, edit)
		ask := func() error {
			_, err := c.Schema(t.Context(), ID{Number: 7})
			return err
		}
		if err := ask(); err != nil {
			t.Errorf("at first: %v", err)
		}
		valid.Store("second")
		if err := ask(); !errors.As(err, new(*AwayError)) || strings.Contains(err.Error(), "first") {
			t.Errorf("expired: %v", err)
		}
		write("second")
		if err := ask(); err != nil {
			t.Errorf("renewed: %v", err)
		}
		valid.Store("first")
		write("first")
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"schema":%q}`, text)
	}))
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		edit func(*Params)
		away bool
	}{
		"trusted": {func(p *Params) { p.CAFile = ca }, false},
		"unknown": {nil, true},
	} {
		_, err := newClient(t, server.URL, c.edit).Schema(t.Context(), ID{Number: 7})
		if errors.As(err, new(*AwayError)) != c.away || (err != nil) != c.away {
			t.Errorf("%s: Schema returns error %v; want an AwayError: %t", name, err, c.away)
		}
	}
	for _, ca := range []string{ca + ".none", os.Args[0]} {
		if _, err := New(Params{URLs: []string{"https://x"}, CAFile: ca}); !errors.Is(err, ErrParams) {
			t.Errorf("New with authorities in %s returns error %v, want ErrParams", ca, err)
		}
	}
}

func TestPing(t *testing.T) {
	registry, _ := standIn(t)
	c := newClient(t, registry.URL(), nil)
	if err := c.Ping(t.Context()); err == nil { // the stand-in has no types
		t.Error("a page not found is an answer")
	}
	registry.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/schemas/types" {
			_, _ = w.Write([]byte(`["JSON","PROTOBUF","AVRO"]`))
		}
		return r.URL.Path == "/schemas/types"
	})
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestParams(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*Params)
		want string
	}{
		"defaults":    {func(*Params) {}, ""},
		"no scheme":   {func(p *Params) { p.URLs = []string{"registry:8081"} }, "urls"},
		"login in it": {func(p *Params) { p.URLs = []string{"http://me:secret@registry"} }, "urls"},
		"no password": {func(p *Params) { p.URLs, p.Username = []string{"http://a"}, "me" }, "password"},
		"no name":     {func(p *Params) { p.URLs, p.Password = []string{"http://a"}, "x" }, "username"},
		"two logins":  {func(p *Params) { p.URLs, p.Username, p.Password, p.Token = []string{"http://a"}, "me", "x", "y" }, "token"},
		"login alone": {func(p *Params) { p.Token = "x" }, "urls"},
	} {
		p := DefaultParams()
		c.edit(&p)
		wrong := p.Validate()
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || wrong[0].Key != c.want) {
			t.Errorf("%s: Validate finds %v; want one mistake, of %q, or none if that is empty", name, wrong, c.want)
		}
		for _, m := range wrong {
			if strings.Contains(m.String(), "secret") {
				t.Errorf("%s shows the secret: %v", name, m)
			}
		}
	}
	p := Params{URLs: []string{"http://registry", "http://127.0.0.1", "https://registry"}, Token: "x"}
	if got := p.Warnings(); len(got) != 1 || got[0].Value != "http://registry" {
		t.Errorf("warnings %v", got)
	}
}
