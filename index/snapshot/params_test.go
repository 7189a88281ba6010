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
		"nothing":            {Params{}, "every"},
		"every a nanosecond": {Params{Every: time.Nanosecond}, "every"},
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
