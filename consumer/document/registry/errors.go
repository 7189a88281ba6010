package registry

import (
	"errors"
	"fmt"
)

// ErrParams is returned by New for Params that cannot be used.
var ErrParams = errors.New("registry settings")

// ErrUnknown says that the registry does not know a schema.
var ErrUnknown = errors.New("the registry does not know it")

// AwayError says that the registry did not answer the question. No secret is in it.
type AwayError struct {
	Err    error
	Remedy string
}

// Error says why, and what to do.
func (e *AwayError) Error() string {
	return fmt.Sprintf("the schema registry does not answer: %v; %s", e.Err, e.Remedy)
}

// Unwrap returns the cause.
func (e *AwayError) Unwrap() error { return e.Err }

// UnusableError says why a schema that the registry knows cannot be used.
type UnusableError struct{ Err error }

// Error says why.
func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnusableError) Unwrap() error { return e.Err }
