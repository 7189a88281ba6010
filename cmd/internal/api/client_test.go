package api

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/client"
)

// TestClientKnowsTheAnswers: the client's types have all that is answered, and no more.
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
		data := must(io.ReadAll(resp.Body))(t)
		strict := json.NewDecoder(strings.NewReader(string(data)))
		strict.DisallowUnknownFields()
		if err := strict.Decode(to); err != nil {
			t.Errorf("%s: %v in %s", path, err, data)
		}
		var is, was any
		again := must(json.Marshal(to))(t)
		if json.Unmarshal(again, &is) != nil || json.Unmarshal(data, &was) != nil || !equal(is, was) {
			t.Errorf("%s: the client has %s of %s", path, again, data)
		}
	}
	same(http.MethodGet, "/api/v1/recent", "", &client.Recent{})
	question := string(must(json.Marshal(map[string]any{"texts": []string{
		similar,
		"something else that nobody has written", "",
	}, "most": 2}))(t))
	same(http.MethodPost, "/api/v1/lookup", question, &struct {
		Results []client.Result `json:"results"`
	}{})
}

// TestPageShowsALookup: the answer that operations.md shows has all the fields of one, and no more.
func TestPageShowsALookup(t *testing.T) {
	t.Parallel()
	page := string(must(os.ReadFile("../../../deploy/docs/operations.md"))(t))
	shown := regexp.MustCompile(`(?m)^\{"results":.*`).FindString(page)
	var is, again any
	var answer struct {
		Results []client.Result `json:"results"`
	}
	strict := json.NewDecoder(strings.NewReader(shown))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&answer); err != nil || len(answer.Results) != 1 || len(answer.Results[0].Matches) != 1 {
		t.Fatalf("operations.md shows %q: %v", shown, err)
	}
	if json.Unmarshal([]byte(shown), &is) != nil || json.Unmarshal(must(json.Marshal(answer))(t), &again) != nil ||
		!equal(again, is) {
		t.Errorf("operations.md shows %s, and an answer has %v", shown, again)
	}
}

// equal compares JSON values. A time may have fewer digits than it was sent with.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if !equal(a[key], b[key]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && strings.TrimRight(a, "0Z.") == strings.TrimRight(b, "0Z.")
	}
	return a == b
}
