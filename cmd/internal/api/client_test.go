package api

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

// TestClientKnowsTheAnswers: an answer that a client has read is the same when it is written again.
func TestClientKnowsTheAnswers(t *testing.T) {
	t.Parallel()
	d := serve(t, newFake(t), nil)
	same := func(method, path, body string, to any) {
		t.Helper()
		req := must(http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader(body)))(t)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		rewrites(t, path, strings.TrimSpace(string(must(io.ReadAll(resp.Body))(t))), to)
	}
	same(http.MethodGet, "/api/v1/status", "", &shape.Status{})
	same(http.MethodGet, "/api/v1/recent", "", &shape.Recent{})
	question := string(must(json.Marshal(map[string]any{"texts": []string{
		similar, near,
		"something else that nobody has written", "",
	}, "most": 2}))(t))
	same(http.MethodPost, "/api/v1/lookup", question, &shape.Lookup{})
}

// TestPageShowsALookup: the answer that api.md shows has all the fields of one, and no more.
func TestPageShowsALookup(t *testing.T) {
	t.Parallel()
	page := string(must(os.ReadFile("../../../deploy/docs/api.md"))(t))
	var answer shape.Lookup
	rewrites(t, "api.md", regexp.MustCompile(`(?m)^\{"results":.*`).FindString(page), &answer)
	if len(answer.Results) != 1 || len(answer.Results[0].Matches) != 1 {
		t.Errorf("api.md shows %v", answer)
	}
}

// rewrites reads an answer into a shape, and expects that the shape is written as the answer.
func rewrites(t *testing.T, what, answer string, to any) {
	t.Helper()
	strict := json.NewDecoder(strings.NewReader(answer))
	strict.DisallowUnknownFields()
	if err := strict.Decode(to); err != nil {
		t.Fatalf("%s: %v in %s", what, err, answer)
	}
	if strings.Contains(answer, `"0001-`) {
		t.Errorf("%s: %s tells a time that is none", what, answer)
	}
	if again := string(must(json.Marshal(to))(t)); again != answer {
		t.Errorf("%s: the shape has %s of %s", what, again, answer)
	}
}
