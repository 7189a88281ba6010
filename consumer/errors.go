package consumer

import (
	"errors"
	"fmt"
)

// errRebuild is wrapped by what a session answers by closing itself and building a new one: unknown outcomes, epochs that
// changed, fenced producers. Nothing is lost by that, and nothing is trusted that was in memory.
var errRebuild = errors.New("session is rebuilt")

var (
	// ErrBusy says that as many lookups wait as may: ask again later.
	ErrBusy = errors.New("too many lookups wait for the replica")
	// ErrNoReplica says that the replica is not restored yet, or follows the journal no more.
	ErrNoReplica = errors.New("the replica is not at work")
)

// StopError ends the process: going on could lose or double documents, or needs a person.
type StopError struct {
	What   string // what happened
	Remedy string // what to do
	Err    error  // the cause, if any
}

// Error says what happened and what to do.
func (e *StopError) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Remedy != "" {
		s += "\n  " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *StopError) Unwrap() error { return e.Err }

// rebuildError is errRebuild with its reason.
type rebuildError struct{ because error }

// Error says the reason only: that a session is rebuilt, or why it cannot be, says who reads it.
func (e *rebuildError) Error() string { return e.because.Error() }

// Unwrap returns both.
func (e *rebuildError) Unwrap() []error { return []error{errRebuild, e.because} }

func rebuild(format string, args ...any) error { return &rebuildError{fmt.Errorf(format, args...)} }
