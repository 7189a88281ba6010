package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/consumer/certificate"
)

// Open opens a client, which the caller closes, once Kafka gives a sign of life.
func Open(ctx context.Context, opts ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	if err := Ping(ctx, client); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

const pingWithin = 10 * time.Second

// Ping asks Kafka for a sign of life, once; a client by itself would try for ever. It asks first at the addresses of
// the settings, and then at those under which the brokers say they are reached. One answer of each kind is enough. An
// error is a *Fault.
func Ping(ctx context.Context, cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	fresh := connectionOf(cl)
	fresh.unproven = true
	brokers, err := anyOf(ctx, cl.SeedBrokers(), ask)
	if err != nil {
		return fresh.explain("cannot reach Kafka at "+strings.Join(seeds(cl), ", "), err)
	}
	if _, err := anyOf(ctx, brokers, dial); err != nil {
		f := fresh.explain(fmt.Sprintf("Kafka answers at %s, but not where its brokers say they are, %s",
			strings.Join(seeds(cl), ", "), strings.Join(brokers, ", ")), err)
		f.Remedy = "let advertised.listeners of the brokers name addresses that this machine reaches"
		return f
	}
	return nil
}

// ask returns the addresses of the cluster's brokers.
func ask(ctx context.Context, seed *kgo.Broker) ([]string, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none, where null is all
	resp, err := seed.Request(ctx, req)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range resp.(*kmsg.MetadataResponse).Brokers {
		out = append(out, net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
	}
	return out, nil
}

// dial finds the commonest mistake with Kafka in a container: the broker answers, and sends clients to a name that they
// cannot reach.
func dial(ctx context.Context, address string) (struct{}, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return struct{}{}, err
	}
	return struct{}{}, conn.Close()
}

// anyOf asks all at the same time and returns the first good answer. It does not ask in turn, because a silent one must
// not use up the time of the others. If there is no good answer, it returns the last error, but prefers one that says
// more than that time ran out.
func anyOf[B, A any](ctx context.Context, all []B, ask func(context.Context, B) (A, error)) (A, error) {
	type result struct {
		answer A
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan result, len(all)) // room for all, so that none waits for us
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	for _, b := range all {
		asked.Go(func() {
			answer, err := ask(ctx, b)
			results <- result{answer, err}
		})
	}
	var last result
	for range all {
		r := <-results
		if r.err == nil {
			return r.answer, nil
		}
		if last.err == nil || !errors.Is(r.err, context.DeadlineExceeded) {
			last = r
		}
	}
	return last.answer, last.err
}

func (c connection) explain(what string, err error) *Fault {
	f := &Fault{What: what, Err: err}
	for _, find := range []func(error) (string, string){c.login, c.certificate, c.dial, c.protocol} {
		if why, remedy := find(err); remedy != "" {
			f.Err, f.Remedy = &reason{why, err}, remedy
			return f
		}
	}
	f.Remedy = "check that all brokers are up"
	return f
}

// reason puts our words before a cause that callers can still test for.
type reason struct {
	why string
	err error
}

func (r *reason) Error() string { return r.why }
func (r *reason) Unwrap() error { return r.err }

// connection is what is known of our side of a connection.
type connection struct {
	tls      bool
	sasl     string
	unproven bool // nobody has answered to this TLS and login yet
}

func connectionOf(cl *kgo.Client) connection {
	c := connection{sasl: NoSASL}
	if all, _ := cl.OptValue(kgo.SASL).([]sasl.Mechanism); len(all) > 0 {
		c.sasl = all[0].Name()
	}
	if logger, is := cl.OptValue(kgo.WithLogger).(*clientLogger); is { // that of Options
		c.tls = logger.tls
	}
	return c
}

func (c connection) login(err error) (why, remedy string) {
	var none *token.Error
	switch {
	case errors.As(err, &none):
		return none.Error(), none.Remedy
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return "it refuses the login with " + c.sasl,
			"check kafka.sasl: user name, password or token, and that the user exists for this mechanism"
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return "it does not know the login " + c.sasl,
			"set kafka.sasl.mechanism to one of the broker's sasl.enabled.mechanisms"
	case errors.Is(err, kerr.IllegalSaslState):
		return "it does not expect a login at this port", "set kafka.sasl.mechanism: none, or use the port of a SASL listener"
	case errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.TopicAuthorizationFailed):
		return "the login works, and this user has no rights", "grant this user the ACLs in deploy/"
	}
	return "", ""
}

func (c connection) certificate(err error) (why, remedy string) {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var remote *net.OpError
	var record tls.RecordHeaderError
	var refused *certificate.Refused
	switch {
	case errors.As(err, &refused):
		return refused.Why, refused.Remedy
	case errors.As(err, &authority):
		return "its certificate is signed by an authority we do not know",
			"name the authority's PEM file in kafka.tls.ca_file"
	case errors.As(err, &host):
		return host.Error(), "use a name that is in the certificate in kafka.brokers, and in advertised.listeners of the brokers"
	case errors.As(err, &invalid):
		return invalid.Error(), "have Kafka's certificate renewed"
	case errors.As(err, &record):
		return "it does not speak TLS at this port", "set kafka.tls.enabled: false, or use the port of an SSL listener"
	case errors.As(err, &remote) && remote.Op == "remote error":
		return "it breaks off: " + remote.Err.Error(),
			"for mutual TLS, name a certificate that Kafka trusts in kafka.tls.cert_file and key_file"
	case strings.Contains(err.Error(), "tls: "):
		return err.Error(), "check kafka.tls against the broker's listener"
	}
	return "", ""
}

func (c connection) dial(err error) (why, remedy string) {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no host named " + dns.Name, "correct kafka.brokers"
	case errors.As(err, &dns):
		return dns.Error(), "see whether name resolution works on this machine"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there", "start Kafka, or correct kafka.brokers"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no way to it from this machine", "correct kafka.brokers, or check the network"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it does not answer in time",
			"check address and port in kafka.brokers, and firewalls on the way; a port that expects TLS may also stay silent"
	}
	return "", ""
}

// protocol is for connections that are made and then break. If nobody has answered yet, the other side may expect
// another protocol, which can only be guessed. Otherwise the broker is starting or stopping.
func (c connection) protocol(err error) (why, remedy string) {
	switch {
	case !brokenOff(err):
		return "", ""
	case !c.unproven:
		return "the connection broke",
			"check that all brokers are up, and what is on the way to it: a broker that stops breaks its connections"
	case c.tls && (c.sasl == NoSASL || strings.Contains(err.Error(), "immediately after a dial")):
		return "it hangs up on TLS",
			"set kafka.tls.enabled: false, or use the port of an SSL listener; or wait, if it is just starting"
	case !c.tls && (c.sasl == NoSASL || strings.Contains(err.Error(), "TLS")):
		return "it hangs up on us: it expects TLS or a login at this port, or is just starting",
			"set kafka.tls.enabled: true or kafka.sasl.mechanism, use another port, or wait"
	}
	return "it hangs up during the login with " + c.sasl,
		"check kafka.sasl: user name and password, and that this port expects a login"
}
