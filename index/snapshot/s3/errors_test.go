package s3

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
)

func wantProblem(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, secret) {
			t.Errorf("the secret is in %s", text)
		}
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func TestStoreRefuses(t *testing.T) {
	for _, test := range []struct {
		status                int
		code, message, remedy string
		away                  bool
	}{
		{404, "NoSuchBucket", "The specified bucket does not exist", "make it, or name another in snapshots.s3.bucket", false},
		{403, "AccessDenied", "Access Denied", "s3:PutObject", false},
		{403, "InvalidAccessKeyId", "no such key", "check the credentials", false},
		{403, "SignatureDoesNotMatch", "no match", "check the credentials", false},
		{400, "ExpiredToken", "the token has expired", "they are read again", true},
		{403, "RequestTimeTooSkewed", "too large a difference", "set it by NTP", false},
		{301, "PermanentRedirect", "another endpoint", "name it in snapshots.s3.region", false},
		{507, "InsufficientStorage", "it is full", "remember fewer documents", false},
		{501, "NotImplemented", "A header you provided implies functionality that is not implemented", "snapshots.postgres", false},
		{503, "SlowDown", "please reduce", "fewer requests", true},
		{429, "TooManyRequests", "slow", "status 429", true},
		{500, "InternalError", "we encountered an error", "status 500", true},
	} {
		t.Run(test.code, func(t *testing.T) {
			f := newFake(t)
			s := f.store(t)
			f.refuse(test.status, test.code, test.message)
			ctx, cancel := context.WithTimeout(t.Context(), askBound)
			defer cancel()
			_, err := s.Manifests(ctx)
			wantProblem(t, err, "list snapshots: S3 at 127.0.0.1:", "bucket snapshots", test.message, test.remedy)
			if errors.Is(err, snapshot.ErrAway) != test.away {
				t.Errorf("it is away: %v, want %v", !test.away, test.away)
			}
		})
	}
}

func TestNotThere(t *testing.T) {
	f := newFake(t)
	p := f.params()
	p.Endpoint = "http://127.0.0.1:1"
	_, err := p.OpenExisting(t.Context(), "orders")
	wantProblem(t, err, "open snapshot store: S3 at 127.0.0.1:1", "connection refused", "snapshots.s3.endpoint")
	if !errors.Is(err, snapshot.ErrAway) {
		t.Errorf("it is not away: %v", err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	p.Endpoint = server.URL
	_, err = p.OpenExisting(t.Context(), "orders")
	wantProblem(t, err, "certificate signed by unknown authority", "snapshots.s3.ca_file")
	p = f.params()
	p.Bucket = "another"
	_, err = p.Open(t.Context(), "orders")
	wantProblem(t, err, "bucket another", "make it")
}

func TestNoCredentials(t *testing.T) {
	f := newFake(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/") // in place of a cloud's address
	_, err := f.params().Open(t.Context(), "orders")
	wantProblem(t, err, "no credentials were found", "AWS_ACCESS_KEY_ID")
}

// Where a role or a file was to give credentials, the error says why it does not, without a line of the file.
func TestCredentialsThatAreNotGiven(t *testing.T) {
	f := newFake(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer refusing.Close()
	spoilt := filepath.Join(t.TempDir(), "credentials")
	must(t, os.WriteFile(spoilt, []byte("[default]\n"+secret+"\n"), 0o600))
	for _, test := range []struct{ variable, value, why string }{
		{"AWS_CONTAINER_CREDENTIALS_FULL_URI", refusing.URL, "403 Forbidden"},
		{"AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere/token", "open /nowhere/token: no such file"},
		{"AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials", "open /nowhere/credentials: no such file"},
		{"AWS_SHARED_CREDENTIALS_FILE", spoilt, "no credentials were found"},
	} {
		t.Run(test.value, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "")
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/")
			t.Setenv(test.variable, test.value)
			_, err := f.params().Open(t.Context(), "orders")
			wantProblem(t, err, "no credentials were found", test.why, "AWS_ACCESS_KEY_ID")
		})
	}
}

// A start finds out that it may not write, or not delete, and names the right.
func TestReadOnly(t *testing.T) {
	for method, right := range map[string]string{http.MethodPut: "s3:PutObject", http.MethodDelete: "s3:DeleteObject"} {
		t.Run(method, func(t *testing.T) {
			f := newFake(t)
			f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if r.Method == method {
					w.WriteHeader(http.StatusForbidden)
					fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
					return
				}
				store.ServeHTTP(w, r)
			})
			_, err := f.params().Open(t.Context(), "orders")
			wantProblem(t, err, "open snapshot store: S3 at 127.0.0.1:", "Access Denied", right)
			_, err = f.params().Probe(t.Context(), "orders")
			wantProblem(t, err, "try the store: S3 at 127.0.0.1:", "Access Denied", right)
		})
	}
}

