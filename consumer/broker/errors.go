package broker

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMissing is what a *Fault wraps when a topic does not exist.
var ErrMissing = errors.New("the topic does not exist")

// Fault is an error for people: what happened, why, and what to do next.
type Fault struct {
	What   string
	Err    error // why; nil where What says it all
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

// ForPeople takes the error apart: the cause is its text without the remedy, which stands at the end of it.
func (f *Fault) ForPeople() (cause, remedy string) { return "", f.Remedy }

// Mistake is one thing that is wrong with a topic, and the command that mends it.
type Mistake struct {
	What   string // "retention.ms is 604800000, and must be -1"
	Why    string // "Kafka would delete what a snapshot still needs"
	Remedy string // "kafka-configs.sh ..."
}

// TopicError says everything that is wrong with a topic.
type TopicError struct {
	Topic    string
	Mistakes []Mistake
}

// Error has a line for the topic, and for each mistake one for what and why, and one for the remedy.
func (e *TopicError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "topic %s is not what it must be:", e.Topic)
	for _, m := range e.Mistakes {
		fmt.Fprintf(&b, "\n  - %s: %s\n    %s", m.What, m.Why, m.Remedy)
	}
	return b.String()
}

// ForPeople takes the error apart: what is wrong, and all that mends it.
func (e *TopicError) ForPeople() (cause, remedy string) {
	var causes, remedies []string
	for _, m := range e.Mistakes {
		causes, remedies = append(causes, m.What+": "+m.Why), append(remedies, m.Remedy)
	}
	return fmt.Sprintf("topic %s is not what it must be: %s", e.Topic, strings.Join(causes, "; ")), strings.Join(remedies, "; ")
}
