package broker

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

// silent accepts connections and says nothing, or hangs up at once.
func silent(t *testing.T, hangUp bool) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var open []net.Conn
		for {
			c, err := ln.Accept()
			if err != nil {
				for _, c := range open {
					c.Close()
				}
				return
			}
			if hangUp {
				c.Close()
				continue
			}
			open = append(open, c)
		}
	}()
	t.Cleanup(func() { ln.Close(); <-done })
	return ln.Addr().String()
}

func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// pingCase is a way to reach Kafka, or to fail to.
type pingCase struct {
	name    string
	brokers []string
	change  func(p *Params)
	what    string // empty: all is well
	remedy  string
}

const pingUser, pingPassword = "u", "s3cret"

func login() []kfake.Opt {
	return []kfake.Opt{
		kfake.EnableSASL(), kfake.Superuser(Plain, pingUser, pingPassword), kfake.Superuser(Scram256, pingUser, pingPassword),
		kfake.Superuser(Scram512, pingUser, pingPassword),
	}
}

func withSASL(mechanism, password string) func(p *Params) {
	return func(p *Params) { p.SASL = SASLParams{Mechanism: mechanism, Username: pingUser, Password: password} }
}

func (k kafkas) trust(p *Params) { p.TLS = TLSParams{Enabled: true, CAFile: k.ca.Path("ca.pem")} }

// kafkas are the addresses of brokers of each kind.
type kafkas struct {
	ca, other                   *certificatetest.Authority
	plain, login, tls, mutual   string
	refusing, silent, hangingUp string
}

func newKafkas(t *testing.T) kafkas {
	t.Helper()
	k := kafkas{ca: certificatetest.New(t), other: certificatetest.New(t), silent: silent(t, false), hangingUp: silent(t, true)}
	k.ca.Sign("client", certificatetest.OfClient())
	old := certificatetest.OfClient()
	old.NotBefore, old.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
	k.ca.Sign("old", old)
	k.plain = cluster(t).ListenAddrs()[0]
	k.login = cluster(t, login()...).ListenAddrs()[0]
	k.tls = cluster(t, kfake.TLS(k.ca.Server(false))).ListenAddrs()[0]
	k.mutual = cluster(t, append(login(), kfake.TLS(k.ca.Server(true)))...).ListenAddrs()[0]
	c := cluster(t, login()...)
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
		return resp, nil, true
	})
	k.refusing = c.ListenAddrs()[0]
	return k
}

func (k kafkas) good(t *testing.T) []pingCase {
	t.Helper()
	return []pingCase{
		{"no security", []string{k.plain}, nil, "", ""},
		{"PLAIN", []string{k.login}, withSASL(Plain, pingPassword), "", ""},
		{"SCRAM-SHA-256", []string{k.login}, withSASL(Scram256, pingPassword), "", ""},
		{"SCRAM-SHA-512", []string{k.login}, withSASL(Scram512, pingPassword), "", ""},
		{"TLS", []string{k.tls}, k.trust, "", ""},
		{"TLS, unchecked", []string{k.tls}, func(p *Params) { p.TLS = TLSParams{Enabled: true, InsecureSkipVerify: true} }, "", ""},
		{"mutual TLS and SCRAM", []string{k.mutual}, func(p *Params) {
			withSASL(Scram512, pingPassword)(p)
			k.trust(p)
			p.TLS.CertFile, p.TLS.KeyFile = k.ca.Path("client.pem"), k.ca.Path("client.key")
		}, "", ""},
		{"one of three answers", []string{closedPort(t), k.silent, k.plain}, nil, "", ""},
	}
}

