package inspect

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/retry"
)

// Params say which member is asked, and how.
type Params struct {
	Server string // an address such as http://127.0.0.1:9464; without a scheme it is http
	Token  string // http.token of the member; empty: it has none
	CA     string // a file with the authorities that the member's certificate may be of; empty: those of the system
}

// Bounds of a request.
const (
	timeout    = 30 * time.Second
	mostAnswer = 64 << 20
	mostTries  = 10 // after an answer that the member has too much to do
)

// Client asks one member. It may be used by many goroutines.
type Client struct {
	http  *http.Client
	base  *url.URL
	token string
	again time.Duration // how long a member that went away is left alone
}

// New makes a client. It asks nothing yet.
func New(p Params) (*Client, error) {
	if !strings.Contains(p.Server, "://") {
		p.Server = "http://" + p.Server
	}
	base, err := url.Parse(p.Server)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address of a member: write http://127.0.0.1:9464, or https://HOST:PORT", p.Server)
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: timeout,
		ResponseHeaderTimeout: timeout,
	}
	if p.CA != "" {
		pool, err := authorities(p.CA)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	// No redirection is followed, so that the token reaches nobody else.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		http: &http.Client{Transport: transport, CheckRedirect: refuse}, base: base.JoinPath("/"),
		token: p.Token, again: again,
	}, nil
}

func authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", file)
	}
	return pool, nil
}

// Server is the address that is asked.
func (c *Client) Server() string { return strings.TrimSuffix(c.base.String(), "/") }

// Error is an answer that says no. It reads as for a person.
type Error struct {
	Status int
	What   string
	Remedy string

	later time.Duration // when to ask again; 0: it does not say
}

// Error implements error.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.What
	}
	return e.What + "; " + e.Remedy
}

// get asks for what a path of the API has, and reads it into to.
func (c *Client) get(ctx context.Context, path string, query url.Values, to any) error {
	return c.exchange(ctx, http.MethodGet, path, query, nil, to)
}

// post sends a question to a path of the API, and reads the answer into to. If the member has too much to do, it
// waits for as long as the member asks.
func (c *Client) post(ctx context.Context, path string, question, to any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // markup would take six bytes for each < and >
	if err := encoder.Encode(question); err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		err := c.exchange(ctx, http.MethodPost, path, nil, body.Bytes(), to)
		var busy *Error
		if !errors.As(err, &busy) || busy.Status != http.StatusTooManyRequests || busy.later == 0 || tries == mostTries {
			return err
		}
		if retry.Pause(ctx, min(busy.later, timeout)) != nil {
			return ctx.Err()
		}
	}
}

// exchange sends a request once, and reads the answer into to.
func (c *Client) exchange(ctx context.Context, method, path string, query url.Values, body []byte, to any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := c.send(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, mostAnswer)).Decode(to); err != nil {
		return fmt.Errorf("the answer of %s is not JSON of a member: %w; is it the http.listen of an unecho?", c.Server(), err)
	}
	return nil
}

// send returns an answer that says yes. The caller closes its body.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	to := c.base.JoinPath("api/v1", path)
	to.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreached(ctx, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, c.refused(answer)
}

// unreached says why there is no answer.
func (c *Client) unreached(ctx context.Context, err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the address, which may carry a secret of its own
	}
	if cause := ctx.Err(); errors.Is(cause, context.Canceled) {
		return cause
	}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%s has a certificate of an authority that is not known here: name its file with --ca", c.Server())
	}
	return fmt.Errorf("no member answers at %s: %w; start one, or name the address of http.listen with --server",
		c.Server(), err)
}

func (c *Client) refused(answer *http.Response) error {
	var said shape.Failure
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil || said.Error == "" {
		return &Error{
			Status: answer.StatusCode, What: fmt.Sprintf("%s answers %s", c.Server(), answer.Status),
			Remedy: "is it the http.listen of an unecho?",
		}
	}
	if answer.StatusCode == http.StatusUnauthorized {
		said.Remedy = "give it with --token-file, or in UNECHO_HTTP_TOKEN"
	}
	e := &Error{Status: answer.StatusCode, What: said.Error, Remedy: said.Remedy}
	if s, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.later = time.Duration(s) * time.Second
	}
	return e
}

// mostTexts is how many texts one request may ask for.
const mostTexts = 100

// Question is what a lookup asks.
type Question struct {
	Texts []string // bytes, which need not be UTF-8
	Scope string   // as the documents have it; empty: there is none
	Topic string   // whose documents they are like; empty: that of any source
	Most  int      // matches of each text
}

// Lookup asks whether texts, mostTexts of them at most, are duplicates of what the member remembers. Nothing is inserted.
func (c *Client) Lookup(ctx context.Context, q Question) ([]shape.Result, error) {
	ask := map[string]any{"texts": q.Texts, "most": max(1, q.Most)}
	if slices.ContainsFunc(q.Texts, func(text string) bool { return !utf8.ValidString(text) }) {
		encoded := make([][]byte, len(q.Texts)) // as JSON has them, base64
		for i, text := range q.Texts {
			encoded[i] = []byte(text)
		}
		ask["texts"], ask["base64"] = encoded, true
	}
	for key, value := range map[string]string{"scope": q.Scope, "topic": q.Topic} {
		if value != "" {
			ask[key] = value
		}
	}
	var answer shape.Lookup
	if err := c.post(ctx, "lookup", ask, &answer); err != nil {
		return nil, err
	}
	if len(answer.Results) != len(q.Texts) {
		return nil, fmt.Errorf("%s answers %d results for %d texts", c.Server(), len(answer.Results), len(q.Texts))
	}
	return answer.Results, nil
}

// Filter says which copies are meant.
type Filter struct {
	Topic string
	Scope string
	Least float64 // least similarity
	Last  int     // how many, at most; 0 leaves it to the member
}

func (f Filter) query() url.Values {
	q := url.Values{}
	set := func(key, value string, is bool) {
		if is {
			q.Set(key, value)
		}
	}
	set("topic", f.Topic, f.Topic != "")
	set("scope", f.Scope, f.Scope != "")
	set("min_similarity", strconv.FormatFloat(f.Least, 'f', -1, 64), f.Least > 0)
	set("limit", strconv.Itoa(f.Last), f.Last > 0)
	return q
}

// Recent asks for the last copies that the member knows of.
func (c *Client) Recent(ctx context.Context, f Filter) (r shape.Recent, err error) {
	err = c.get(ctx, "recent", f.query(), &r)
	return r, err
}

// Status asks how the member stands.
func (c *Client) Status(ctx context.Context) (s shape.Status, err error) {
	err = c.get(ctx, "status", nil, &s)
	return s, err
}
