package registry

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/retry"
)

// ID names a schema: by a number, or by a GUID.
type ID struct {
	Kind   string // of a number: empty, or what Apicurio calls it
	Number int64
	GUID   string // empty: the number counts
}

// Kinds of numbers in Apicurio's own interface, as it spells them.
const (
	GlobalIDs  = "globalIds"
	ContentIDs = "contentIds"
)

// String is the name as people know it.
func (id ID) String() string {
	if id.GUID != "" {
		return id.GUID
	}
	return fmt.Sprint(id.Number)
}

// Schema is a schema of a registry.
type Schema struct {
	Type   string // AVRO, PROTOBUF or JSON
	Text   string
	Before []Reference // the schemas to which it refers, each after those to which it refers itself
}

// Reference is a schema to which another refers.
type Reference struct {
	Name string // by which the other knows it: of Avro a type, of Protobuf a file
	Text string
}

// Client asks a registry. Any number of goroutines may use it.
type Client struct {
	registry *sr.Client
	timeout  time.Duration
	unknown  atomic.Pointer[time.Time] // when the registry last said twice that it does not know a schema; nil: it never did
	content  string                    // see contentOf
}

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 16 << 20

// New makes a client. It reads the files of certificates, and asks nothing yet.
func New(p Params) (*Client, error) {
	files, err := certificate.Open(p.files(), p.Logger)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	client := &http.Client{
		Timeout:   p.Timeout,
		Transport: &limited{files.RoundTripper()},
		// A redirect is not followed, so that the secret goes nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	made, err := sr.NewClient(sr.URLs(p.URLs...), sr.HTTPClient(client), sr.UserAgent("unecho"),
		sr.PreReq(func(r *http.Request) error { return login(r, p) }))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	return &Client{registry: made, timeout: p.Timeout, content: contentOf(p.URLs)}, nil
}