func (k kafkas) bad(t *testing.T) []pingCase {
	t.Helper()
	return []pingCase{
		{"nothing there", []string{closedPort(t)}, nil, "nothing listens there", "start Kafka"},
		{"no such host", []string{"kafka.invalid:9092"}, nil, "kafka.invalid", "kafka.brokers"},
		{"hangs up", []string{k.hangingUp}, nil, "hangs up", "kafka.tls"},
		{"login expected", []string{k.login}, nil, "login", "kafka.sasl"},
		{"login not expected", []string{k.plain}, withSASL(Plain, pingPassword), "PLAIN", "sasl"},
		{"wrong password", []string{k.refusing}, withSASL(Plain, "wrong"), "refuses the login with PLAIN", "password"},
		{"wrong password, no answer", []string{k.login}, withSASL(Scram512, "wrong"), "during the login with SCRAM-SHA-512", "password"},
		{
			"wrong mechanism",
			[]string{k.login},
			func(p *Params) {
				p.SASL = SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: tokenFile(t, pingPassword)}}
			},
			"does not know the login OAUTHBEARER", "sasl.enabled.mechanisms",
		},
		{"TLS expected", []string{k.tls}, nil, "expects TLS", "kafka.tls.enabled: true"},
		{"TLS not expected", []string{k.hangingUp}, k.trust, "hangs up on TLS", "kafka.tls.enabled: false"},
		{
			"unknown authority",
			[]string{k.tls},
			func(p *Params) { p.TLS = TLSParams{Enabled: true, CAFile: k.other.Path("ca.pem")} },
			"authority we do not know: " + k.other.Path("ca.pem"), "kafka.tls.ca_file",
		},
		{"wrong name", []string{strings.Replace(k.tls, "127.0.0.1", "localhost", 1)}, k.trust, "localhost", "advertised.listeners"},
		{"certificate asked for", []string{k.mutual}, func(p *Params) { withSASL(Plain, pingPassword)(p); k.trust(p) }, "certificate required", "kafka.tls.cert_file"},
		{"certificate that has expired", []string{k.mutual}, func(p *Params) {
			withSASL(Plain, pingPassword)(p)
			k.trust(p)
			p.TLS.CertFile, p.TLS.KeyFile = k.ca.Path("old.pem"), k.ca.Path("old.key")
		}, k.ca.Path("old.pem") + ", which has expired", k.ca.Path("old.pem")},
	}
}

func TestPingSaysWhatToDo(t *testing.T) {
	k := newKafkas(t)
	for _, tt := range append(k.good(t), k.bad(t)...) {
		t.Run(tt.name, func(t *testing.T) {
			p := params(tt.brokers...)
			if tt.change != nil {
				tt.change(&p)
			}
			err := Ping(deadline(t), client(t, p))
			if tt.what == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var f *Fault
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a fault", err)
			}
			t.Log(err)
			if !strings.Contains(err.Error(), tt.what) || !strings.Contains(f.Remedy, tt.remedy) {
				t.Errorf("want %q and the remedy %q", tt.what, tt.remedy)
			}
			if strings.Contains(err.Error(), pingPassword) || strings.Contains(err.Error(), "\n") {
				t.Error("it tells the password, or is not one line")
			}
		})
	}
}

func tokenFile(t *testing.T, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPingEnds(t *testing.T) {
	cl := client(t, params(silent(t, false)))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := Ping(ctx, cl)
	if err == nil || !strings.Contains(err.Error(), "does not answer in time") {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is lost: %v", err)
	}
}

// A broker in a container answers at the published port, and names an address that exists only inside the container.
func TestPingFindsWrongAdvertisedListeners(t *testing.T) {
	inside := closedPort(t)
	c := cluster(t)
	c.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		b := kmsg.NewMetadataResponseBroker()
		addr, _ := net.ResolveTCPAddr("tcp", inside)
		b.Host, b.Port = "127.0.0.1", int32(addr.Port) // a port
		resp.Brokers = append(resp.Brokers, b)
		return resp, nil, true
	})
	err := Ping(deadline(t), client(t, params(c.ListenAddrs()...)))
	if err == nil || !strings.Contains(err.Error(), "advertised.listeners") || !strings.Contains(err.Error(), inside) {
		t.Errorf("got %v", err)
	}
}

// Neither the client library's log at its most detailed level nor a printed error holds a secret.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	const secret = "hunter2"
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_SESSION_TOKEN", secret)
	c := cluster(t, kfake.EnableSASL(), kfake.Superuser(Plain, "u", "other"))
	for _, mechanism := range []string{Plain, Scram256, OAuthBearer, AWSMSKIAM} {
		var log strings.Builder
		p := params(c.ListenAddrs()...)
		p.SASL = SASLParams{
			Mechanism: mechanism, Username: "u", Password: secret, OAuth: token.Params{File: tokenFile(t, secret)},
		}
		opts, err := Options(p, zerolog.New(&lockedWriter{w: &log}).Level(zerolog.TraceLevel))
		if err != nil {
			t.Fatal(err)
		}
		cl := client(t, params(c.ListenAddrs()...), opts...)
		err = Ping(deadline(t), cl)
		cl.Close()
		if err == nil {
			t.Fatal("logged in with the wrong password")
		}
		if log.Len() == 0 || strings.Contains(log.String(), secret) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the login fails with %v; want the secret neither there nor in the log, which is\n%s", mechanism, err, log.String())
		}
	}
}
