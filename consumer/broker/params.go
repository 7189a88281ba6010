package broker

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/index/setting"
)

// Params say how Kafka is reached.
type Params struct {
	Brokers    []string   `key:"brokers" doc:"some of the cluster's brokers, as host:port; the others are found through them" called:"addresses" example:"kafka-1:9092, kafka-2:9092"`
	ClientRack string     `key:"client_rack" doc:"the rack or zone of this process, named as in broker.rack. Journal and sources are read from a replica there, if the brokers have a replica.selector.class. Empty reads from leaders" example:"eu-west-1a" advanced:"true"`
	TLS        TLSParams  `key:"tls"`
	SASL       SASLParams `key:"sasl"`
}

// TLSParams say how connections are encrypted.
type TLSParams struct {
	Enabled            bool   `key:"enabled" doc:"use TLS for Kafka"`
	CAFile             string `key:"ca_file" doc:"PEM file of the authorities that sign Kafka's certificates; empty uses those of the system" example:"/etc/unecho/ca.pem"`
	CertFile           string `key:"cert_file" doc:"PEM file of our certificate, for mutual TLS" example:"/etc/unecho/client.pem" advanced:"true"`
	KeyFile            string `key:"key_file" doc:"PEM file of our certificate's private key" example:"/etc/unecho/client.key" advanced:"true"`
	InsecureSkipVerify bool   `key:"insecure_skip_verify" doc:"accept any certificate: an attacker in between can read and change everything" advanced:"true"`
}

// SASLParams say who we are.
type SASLParams struct {
	Mechanism string `key:"mechanism" doc:"how to log in; AWS_MSK_IAM reads the AWS variables of the environment" enum:"none|PLAIN|SCRAM-SHA-256|SCRAM-SHA-512|OAUTHBEARER|AWS_MSK_IAM"`
	Username  string `key:"username" doc:"for PLAIN and SCRAM"`
	Password  string `key:"password" doc:"for PLAIN and SCRAM" secret:"true"`

	OAuth token.Params `key:"oauth" doc:"For OAUTHBEARER: where tokens come from. Set token_url or file."`
}

// SASL mechanisms.
const (
	NoSASL      = "none"
	Plain       = "PLAIN"
	Scram256    = "SCRAM-SHA-256"
	Scram512    = "SCRAM-SHA-512"
	OAuthBearer = "OAUTHBEARER"
	AWSMSKIAM   = "AWS_MSK_IAM"
)

// DefaultParams are the defaults. Brokers have no default: a question is better than writing to the wrong Kafka.
func DefaultParams() Params {
	return Params{SASL: SASLParams{Mechanism: NoSASL}}
}

// Validate reports every mistake. It reads no file and no environment, which is done when a client is made.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	if len(p.Brokers) == 0 {
		out = append(out, setting.Wrong("brokers", "", "is missing", "write host:port of one or more of Kafka's brokers"))
	}
	for _, b := range p.Brokers {
		if !hostPort(b) {
			out = append(out, setting.Wrong("brokers", b, "is not an address", "write host:port, for example localhost:9092"))
		}
	}
	out = append(out, setting.Under("tls", p.TLS.validate())...)
	return append(out, setting.Under("sasl", p.SASL.validate(p.TLS.Enabled))...)
}

func (p TLSParams) validate() []setting.Mistake {
	var out []setting.Mistake
	if !p.Enabled {
		const remedy = "set tls.enabled: true, or remove it"
		for _, f := range []struct{ key, value string }{
			{"ca_file", p.CAFile}, {"cert_file", p.CertFile}, {"key_file", p.KeyFile},
		} {
			if f.value != "" {
				out = append(out, setting.Wrong(f.key, f.value, "has no effect without TLS", remedy))
			}
		}
		if p.InsecureSkipVerify {
			out = append(out, setting.Wrong("insecure_skip_verify", true, "has no effect without TLS", remedy))
		}
	}
	return append(out, p.files().Validate("Kafka's")...)
}

// files are those that are named, and what is asked of the server.
func (p TLSParams) files() certificate.Params {
	return certificate.Params{
		Section: "kafka.tls", CAFile: p.CAFile, CertFile: p.CertFile, KeyFile: p.KeyFile,
		InsecureSkipVerify: p.InsecureSkipVerify,
	}
}

func (p SASLParams) validate(encrypted bool) []setting.Mistake {
	var out []setting.Mistake
	switch p.Mechanism {
	case NoSASL, Plain, Scram256, Scram512, OAuthBearer:
	case AWSMSKIAM:
		if !encrypted {
			out = append(out, setting.Wrong("mechanism", p.Mechanism, "needs TLS: MSK offers it over TLS alone",
				"set tls.enabled: true"))
		}
	default:
		return append(out, setting.Wrong("mechanism", p.Mechanism, "is unknown",
			"write none, PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM"))
	}
	out = append(out, p.validateOAuth()...)
	belongs := p.Mechanism == Plain || p.Mechanism == Scram256 || p.Mechanism == Scram512
	for _, c := range []struct{ key, value, shown string }{{"username", p.Username, p.Username}, {"password", p.Password, ""}} {
		switch {
		case belongs && c.value == "":
			out = append(out, setting.Wrong(c.key, "", "is missing", p.Mechanism+" needs it"))
		case !belongs && c.value != "":
			out = append(out, setting.Wrong(c.key, c.shown, "has no effect with sasl.mechanism "+p.Mechanism,
				"set sasl.mechanism, or remove it"))
		}
	}
	return out
}

// validateOAuth makes sure that tokens have exactly one source if they are needed.
func (p SASLParams) validateOAuth() []setting.Mistake {
	if p.Mechanism != OAuthBearer {
		if p.OAuth.Used() {
			return []setting.Mistake{setting.Wrong("oauth", "", "has no effect with sasl.mechanism "+p.Mechanism,
				"set sasl.mechanism: OAUTHBEARER, or remove it")}
		}
		return nil
	}
	sources := p.OAuth.Sources()
	out := setting.Under("oauth", p.OAuth.Validate())
	switch {
	case len(sources) == 0:
		out = append(out, setting.Wrong("oauth", "", "does not say where tokens come from", "set sasl.oauth.token_url or file"))
	case len(sources) > 1:
		out = append(out, setting.Wrong("oauth."+sources[1], "", "is a second source of tokens, beside sasl.oauth."+sources[0],
			"remove one of the two"))
	}
	return out
}

// Warnings are about settings that are allowed and unwise: secrets that travel unencrypted to another machine, and
// certificates that nobody checks. The caller logs them once.
func (p Params) Warnings() []setting.Mistake {
	var out []setting.Mistake
	if !p.TLS.Enabled && (p.SASL.Mechanism == Plain || p.SASL.Mechanism == OAuthBearer) && !p.loopback() {
		out = append(out, setting.Wrong("sasl.mechanism", p.SASL.Mechanism, "sends the secret unencrypted over the network",
			"set tls.enabled: true, or use SCRAM-SHA-512"))
	}
	if p.TLS.InsecureSkipVerify {
		out = append(out, setting.Wrong("tls.insecure_skip_verify", true, "trusts any certificate",
			"name Kafka's authority in tls.ca_file instead"))
	}
	return out
}

// loopback says whether only this machine can reach the brokers.
func (p Params) loopback() bool {
	return !slices.ContainsFunc(p.Brokers, func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		return err != nil || !certificate.Loopback(strings.ToLower(host)) // no proxy is asked
	})
}

func hostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n > 0 && n < 1<<16
}
