package token

import (
	"slices"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	good := Params{TokenURL: "https://login.test/token", ClientID: "unecho", ClientSecret: secret}
	for _, tt := range []struct {
		name   string
		change func(p *Params)
		want   []string
	}{
		{"endpoint", func(*Params) {}, nil},
		{"all of it", func(p *Params) {
			p.Scopes, p.Params, p.Extensions = []string{"s"}, []string{"audience=a", "x="}, []string{"logicalCluster=lkc-1"}
		}, nil},
		{"on this machine", func(p *Params) { p.TokenURL = "http://127.0.0.1:1/token" }, nil},
		{"file", func(p *Params) { *p = Params{File: "f"} }, nil},
		{"unencrypted", func(p *Params) { p.TokenURL = "http://login.test/token" }, []string{"token_url"}},
		{"through a proxy", func(p *Params) { p.TokenURL = "http://LOCALHOST/token" }, []string{"token_url"}},
		{"a password in the address", func(p *Params) { p.TokenURL = "https://u:hunter2@login.test/token" }, []string{"token_url"}},
		{"no address", func(p *Params) { p.TokenURL = "login.test" }, []string{"token_url"}},
		{"nobody", func(p *Params) { p.ClientID, p.ClientSecret = "", "" }, []string{"client_id", "client_secret"}},
		{"no endpoint", func(p *Params) {
			p.TokenURL, p.Scopes, p.Params = "", []string{"s"}, []string{"a=b"}
		}, []string{"client_id", "client_secret", "scopes", "params"}},
		{"no pairs", func(p *Params) { p.Params, p.Extensions = []string{"a"}, []string{"a", "a=\x01", "1=a"} }, []string{"params", "extensions", "extensions", "extensions"}},
		{"ours", func(p *Params) { p.Params, p.Extensions = []string{"scope=s"}, []string{"auth=a"} }, []string{"params", "extensions"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := good
			tt.change(&p)
			var got []string
			for _, m := range p.Validate() {
				got = append(got, m.Key)
				if m.Problem == "" || m.Remedy == "" || strings.Contains(m.String(), "hunter2") {
					t.Errorf("%q says no problem or no remedy, or a secret", m)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
