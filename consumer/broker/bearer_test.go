package broker

import (
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/broker/token"
)

func TestTokensHaveOneSource(t *testing.T) {
	for name, tt := range map[string]struct {
		sasl SASLParams
		want string
	}{
		"none": {
			SASLParams{Mechanism: OAuthBearer, OAuth: token.DefaultParams()},
			"sasl.oauth: says not where tokens come from",
		},
		"text": {SASLParams{Mechanism: OAuthBearer, Token: "t", OAuth: token.DefaultParams()}, ""},
		"file": {SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: "f", Timeout: time.Second}}, ""},
		"two": {SASLParams{
			Mechanism: OAuthBearer, Token: "hunter2",
			OAuth: token.Params{File: "f", Timeout: time.Second},
		}, "sasl.token: is a second source"},
		"two others": {
			SASLParams{
				Mechanism: OAuthBearer,
				OAuth:     token.Params{Command: []string{"c"}, File: "f", Timeout: time.Second},
			},
			"sasl.oauth.file: is a second source",
		},
		"in vain": {
			SASLParams{Mechanism: NoSASL, OAuth: token.Params{File: "f", Timeout: 10 * time.Second}},
			"has no effect with sasl.mechanism none",
		},
		"mistaken": {
			SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: "f"}},
			"sasl.oauth.timeout: 0s: leaves no time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := params("localhost:9092")
			p.SASL = tt.sasl
			var got string
			for _, m := range p.Validate() {
				got += m.String() + "\n"
			}
			if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || strings.Contains(got, "hunter2") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
