package pipeline

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/sink"
)

// writeError is why an output did not take a record.
type writeError struct {
	topic     string
	partition int32
	err       error
}

// Error implements error.
func (e *writeError) Error() string {
	return fmt.Sprintf("write %s/%d: %v", e.topic, e.partition, e.err)
}

// Unwrap returns the cause.
func (e *writeError) Unwrap() error { return e.err }

// firstError keeps the first error of the promises that it is given to.
type firstError struct{ atomic.Pointer[error] }

func (f *firstError) promise(r *kgo.Record, err error) {
	if err != nil {
		err = &writeError{r.Topic, r.Partition, err}
		f.CompareAndSwap(nil, &err)
	}
}

// refused chooses why a batch was refused: by the first refusal of an output, or of the topic of verdicts or clusters.
func (b *Batch) refused(failed, untold, unclustered *error) error {
	switch {
	case failed != nil:
		return *failed
	case untold != nil:
		return b.besides("verdicts", *untold, sink.MaxVerdictBytes)
	case unclustered != nil:
		return b.besides("clusters", *unclustered, sink.MaxClusterBytes)
	}
	return nil
}

// besides says why a topic refused a record that goes there besides the output of a document. Most is how large one is.
func (b *Batch) besides(what string, err error, most int) error {
	switch {
	case b.presentRefused(err):
		return fmt.Errorf("the %s' topic refuses the present time", what) // this passes
	case final(err): // each is small and has the present time, so no other output of the document would change that
		return &stop.Error{
			What: fmt.Sprintf("the %s' topic (outputs.%s) refuses a record", what, what), Err: err,
			Remedy: fmt.Sprintf("raise max.message.bytes of that topic to %d", most),
		}
	}
	return err
}

// Refusal tells the protocol why an output did not take a record. It is nil if all records were taken.
func (b *Batch) Refusal() *protocol.Refusal {
	if b.Cause == nil {
		return nil
	}
	return &protocol.Refusal{Transient: !final(b.Cause), Untimely: b.Untimely()}
}

// Untimely says that a timestamp was refused.
func (b *Batch) Untimely() bool { return untimely(b.Cause) }

// Hopeless is the error that ends a process when not even the rejected topic takes a document. It is none of stop's where
// another try may succeed.
func (b *Batch) Hopeless() error {
	if b.presentRefused(b.Cause) {
		return fmt.Errorf("the rejected topic refuses the present time: %w", b.Cause)
	}
	a, d := b.First()
	document := fmt.Sprintf("%s/%d/%d", a.Topic, a.Source.Partition, d.Entry.Offset)
	if b.Untimely() {
		return &stop.Error{
			What: fmt.Sprintf("the rejected topic refuses %s also without a time", document),
			Remedy: "raise message.timestamp.before.max.ms and .after.max.ms of the rejected topic, and compare the clocks of " +
				"this machine and the brokers", Err: b.Cause,
		}
	}
	return &stop.Error{
		What:   fmt.Sprintf("the rejected topic refuses %s even without its value", document),
		Remedy: "raise max.message.bytes of the rejected topic", Err: b.Cause,
	}
}

// presentRefused says that another try may succeed because a topic has refused the present time.
func (b *Batch) presentRefused(cause error) bool {
	var by *writeError
	return untimely(cause) && errors.As(cause, &by) && b.pipeline.Clock.RefusedPresent(by.topic, b.present, cause)
}

// final says that an output will refuse the same record again.
func final(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) ||
		errors.Is(err, kerr.InvalidRecord) ||
		errors.Is(err, kerr.InvalidTimestamp) || errors.Is(err, kerr.CorruptMessage)
}

func untimely(err error) bool { return errors.Is(err, kerr.InvalidTimestamp) }
