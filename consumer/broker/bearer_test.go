package broker

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/broker/token"
)

func TestTokensHaveOneSource(t *testing.T) {
	for name, tt := range map[string]struct {
		sasl SASLParams
		want string
	}{
		"none": {SASLParams{Mechanism: OAuthBearer}, "sasl.oauth: does not say where tokens come from"},
		"file": {SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: "f"}}, ""},
		"two": {SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{
			TokenURL: "https://login.test", ClientID: "c", ClientSecret: "hunter2", File: "f",
		}}, "sasl.oauth.file: is a second source"},
		"in vain":  {SASLParams{Mechanism: NoSASL, OAuth: token.Params{File: "f"}}, "has no effect with sasl.mechanism none"},
		"mistaken": {SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: "f", ClientID: "c"}}, "sasl.oauth.client_id: c: has no effect"},
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