func TestPrivateAuthority(t *testing.T) {
	f := newFake(t)
	store, err := url.Parse(f.url)
	must(t, err)
	server := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(store))
	defer server.Close()
	p := f.params()
	p.Endpoint, p.CAFile = server.URL, filepath.Join(t.TempDir(), "ca.pem")
	_, err = p.Open(t.Context(), "orders")
	wantProblem(t, err, "snapshots.s3.ca_file: ", "no such file")
	must(t, os.WriteFile(p.CAFile, []byte("no certificate"), 0o600))
	_, err = p.Open(t.Context(), "orders")
	wantProblem(t, err, "snapshots.s3.ca_file: there is no certificate in ")
	must(t, os.WriteFile(p.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	s, err := p.Open(t.Context(), "orders")
	must(t, err)
	must(t, s.Close())
}

// roundTrip answers in place of a store.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func refused(r *http.Request) *http.Response {
	return &http.Response{StatusCode: http.StatusForbidden, Body: http.NoBody, Request: r}
}

// A store that is not AWS has no host of its own for each bucket.
func TestAddresses(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	for endpoint, want := range map[string]string{
		"https://minio.example.org:9000": "minio.example.org:9000/snapshots/",
		"":                               "snapshots.s3.dualstack.eu-central-1.amazonaws.com/",
	} {
		s, err := Params{Bucket: bucket, Endpoint: endpoint, Region: "eu-central-1"}.open("orders")
		must(t, err)
		asked := ""
		s.clock.base = roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.Host + r.URL.Path
			return refused(r), nil
		})
		_, err = s.Manifests(t.Context())
		wantProblem(t, err, "s3:ListBucket")
		if asked != want {
			t.Errorf("at %q %s is asked for, want %s", endpoint, asked, want)
		}
	}
}

// Of a bucket that holds much else, a page is looked at.
func TestAnotherGroupAmongMuchElse(t *testing.T) {
	f := newFake(t)
	p := f.params()
	p.Prefix = ""
	for n := range 1500 {
		_, err := f.Backend.PutObject(bucket, fmt.Sprintf("lake-%04d", n), nil, strings.NewReader("x"), 1, nil)
		must(t, err)
	}
	for n := range 30 {
		_, err := f.Backend.PutObject(bucket, fmt.Sprintf("group-%02d/manifests/x", n), nil, strings.NewReader("x"), 1, nil)
		must(t, err)
	}
	asked := 0
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		asked++
		store.ServeHTTP(w, r)
	})
	_, err := p.OpenExisting(t.Context(), "orders")
	wantProblem(t, err, "there are no snapshots of group orders in bucket snapshots (group); there are those of group-00, group-01")
	if !errors.Is(err, snapshot.ErrNoStore) || asked > 2 || strings.Contains(err.Error(), "group-20") {
		t.Errorf("%d requests were made, and the error is %v", asked, err)
	}
}

// Two members could hold one lease in a store that writes whatever the condition.
func TestConditionsIgnored(t *testing.T) {
	for _, header := range []string{"If-None-Match", "If-Match"} {
		t.Run(header, func(t *testing.T) {
			f := newFake(t)
			f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				r.Header.Del(header)
				store.ServeHTTP(w, r)
			})
			_, err := f.params().Open(t.Context(), "orders")
			wantProblem(t, err, "does not keep to the conditions of a PUT", "snapshots.postgres")
			f.each(t, func(key string, _ []byte) { t.Errorf("%s is left", key) })
		})
	}
}

