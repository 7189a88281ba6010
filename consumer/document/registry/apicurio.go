package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Apicurio has an interface of its own, beside Confluent's. Its numbers are known only there, and its answer is the
// text of a schema alone.

// artifact is a schema to which another refers, as Apicurio tells of it.
type artifact struct {
	Group    string `json:"groupId"`
	Artifact string `json:"artifactId"`
	Version  string `json:"version"`
	Name     string `json:"name"`
}

func (c *Client) apicurio(ctx context.Context, id ID) (Schema, error) {
	at := "/ids/" + id.Kind + "/" + fmt.Sprint(id.Number)
	text, err := c.text(ctx, at)
	if err != nil {
		return Schema{}, err
	}
	before, err := c.artifacts(ctx, nil, at+"/references", map[artifact]bool{})
	return Schema{Text: text, Before: before}, err
}

// text asks for a text. A page of something else is none.
func (c *Client) text(ctx context.Context, path string) (string, error) {
	var text []byte
	if err := c.registry.Do(ctx, http.MethodGet, path, nil, &text); err != nil {
		return "", c.classify(ctx, err)
	}
	if text = bytes.TrimSpace(text); !isText(text) {
		return "", c.classify(ctx, errNoSchema)
	}
	return string(text), nil
}

// artifacts appends the schemas of references, and of theirs before them.
func (c *Client) artifacts(ctx context.Context, before []Reference, path string, seen map[artifact]bool) ([]Reference, error) {
	var references []artifact
	if err := c.registry.Do(ctx, http.MethodGet, path, nil, &references); err != nil {
		return nil, c.classify(ctx, err)
	}
	for _, a := range references {
		if seen[a] {
			continue
		}
		if seen[a] = true; len(seen) > maxReferences {
			return nil, &UnusableError{Err: fmt.Errorf("the schema refers to more than %d others", maxReferences)}
		}
		group := a.Group
		if group == "" {
			group = "default"
		}
		at := "/groups/" + url.PathEscape(group) + "/artifacts/" + url.PathEscape(a.Artifact) + "/versions/" + url.PathEscape(a.Version)
		text, err := c.text(ctx, at+c.content)
		if err != nil {
			return nil, err
		}
		if before, err = c.artifacts(ctx, before, at+"/references", seen); err != nil {
			return nil, err
		}
		before = append(before, Reference{Name: a.Name, Text: text})
	}
	return before, nil
}

// contentOf is what an address of version 3 of Apicurio's interface has behind a version, to get its content.
func contentOf(urls []string) string {
	if strings.Contains(urls[0], "/v3") {
		return "/content"
	}
	return ""
}

// notFound says whether an answer of version 3 is that of an Apicurio which does not know something.
func notFound(answer []byte) bool {
	var said struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(answer, &said) == nil && strings.HasSuffix(said.Name, "NotFoundException")
}
