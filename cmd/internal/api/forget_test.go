package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/stop"
)

const (
	token  = "a secret of some length"
	bearer = "Bearer " + token
)

func withToken(s *Setup) {
	s.Access = Access{Token: func() string { return token }}
	s.Remains = report.Remains{Topics: []string{"news"}, Journal: "unecho.journal", Snapshots: 3}
}

func TestForget(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, withToken)
	ask := func(body string) map[string]any {
		t.Helper()
		code, got := d.do("POST", "/api/v1/forget", body, "Authorization", bearer)
		if code != http.StatusOK {
			t.Fatalf("POST /api/v1/forget of %s is answered %d %v; want %d", body, code, got, http.StatusOK)
		}
		return got
	}
	look := func() (copies float64, duplicate any) {
		t.Helper()
		_, recent := d.do("GET", "/api/v1/recent", "", "Authorization", bearer)
		_, looked := d.do("POST", "/api/v1/lookup", `{"text":"`+original+`"}`, "Authorization", bearer)
		return float64(len(recent["copies"].([]any))), at(looked, "results", 0, "duplicate")
	}
	if got := ask(`{"documents":["doc-0","nobody"],"dry_run":true}`); got["dry_run"] != true ||
		at(got, "documents", 0, "coordinates") != "news/2/0" ||
		at(got, "unknown", 0) != "nobody" || got["journal_offset"] != nil || at(got, "still_in", "topics", 0) != "news" {
		t.Errorf("a dry run: %v", got)
	}
	if copies, duplicate := look(); copies != 1 || duplicate != true {
		t.Errorf("a dry run changes something: %v, %v", copies, duplicate)
	}
	if got := ask(`{"documents":["news/2/0"]}`); at(got, "documents", 0, "id") != "doc-0" ||
		got["journal_offset"] != 3.0 || len(got["unknown"].([]any)) != 0 {
		t.Errorf("forgotten: %v", got)
	}
	if copies, duplicate := look(); copies != 0 || duplicate != false {
		t.Errorf("what was forgotten is still told: %v, %v", copies, duplicate)
	}
	if got := ask(`{"documents":["doc-0"]}`); at(got, "unknown", 0) != "doc-0" || got["journal_offset"] != nil {
		t.Errorf("again: %v", got)
	}
}

func TestForgetRefused(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, withToken)
	many, err := json.Marshal(map[string]any{"documents": make([]string, maxForgotten+1)})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{
		`{}`: 400, `{"documents":[]}`: 400, `{"documents":["a",""]}`: 400, `{"documents":["a"],"all":true}`: 400, `[`: 400,
		strings.ReplaceAll(string(many), `""`, `"x"`): 400, `{"documents":["` + strings.Repeat("x", maxBody) + `"]}`: 413,
	} {
		if code, got := d.do("POST", "/api/v1/forget", body, "Authorization", bearer); code != want || got["remedy"] == "" {
			t.Errorf("%.40s: %d %v, want %d", body, code, got, want)
		}
	}
	const good = `{"documents":["doc-0"]}`
	if code, _ := d.do("POST", "/api/v1/forget", good, "Authorization", bearer, "Content-Type",
		"text/plain"); code != http.StatusUnsupportedMediaType {
		t.Errorf("a form: %d", code)
	}
	if code, _ := d.do("POST", "/api/v1/forget", good); code != http.StatusUnauthorized {
		t.Errorf("without the token: %d", code)
	}
	local := serve(t, service, nil)
	if code, got := local.do("POST", "/api/v1/forget", good); code != http.StatusForbidden ||
		!strings.Contains(got["remedy"].(string), "http.token") {
		t.Errorf("where there is no token: %d %v", code, got)
	}
	for _, c := range []struct {
		err  error
		code int
	}{
		{member.ErrBusy, 429},
		{member.ErrNoReplica, 503},
		{fmt.Errorf("wait: %w", context.DeadlineExceeded), 503},
		{&stop.Error{What: "journal takes no appends", Err: errors.New("forbidden"), Remedy: "grant Write"}, 502},
		{errors.New("anything"), 500},
	} {
		service.fails = c.err
		if code, got := d.do("POST", "/api/v1/forget", good, "Authorization", bearer); code != c.code || got["remedy"] == "" {
			t.Errorf("%v: %d %v, want %d", c.err, code, got, c.code)
		}
	}
}
