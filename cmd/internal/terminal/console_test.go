package terminal

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
)

func TestLoggerFormats(t *testing.T) {
	for _, c := range []struct {
		name   string
		params config.LogParams
		want   string
	}{
		{"json elsewhere than on a terminal", config.LogParams{Level: "info", Format: "auto"}, `"message":"hello"`},
		{"json", config.LogParams{Level: "info", Format: "json"}, `"level":"info"`},
		{"console", config.LogParams{Level: "info", Format: "console"}, " INF hello\n"},
		{"below the level", config.LogParams{Level: "warn", Format: "json"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			logger, err := NewLogger(&out, c.params)
			if err != nil {
				t.Fatal(err)
			}
			logger.Info().Msg("hello")
			if got := out.String(); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("logged %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestLoggerRefusesUnknownLevel(t *testing.T) {
	if _, err := NewLogger(&strings.Builder{}, config.LogParams{Level: "loud"}); err == nil {
		t.Error("no error for level loud")
	}
}
