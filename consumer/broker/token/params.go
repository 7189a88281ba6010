package token

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/index/setting"
)

// Params say where tokens come from: a token endpoint, or a file.
type Params struct {
	TokenURL     string   `key:"token_url" doc:"token endpoint for client credentials" example:"https://login.example.com/oauth2/token"`
	ClientID     string   `key:"client_id" doc:"name of this client at the token endpoint"`
	ClientSecret string   `key:"client_secret" doc:"the secret of client_id" secret:"true"`
	Scopes       []string `key:"scopes" doc:"scopes of the token" example:"[kafka]"`
	Params       []string `key:"params" doc:"further parameters of the request for a token, as name=value; no secrets" example:"[audience=kafka]" advanced:"true"`
	File         string   `key:"file" doc:"file with a token; it is read at each login" example:"/var/run/secrets/tokens/kafka"`
	Extensions   []string `key:"extensions" doc:"SASL extensions sent with the token, as name=value" example:"[logicalCluster=lkc-1]" advanced:"true"`
}

// Sources lists the keys of the sources that are set.
func (p Params) Sources() []string {
	var out []string
	if p.TokenURL != "" {
		out = append(out, "token_url")
	}
	if p.File != "" {
		out = append(out, "file")
	}
	return out
}

// Used says whether any setting is set that matters only to logins with tokens.
func (p Params) Used() bool {
	return len(p.Sources()) > 0 || p.ClientID != "" || p.ClientSecret != "" ||
		len(p.Scopes)+len(p.Params)+len(p.Extensions) > 0
}

// Validate reports every mistake. It reads no file.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	out = append(out, pairs("params", p.Params, parameter, "grant_type", "client_id", "client_secret", "scope")...)
	out = append(out, pairs("extensions", p.Extensions, extension, "auth")...)
	if p.TokenURL == "" {
		return append(out, p.pointless()...)
	}
	if !secure(p.TokenURL) {
		out = append(out, setting.Wrong("token_url", certificate.Shown(p.TokenURL), "is no https address, without a user name in it",
			"write https://host/path; http is for 127.0.0.1, ::1 and localhost only"))
	}
	if p.ClientID == "" {
		out = append(out, setting.Wrong("client_id", "", "is missing", "token_url needs it"))
	}
	if p.ClientSecret == "" {
		out = append(out, setting.Wrong("client_secret", "", "is missing", "token_url needs it"))
	}
	return out
}

// pointless reports settings of the token endpoint that are set without an endpoint.
func (p Params) pointless() []setting.Mistake {
	var out []setting.Mistake
	for _, f := range []struct {
		key, value string
		set        bool
	}{
		{"client_id", p.ClientID, p.ClientID != ""},
		{"client_secret", "", p.ClientSecret != ""},
		{"scopes", strings.Join(p.Scopes, ","), len(p.Scopes) > 0},
		{"params", strings.Join(p.Params, ","), len(p.Params) > 0},
	} {
		if f.set {
			out = append(out, setting.Wrong(f.key, f.value, "has no effect without token_url", "set token_url, or remove it"))
		}
	}
	return out
}

var (
	parameter = regexp.MustCompile(`^[A-Za-z0-9_.-]+=`)
	extension = regexp.MustCompile(`^[A-Za-z]+=[\x21-\x7e \t\r\n]+$`) // RFC 7628, section 3.1
)

// pairs reports items that are not name=value, and names that only this program may set.
func pairs(key string, items []string, valid *regexp.Regexp, ours ...string) []setting.Mistake {
	var out []setting.Mistake
	for _, item := range items {
		name, _, _ := strings.Cut(item, "=")
		switch {
		case !valid.MatchString(item):
			out = append(out, setting.Wrong(key, item, "is not name=value", "write for example audience=kafka"))
		case slices.Contains(ours, name):
			out = append(out, setting.Wrong(key, name, "is set by unecho itself", "remove it"))
		}
	}
	return out
}

// secure says whether a secret may be sent to an address: it is encrypted, or does not leave this machine.
func secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && certificate.Loopback(u.Hostname())
}
