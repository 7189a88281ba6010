package registry

import (
	"net/url"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/index/setting"
)

// Params say how the registry is reached.
type Params struct {
	URLs     []string `key:"urls" doc:"addresses of the schema registry; if one cannot be reached, the next is used" example:"[https://registry.example.com:8081]"`
	Username string   `key:"username" doc:"for a registry with basic authentication" advanced:"true"`
	Password string   `key:"password" doc:"password of username; a file is read for each request" secret:"true" advanced:"true"`
	Token    string   `key:"token" doc:"for a registry with bearer tokens; a file is read for each request" secret:"true" advanced:"true"`
	CAFile   string   `key:"ca_file" doc:"for https: PEM file of the authorities that sign the registry's certificate; empty uses those of the system" example:"/etc/unecho/ca.pem"`

	Timeout      time.Duration `key:"-"` // how long the registry may take to answer
	PasswordFile string        `key:"-"` // where the password comes from; empty: from nowhere that could change
	TokenFile    string        `key:"-"` // where the token comes from

	Logger zerolog.Logger `key:"-"` // of who asks for long: certificates were renewed, or expire; zero: nobody is told
}

// DefaultParams are the defaults: no registry.
func DefaultParams() Params { return Params{Timeout: 5 * time.Second} }

// Set says whether there is a registry.
func (p Params) Set() bool { return len(p.URLs) > 0 }

// Validate reports every mistake. It reads no file.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	for _, address := range p.URLs {
		if u, err := url.Parse(address); err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			out = append(out, setting.Wrong("urls", certificate.Shown(address), "is not an address of a registry",
				"write for example https://registry.example.com:8081"))
		} else if u.User != nil {
			out = append(out, setting.Wrong("urls", certificate.Shown(address), "has a login in it, which would be logged",
				"set username and password"))
		}
	}
	return append(out, p.wrongLogin()...)
}

func (p Params) wrongLogin() []setting.Mistake {
	var out []setting.Mistake
	switch {
	case !p.Set() && (p.Username != "" || p.Password != "" || p.Token != ""):
		out = append(out, setting.Wrong("urls", "", "is missing", "write where the registry is, or remove its login"))
	case p.Username != "" && p.Password == "":
		out = append(out, setting.Wrong("password", "", "is missing", "username needs it"))
	case p.Username == "" && p.Password != "":
		out = append(out, setting.Wrong("username", "", "is missing", "password needs it"))
	case p.Username != "" && p.Token != "":
		out = append(out, setting.Wrong("token", "", "is a second login, beside username", "remove one of the two"))
	}
	return out
}

// files are those that are named.
func (p Params) files() certificate.Params {
	return certificate.Params{Section: "schema_registry", CAFile: p.CAFile}
}

// Warnings are about settings that are allowed and unwise.
func (p Params) Warnings() []setting.Mistake {
	var out []setting.Mistake
	for _, address := range p.URLs {
		u, err := url.Parse(address)
		if err == nil && u.Scheme == "http" && (p.Password != "" || p.Token != "") && !certificate.Loopback(u.Hostname()) {
			out = append(out, setting.Wrong("urls", certificate.Shown(address), "sends the secret unencrypted over the network",
				"write https://"))
		}
	}
	return out
}
