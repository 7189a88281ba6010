package config

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// OpsParams say where health, metrics and the API are served, and to whom.
type OpsParams struct {
	Listen   string `key:"listen" doc:"address for /live, /ready, /metrics, /log/level and the API; empty serves none" example:"127.0.0.1:9464"`
	Token    string `key:"token" doc:"who asks the API must send it; without one the API answers on a loopback address only" secret:"true"`
	ShowText bool   `key:"show_text" doc:"the API and the page may show the texts of documents, read from the source topics; without it no text leaves"`
	Traces   string `key:"traces" doc:"where spans of documents that are part of a sampled trace are sent: a collector, by OTLP over HTTP; empty sends none" example:"http://127.0.0.1:4318/v1/traces"`
	Pprof    bool   `key:"pprof" doc:"serve profiles at /debug/pprof, to callers on the same machine"`
}

// LogParams say what is logged, and how.
type LogParams struct {
	Level  string        `key:"level" doc:"the least level that is logged" enum:"debug|info|warn|error"`
	Format string        `key:"format" doc:"console is for people, json for collectors; auto is console on a terminal and json elsewhere" enum:"auto|console|json"`
	Every  time.Duration `key:"every" doc:"how often a running service says how it stands, at level info; 0s never" example:"1m"`
}

// leastEvery is the least interval of the regular log line, so that it does not fill the log.
const leastEvery = time.Second

// Validate returns every mistake. The choices are checked where they are read.
func (p LogParams) Validate() []setting.Mistake {
	if p.Every == 0 || p.Every >= leastEvery {
		return nil
	}
	return []setting.Mistake{setting.Wrong("every", p.Every, "is out of range", "write 1s or more, or 0s for never")}
}

// leastToken is the least length of a token, so that it cannot be guessed.
const leastToken = 16

// Validate returns every mistake.
func (p OpsParams) Validate() (mistakes []setting.Mistake) {
	if p.Token != "" && len(p.Token) < leastToken {
		mistakes = append(mistakes, setting.Wrong("token", p.Token, fmt.Sprintf("has fewer than %d characters", leastToken),
			"take a random one, for example of openssl rand -hex 16"))
	}
	_, port, err := net.SplitHostPort(p.Listen)
	if _, portErr := strconv.ParseUint(port, 10, 16); p.Listen != "" && (err != nil || portErr != nil) {
		mistakes = append(mistakes, setting.Wrong("listen", p.Listen, "is no address", "write host:port, such as 127.0.0.1:9464"))
	}
	if u, err := url.Parse(p.Traces); p.Traces != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		mistakes = append(mistakes, setting.Wrong("traces", p.Traces, "is no address of a collector", "write it whole, such as http://127.0.0.1:4318/v1/traces"))
	}
	return mistakes
}
