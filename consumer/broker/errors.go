package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
)

// ErrMissing is wrapped by a *Fault about a topic that does not exist.
var ErrMissing = errors.New("the topic does not exist")

// Fault is an error for people: what happened, why, and what to do next.
type Fault struct {
	What   string
	Err    error // why; nil if What says it all
	Remedy string
}

// Error is one line.
func (f *Fault) Error() string {
	s := f.What
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// ForPeople returns cause and remedy separately. The cause is empty, because the error's text without the remedy at its
// end is the cause.
func (f *Fault) ForPeople() (cause, remedy string) { return "", f.Remedy }

// Mistake is a mistake in a topic, and the command that mends it.
type Mistake struct {
	What   string // "retention.ms is 604800000, and must be -1"
	Why    string // "Kafka would delete what a snapshot still needs"
	Remedy string // "kafka-configs.sh ..."
}

// TopicError has all mistakes of a topic.
type TopicError struct {
	Topic    string
	Mistakes []Mistake
}

// Error writes a line for the topic, and for each mistake a line with what and why and a line with the remedy.
func (e *TopicError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "topic %s is not what it must be:", e.Topic)
	for _, m := range e.Mistakes {
		fmt.Fprintf(&b, "\n  - %s: %s\n    %s", m.What, m.Why, m.Remedy)
	}
	return b.String()
}

// ForPeople returns cause and remedy separately: all mistakes, and all commands that mend them.
func (e *TopicError) ForPeople() (cause, remedy string) {
	var causes, remedies []string
	for _, m := range e.Mistakes {
		causes, remedies = append(causes, m.What+": "+m.Why), append(remedies, m.Remedy)
	}
	return fmt.Sprintf("topic %s is not what it must be: %s", e.Topic, strings.Join(causes, "; ")),
		strings.Join(remedies, "; ")
}

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

// Uncoordinated says whether Kafka answers, and has no coordinator yet: it makes the topic of coordinators, as for the
// first group or transaction of a cluster, or reads it.
func Uncoordinated(err error) bool {
	return errors.Is(err, kerr.CoordinatorNotAvailable) || errors.Is(err, kerr.CoordinatorLoadInProgress)
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
