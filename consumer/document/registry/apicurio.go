package registry

import (
	"bytes"
	"cmp"
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
	references, err := c.artifacts(ctx, at)
	if err != nil {
		return Schema{}, err
	}
	before, err := follow(nil, references, map[artifact]bool{}, func(a artifact) (Reference, []artifact, error) {
		at := "/groups/" + url.PathEscape(cmp.Or(a.Group, "default")) + "/artifacts/" + url.PathEscape(a.Artifact) +
			"/versions/" + url.PathEscape(a.Version)
		text, err := c.text(ctx, at+c.content)
		if err != nil {
			return Reference{}, nil, err
		}
		further, err := c.artifacts(ctx, at)
		return Reference{Name: a.Name, Text: text}, further, err
	})
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

// artifacts returns those to which the schema at a path refers.
func (c *Client) artifacts(ctx context.Context, path string) (references []artifact, err error) {
	if err = c.registry.Do(ctx, http.MethodGet, path+"/references", nil, &references); err != nil {
		return nil, c.classify(ctx, err)
	}
	return references, nil
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
