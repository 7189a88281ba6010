package broker

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Transient says whether the cause of an error may be gone in a moment without anybody doing anything: a broker restarts,
// another one takes over, a transaction is not over yet, a name is not known yet. A wrong password, certificate, missing right or missing topic stays
// until a person comes.
func Transient(err error) bool {
	var code *kerr.Error
	if errors.As(err, &code) {
		return code.Retriable || code == kerr.ConcurrentTransactions
	}
	if why, _ := (connection{}).certificate(err); why != "" { // it may be why a connection breaks
		return false
	}
	var dns *net.DNSError
	var timeout net.Error
	return brokenOff(err) || errors.As(err, &dns) || errors.As(err, &timeout) && timeout.Timeout() ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// brokenOff says whether a connection was made and then broke.
func brokenOff(err error) bool {
	for _, cause := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// Retriable says whether the same request may succeed in a moment: Kafka says so, or has not answered at all. Unlike
// Transient it is for callers that have reached the cluster before.
func Retriable(err error) bool {
	return !errors.As(err, new(*kerr.Error)) || Transient(err)
}

// LookAtLeaders is the remedy of what did not pass in time.
const LookAtLeaders = "see whether all brokers are up and every partition has a leader, those of __consumer_offsets and " +
	"__transaction_state too (kafka-topics.sh --describe --unavailable-partitions); then start again"

// Forbidden says whether this principal lacks a right.
func Forbidden(err error) bool {
	return errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.ClusterAuthorizationFailed)
}
