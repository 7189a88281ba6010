package broker

import (
	"errors"
	"fmt"
	"strings"
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
