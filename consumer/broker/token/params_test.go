package token

import (
	"slices"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	good := DefaultParams()
	good.TokenURL, good.ClientID, good.ClientSecret = "https://login.test/token", "unecho", secret
	for _, tt := range []struct {
		name   string
		change func(p *Params)
		want   []string
	}{
		{"endpoint", func(*Params) {}, nil},
		{"all of it", func(p *Params) {
			p.Scopes, p.Params, p.CAFile, p.Extensions = []string{"s"}, []string{"audience=a", "x="}, "f",
				[]string{"logicalCluster=lkc-1"}
		}, nil},
		{"on this machine", func(p *Params) { p.TokenURL = "http://127.0.0.1:1/token" }, nil},
		{"file", func(p *Params) { *p = DefaultParams(); p.File = "f" }, nil},
		{"command", func(p *Params) { *p = DefaultParams(); p.Command = []string{"c", ""} }, nil},
		{"unencrypted", func(p *Params) { p.TokenURL = "http://login.test/token" }, []string{"token_url"}},
		{"a password in the address", func(p *Params) { p.TokenURL = "https://u:hunter2@login.test/token" }, []string{"token_url"}},
		{"no address", func(p *Params) { p.TokenURL = "login.test" }, []string{"token_url"}},
		{"nobody", func(p *Params) { p.ClientID, p.ClientSecret = "", "" }, []string{"client_id", "client_secret"}},
		{"no time", func(p *Params) { p.Timeout = 0 }, []string{"timeout"}},
		{"no endpoint", func(p *Params) {
			p.TokenURL, p.Scopes, p.Params, p.CAFile = "", []string{"s"}, []string{"a=b"}, "f"
		}, []string{"client_id", "client_secret", "ca_file", "scopes", "params"}},
		{"no pairs", func(p *Params) { p.Params, p.Extensions = []string{"a"}, []string{"a", "a=\x01", "1=a"} }, []string{"params", "extensions", "extensions", "extensions"}},
		{"ours", func(p *Params) { p.Params, p.Extensions = []string{"scope=s"}, []string{"auth=a"} }, []string{"params", "extensions"}},
		{"no program", func(p *Params) { *p = DefaultParams(); p.Command = []string{""} }, []string{"command"}},
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