// login adds the login to a request. Who can renew a secret does it in the file.
func login(r *http.Request, p Params) error {
	// Apicurio's own interface refuses a request that wants Confluent's types alone.
	r.Header.Set("Accept", r.Header.Get("Accept")+", */*;q=0.5")
	password, err := current(p.PasswordFile, p.Password)
	if err != nil {
		return err
	}
	token, err := current(p.TokenFile, p.Token)
	switch {
	case err != nil:
		return err
	case p.Username != "":
		r.SetBasicAuth(p.Username, password)
	case token != "":
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

func current(file, secret string) (string, error) {
	if file == "" {
		return secret, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the secret again: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// limited bounds the answers.
type limited struct{ http.RoundTripper }

// RoundTrip asks, and bounds the answer. One that may be a schema ends at the bound with an *http.MaxBytesError, all
// others are cut there.
func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(answer.Body)
	head, _ := body.Peek(maxShown) // whoever reads on gets the error as well
	if answer.StatusCode == http.StatusOK && isText(bytes.TrimSpace(head)) {
		answer.Body = http.MaxBytesReader(nil, part{body, answer.Body}, maxAnswer)
	} else {
		answer.Body = part{io.LimitReader(body, maxAnswer), answer.Body}
	}
	return answer, nil
}

// part is an answer of which something else is read.
type part struct {
	io.Reader
	io.Closer
}

// isText says whether something begins as a schema may, and not as a page or as bytes of something else.
func isText(b []byte) bool { return len(b) > 0 && b[0] >= ' ' && b[0] != '<' }

// again is the pause before a registry is asked a second time for what it does not know: it may have several servers,
// of which one learns later than another.
const again = 200 * time.Millisecond

// Schema returns a schema with all to which it refers. The error is ErrUnknown, an *AwayError, an *UnusableError, or why
// ctx is done.
func (c *Client) Schema(ctx context.Context, id ID) (Schema, error) {
	found, err := c.schema(ctx, id)
	if !errors.Is(err, ErrUnknown) {
		return found, err
	}
	if last := c.unknown.Load(); last == nil || time.Since(*last) > sparing {
		if err := retry.Pause(ctx, again); err != nil {
			return Schema{}, err
		}
	}
	if found, err = c.schema(ctx, id); errors.Is(err, ErrUnknown) {
		c.unknown.Store(new(time.Now()))
	}
	return found, err
}

// sparing is how long after a schema that is unknown others are asked for a second time without a pause: a topic full of
// numbers that mean nothing would wait for each.
const sparing = 5 * time.Second

func (c *Client) schema(ctx context.Context, id ID) (Schema, error) {
	if id.Kind != "" {
		return c.apicurio(ctx, id)
	}
	var s sr.Schema
	var err error
	if id.GUID == "" {
		s, err = c.registry.SchemaByID(ctx, int(id.Number))
	} else {
		var named sr.SubjectSchema
		named, err = c.registry.SchemaByGUID(ctx, id.GUID)
		s = named.Schema
	}
	if err != nil {
		return Schema{}, c.classify(ctx, err)
	}
	if s.Schema == "" {
		return Schema{}, c.classify(ctx, errNoSchema)
	}
	out := Schema{Type: s.Type.String(), Text: s.Schema}
	out.Before, err = follow(nil, s.References, map[sr.SchemaReference]bool{}, func(r sr.SchemaReference) (Reference, []sr.SchemaReference, error) {
		found, err := c.registry.SchemaByVersion(ctx, r.Subject, r.Version)
		if err != nil {
			return Reference{}, nil, c.classify(ctx, err)
		}
		return Reference{Name: r.Name, Text: found.Schema.Schema}, found.References, nil
	})
	return out, err
}

var errNoSchema = errors.New("it answers with something that is no schema")

// maxReferences bounds how many schemas belong to one.
const maxReferences = 1000

// follow appends the schemas of references, and of theirs before them. ask asks for one, and says to which it refers.
func follow[R comparable](before []Reference, references []R, seen map[R]bool, ask func(R) (Reference, []R, error)) ([]Reference, error) {
	for _, r := range references {
		if seen[r] {
			continue
		}
		if seen[r] = true; len(seen) > maxReferences {
			return nil, &UnusableError{Err: fmt.Errorf("the schema refers to more than %d others", maxReferences)}
		}
		found, further, err := ask(r)
		if err == nil {
			before, err = follow(before, further, seen, ask)
		}
		if err != nil {
			return nil, err
		}
		before = append(before, found)
	}
	return before, nil
}

// Ping asks the registry for something that every registry has, and says why it does not answer.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.registry.SupportedTypes(ctx)
	if err != nil {
		return c.classify(ctx, err)
	}
	return nil
}

// classify says what an answer means. Only a registry's own words say that it does not know a schema: a page that says
// "not found" comes from something else.
func (c *Client) classify(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.As(err, new(*http.MaxBytesError)) { // it would be so each time
		return &UnusableError{Err: fmt.Errorf("the registry's answer is larger than %d MiB", maxAnswer>>20)}
	}
	away := &AwayError{Err: err, Remedy: "see whether schema_registry.urls can be reached from here"}
	var answer *sr.ResponseError
	if !errors.As(err, &answer) {
		if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
			away.Remedy = fmt.Sprintf("it took longer than %v", c.timeout)
		}
		return away
	}
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound && (answer.ErrorCode != 0 || notFound(answer.Raw)):
		return ErrUnknown
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		away.Remedy = "check schema_registry.username and password, or token"
	case code < http.StatusInternalServerError:
		away.Remedy = "check schema_registry.urls: this seems to be no schema registry"
	}
	away.Err = fmt.Errorf("%s answers %d: %s", answer.URL, answer.StatusCode, shortLine(answer))
	return away
}

// maxShown bounds how much of an answer is shown, in bytes.
const maxShown = 200

// shortLine makes one short line of what a registry said.
func shortLine(answer *sr.ResponseError) string {
	text := answer.Message
	if text == "" {
		text = string(answer.Raw)
	}
	if len(text) > maxShown {
		text = text[:maxShown] + "..."
	}
	return fmt.Sprintf("%q", text)
}
