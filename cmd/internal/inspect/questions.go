package inspect

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

// mostTexts is how many texts one request may ask for.
const mostTexts = 100

// Question is what a lookup asks.
type Question struct {
	Texts []string // bytes, which need not be UTF-8
	Scope string   // as the documents have it; empty: there is none
	Topic string   // whose documents they are like; empty: that of any source
	Most  int      // matches of each text
}

// Lookup asks whether texts are duplicates of what the member remembers. Nothing is inserted.
func (c *Client) Lookup(ctx context.Context, q Question) ([]shape.Result, error) {
	var all []shape.Result
	for rest := q.Texts; len(rest) > 0; {
		n := min(len(rest), mostTexts)
		var answer shape.Lookup
		ask := map[string]any{"texts": rest[:n], "most": max(1, q.Most)}
		if slices.ContainsFunc(rest[:n], func(text string) bool { return !utf8.ValidString(text) }) {
			encoded := make([][]byte, n) // as JSON has them, base64
			for i, text := range rest[:n] {
				encoded[i] = []byte(text)
			}
			ask["texts"], ask["base64"] = encoded, true
		}
		if q.Scope != "" {
			ask["scope"] = q.Scope
		}
		if err := c.post(ctx, "lookup", ask, &answer); err != nil {
			return nil, err
		}
		if len(answer.Results) != n {
			return nil, fmt.Errorf("%s answers %d results for %d texts", c.Server(), len(answer.Results), n)
		}
		all, rest = append(all, answer.Results...), rest[n:]
	}
	return all, nil
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
