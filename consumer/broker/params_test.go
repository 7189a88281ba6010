package broker

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(p *Params)
		want   []string // keys of the mistakes
	}{
		{"least", func(*Params) {}, nil},
		{"no brokers", func(p *Params) { p.Brokers = nil }, []string{"brokers"}},
		{"no port", func(p *Params) { p.Brokers = []string{"a", "b:9092", ":1", "c:0", "d:x"} }, []string{"brokers", "brokers", "brokers", "brokers"}},
		{"TLS off", func(p *Params) { p.TLS = TLSParams{CAFile: "a", KeyFile: "k"} }, []string{"tls.ca_file", "tls.key_file", "tls.cert_file"}},
		{"no key", func(p *Params) { p.TLS = TLSParams{Enabled: true, CertFile: "c"} }, []string{"tls.key_file"}},
		{"no certificate", func(p *Params) { p.TLS = TLSParams{Enabled: true, KeyFile: "k"} }, []string{"tls.cert_file"}},
		{"unchecked authority", func(p *Params) { p.TLS = TLSParams{Enabled: true, CAFile: "a", InsecureSkipVerify: true} }, []string{"tls.insecure_skip_verify"}},
		{"mechanism", func(p *Params) { p.SASL.Mechanism = "plain" }, []string{"sasl.mechanism"}},
		{"user alone", func(p *Params) { p.SASL.Username = "u" }, []string{"sasl.username"}},
		{"PLAIN", func(p *Params) { p.SASL = SASLParams{Mechanism: Plain} }, []string{"sasl.username", "sasl.password"}},
		{"token", func(p *Params) { p.SASL = SASLParams{Mechanism: OAuthBearer} }, []string{"sasl.oauth"}},
		{"MSK", func(p *Params) { p.SASL = SASLParams{Mechanism: AWSMSKIAM, Username: "u"} }, []string{"sasl.mechanism", "sasl.username"}},
		{"MSK by environment", func(p *Params) { p.TLS.Enabled, p.SASL.Mechanism = true, AWSMSKIAM }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := params("localhost:9092")
			tt.change(&p)
			var got []string
			for _, m := range p.Validate() {
				got = append(got, m.Key)
				if m.Problem == "" || m.Remedy == "" {
					t.Errorf("%q says no problem or no remedy", m)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A rack reaches every client, or none.
func TestRack(t *testing.T) {
	for _, rack := range []string{"", "eu-west-1a"} {
		p := params("localhost:9092")
		p.ClientRack = rack
		if got, _ := client(t, p).OptValue(kgo.Rack).(string); got != rack {
			t.Errorf("a client of the rack %q is opened with %q", rack, got)
		}
	}
}

// Partitions that were added are shared within half a minute, as change.md says. The library would look again by
// itself after five minutes.
func TestPartitionsAreSoonNoticed(t *testing.T) {
	age, _ := client(t, params("localhost:9092")).OptValue(kgo.MetadataMaxAge).(time.Duration)
	if age <= 0 || age > 10*time.Second {
		t.Errorf("metadata are asked for again after %v, want 10 s at most", age)
	}
}

func TestMistakesTellNoSecrets(t *testing.T) {
	p := params("localhost:9092")
	p.SASL = SASLParams{Mechanism: NoSASL, Password: "hunter2", OAuth: token.Params{ClientSecret: "hunter2"}}
	mistakes := p.Validate()
	if len(mistakes) != 2 {
		t.Errorf("got %v", mistakes)
	}
	for _, m := range mistakes {
		if strings.Contains(m.String(), "hunter2") {
			t.Errorf("a mistake tells a secret: %v", m)
		}
	}
}

func TestWarnings(t *testing.T) {
	remote, local := params("kafka:9092", "localhost:9092"), params("localhost:9092", "127.0.0.1:9093", "[::1]:9094")
	for _, p := range []*Params{&remote, &local} {
		p.SASL = SASLParams{Mechanism: Plain, Username: "u", Password: "p"}
	}
	if got := remote.Warnings(); len(got) != 1 || got[0].Key != "sasl.mechanism" {
		t.Errorf("a password travels unencrypted: %v", got)
	}
	if got := local.Warnings(); got != nil {
		t.Errorf("it stays on this machine: %v", got)
	}
	remote.TLS = TLSParams{Enabled: true, InsecureSkipVerify: true}
	if got := remote.Warnings(); len(got) != 1 || got[0].Key != "tls.insecure_skip_verify" {
		t.Errorf("anyone can be Kafka: %v", got)
	}
}

func TestOptionsNameTheFileThatIsWrong(t *testing.T) {
	a := certificatetest.New(t)
	empty := a.Path("empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.Sign("other", a.Cert)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	tests := []struct {
		name   string
		change func(p *Params)
		want   string
	}{
		{"no authority", func(p *Params) { p.TLS.CAFile = a.Path("none.pem") }, "kafka.tls.ca_file: open " + a.Path("none.pem")},
		{"an empty authority", func(p *Params) { p.TLS.CAFile = empty }, empty + " holds no certificate"},
		{"no certificate", func(p *Params) { p.TLS.CertFile, p.TLS.KeyFile = a.Path("none.pem"), a.Path("ca.key") }, a.Path("none.pem")},
		{"a foreign key", func(p *Params) { p.TLS.CertFile, p.TLS.KeyFile = a.Path("ca.pem"), a.Path("other.key") }, "private key"},
		{"no AWS keys", func(p *Params) { p.SASL.Mechanism = AWSMSKIAM }, "AWS_ACCESS_KEY_ID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := params("localhost:9092")
			p.TLS.Enabled = true
			tt.change(&p)
			_, err := Options(p, zerolog.Nop())
			var f *Fault
			if !errors.As(err, &f) || !strings.Contains(err.Error(), tt.want) || f.Remedy == "" {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	p := params("localhost:9092")
	p.TLS.Enabled, p.SASL.Mechanism = true, AWSMSKIAM
	if _, err := Options(p, zerolog.Nop()); err != nil {
		t.Errorf("the environment has keys: %v", err)
	}
}
