package snapshot

import (
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		p    Params
		keys string
	}{
		"defaults":           {DefaultParams(), ""},
		"several mistakes":   {Params{Keep: 1}, "every keep"},
		"too many kept":      {Params{Every: time.Minute, Keep: 1001}, "keep"},
		"every a nanosecond": {Params{Every: time.Nanosecond, Keep: 3}, "every"},
	} {
		t.Run(name, func(t *testing.T) {
			var keys []string
			for _, m := range test.p.Validate() {
				keys = append(keys, m.Key)
				if m.Remedy == "" {
					t.Errorf("the mistake is %v; want a remedy", m)
				}
			}
			if got := strings.Join(keys, " "); got != test.keys {
				t.Errorf("mistakes in %q, want %q", got, test.keys)
			}
		})
	}
}