// A proxy may take out of answers what conditions and ages are made of. A lease could not be kept by what is left.
func TestAnswersChanged(t *testing.T) {
	for _, test := range []struct {
		what    string
		change  func(h http.Header)
		problem string
	}{
		{"no tag", func(h http.Header) { h.Del("ETag") }, "no strong ETag"},
		{"a weak tag", func(h http.Header) { h.Set("ETag", "W/"+h.Get("ETag")) }, "no strong ETag"},
		{"no time of writing", func(h http.Header) { h.Del("Last-Modified") }, "a proxy in between that changes headers"},
		{"no date", func(h http.Header) { h["Date"] = nil }, "has no date"},
		{"another clock", func(h http.Header) { h.Set("Date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat)) }, "two clocks"},
	} {
		t.Run(test.what, func(t *testing.T) {
			f := newFake(t)
			f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				store.ServeHTTP(&changed{ResponseWriter: w, change: test.change}, r)
			})
			_, err := f.params().Open(t.Context(), "orders")
			wantProblem(t, err, "open snapshot store: ", test.problem)
		})
	}
}

// changed changes the headers of an answer.
type changed struct {
	http.ResponseWriter
	change func(http.Header)
	once   sync.Once
}

func (c *changed) WriteHeader(status int) {
	c.once.Do(func() { c.change(c.Header()) })
	c.ResponseWriter.WriteHeader(status)
}

func (c *changed) Write(b []byte) (int, error) {
	c.once.Do(func() { c.change(c.Header()) })
	return c.ResponseWriter.Write(b)
}

// A manifest that a proxy does not find is there all the same: nothing that it names is deleted.
func TestManifestNotFoundByAProxy(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	data := []byte("a segment")
	segment := snapshot.NewSegment(data, 1)
	must(t, s.PutSegment(t.Context(), segment.Name, data))
	must(t, s.Publish(t.Context(), snapshot.Manifest{Index: "orders", Segments: []snapshot.Segment{segment}}))
	f.age(s.root+objects.Segments+segment.Name, 2*snapshot.Grace)
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/"+objects.Manifests) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "default backend - 404")
			return
		}
		store.ServeHTTP(w, r)
	})
	_, err := s.Collect(t.Context(), 1)
	wantProblem(t, err, "collect snapshots: ", "does not speak like S3")
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) { store.ServeHTTP(w, r) })
	if missing, err := s.HasSegments(t.Context(), []string{segment.Name}); err != nil || len(missing) > 0 {
		t.Errorf("the segment of a published snapshot is deleted: missing are %v, error %v", missing, err)
	}
}

// Credentials are read again after a refusal, in Publish as in other calls.
func TestCredentialsAreReadAgain(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	f.refuse(http.StatusForbidden, "InvalidAccessKeyId", "no such key")
	for what, do := range map[string]func() error{
		"Publish":   func() error { return s.Publish(t.Context(), snapshot.Manifest{Index: "orders"}) },
		"Manifests": func() error { _, err := s.Manifests(t.Context()); return err },
	} {
		if _, err := s.creds.GetWithContext(nil); err != nil {
			t.Fatal(err)
		}
		wantProblem(t, do(), "check the credentials")
		if !s.creds.IsExpired() {
			t.Errorf("after %s was refused the credentials are used on", what)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/")
	f.answer(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		t.Errorf("%s %s was asked for by nobody", r.Method, r.URL)
		store.ServeHTTP(w, r)
	})
	_, err := s.Manifests(t.Context())
	wantProblem(t, err, "no credentials were found")
	if !errors.Is(err, snapshot.ErrAway) {
		t.Errorf("credentials that are gone for now do not count as away: %v", err)
	}
}

// A list that ends early must not be taken for a whole one: what it lacks would be deleted.
func TestListEndsEarly(t *testing.T) {
	s := newFake(t).store(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if listed, err := s.list(ctx, s.root); !errors.Is(err, context.Canceled) {
		t.Errorf("listed %d objects with %v, want that it was canceled", len(listed), err)
	}
}

func TestValidate(t *testing.T) {
	if mistakes := (Params{Bucket: "b", Prefix: "a/../b"}).Validate(); len(mistakes) != 1 {
		t.Errorf("a prefix that leads elsewhere: %v, want one mistake", mistakes)
	}
	for _, test := range []struct{ bucket, endpoint, mistake string }{
		{"unecho", "", ""},
		{"unecho", "https://minio.example.org:9000", ""},
		{"unecho", "https://minio.example.org:9000/", ""},
		{"s3://unecho/prefix", "", "is not the name of a bucket"},
		{"unecho", "minio.example.org:9000", "is not the address of a store"},
		{"unecho", "https://minio.example.org/bucket", "is not the address of a store"},
		{"unecho", "https://someone:" + secret + "@minio.example.org", "is not the address of a store"},
	} {
		mistakes := Params{Bucket: test.bucket, Endpoint: test.endpoint}.Validate()
		text := fmt.Sprint(mistakes)
		if (len(mistakes) > 0) != (test.mistake != "") || !strings.Contains(text, test.mistake) || strings.Contains(text, secret) {
			t.Errorf("bucket %s at %s: %s, want %q", test.bucket, test.endpoint, text, test.mistake)
		}
	}
}

// A store that takes long to answer is no store with two clocks.
func TestTwoClocks(t *testing.T) {
	for _, c := range []struct {
		age, since time.Duration
		want       bool
	}{
		{0, 0, false},
		{4 * time.Second, 5 * time.Second, false},
		{leaseMargin, 0, false},
		{leaseMargin + time.Second, 0, true},
		{-leaseMargin - time.Second, time.Minute, true},
		{time.Minute, 5 * time.Second, true},
	} {
		if got := twoClocks(c.age, c.since); got != c.want {
			t.Errorf("an object that is %v old, %v after it was begun: two clocks is %v, want %v", c.age, c.since, got, c.want)
		}
	}
}
