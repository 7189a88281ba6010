package ops

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
)

// TestTokenIsRenewed: a token of a file is the one that is in it now.
func TestTokenIsRenewed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	put := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
			t.Fatal(err)
		}
	}
	put("the first of some length\n")
	c, err := config.Load("", nil, []string{
		"http.token_file=" + path, "kafka.brokers=a:1", "sources.topics=t", "group=g",
		"snapshots.directory.path=d",
	})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	token, err := Token(c.HTTP, zerolog.New(&logged))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ put, want string }{
		{"", "the first of some length"},
		{"the second of some length\n", "the second of some length"},
		{"short\n", "the second of some length"},
		{strings.Repeat("\x00", 32), "the second of some length"},
		{"the third of some length", "the third of some length"},
	} {
		if step.put != "" {
			put(step.put)
		}
		if got := token(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.put, got, step.want)
		}
	}
	if text := logged.String(); strings.Contains(text, "of some length") || strings.Contains(text, "short") ||
		strings.Count(text, "was read again") != 2 || strings.Count(text, "cannot be read") != 2 {
		t.Errorf("logged %s", text)
	}
	for _, p := range []config.HTTPParams{{Listen: ":1"}, {Listen: ":1", Token: "given in the environment"}} {
		if token, err := Token(p, zerolog.Nop()); err != nil || (token != nil) != (p.Token != "") ||
			token != nil && token() != p.Token {
			t.Errorf("Token of %+v has error %v, or gives another token; want that of the settings, if they have one, and no error", p, err)
		}
	}
}
