package broker

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

func TestPassing(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{refused, true},
		{&Fault{What: "cannot reach Kafka", Err: &reason{"nothing listens there", refused}, Remedy: "start it"}, true},
		{fmt.Errorf("read: %w", io.EOF), true},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, true},
		{&net.DNSError{Name: "kafka-0.kafka", IsNotFound: true}, true},
		{context.DeadlineExceeded, true},
		{kerr.NotController, true},
		{kerr.LeaderNotAvailable, true},
		{fmt.Errorf("fence: %w", kerr.ConcurrentTransactions), true},
		{&Fault{What: "cannot describe topic news", Err: kerr.CoordinatorNotAvailable}, true},
		{kerr.SaslAuthenticationFailed, false},
		{kerr.TopicAuthorizationFailed, false},
		{kerr.InvalidReplicationFactor, false},
		{&Fault{What: "cannot find news", Err: ErrMissing}, false},
		{&TopicError{Topic: "journal"}, false},
		{x509.UnknownAuthorityError{}, false},
		{context.Canceled, false},
		{errors.New("else"), false},
	} {
		if got := Transient(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

// A connection that breaks after the broker has answered tells nothing about TLS or a login.
func TestBrokenConnectionIsNoTLS(t *testing.T) {
	for _, c := range []connection{{sasl: NoSASL}, {tls: true, sasl: NoSASL}} {
		for _, err := range []error{
			io.EOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed,
			fmt.Errorf("read: %w", io.ErrUnexpectedEOF),
		} {
			why, remedy := c.protocol(err)
			if why != "the connection broke" || remedy == "" || strings.Contains(remedy, "tls") {
				t.Errorf("protocol(%v) of %+v is %q, with the remedy %q; want that the connection broke, and a remedy without tls",
					err, c, why, remedy)
			}
		}
	}
}
