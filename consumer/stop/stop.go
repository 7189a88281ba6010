// Package stop has the error that ends a process: it says what happened, and what a person can do. Rooms return it where
// going on could lose or double documents, or where only a person can help. Any other error of a session is answered by
// building the session anew.
package stop

// Error ends the process: going on could lose or double documents, or needs a person.
type Error struct {
	What   string // what happened
	Remedy string // what to do
	Err    error  // the cause, if any
	Config bool   // it is a mistake in the configuration
}

// Error says what happened and what to do.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() error { return e.Err }

// ForPeople takes the error apart: the cause is its text without the remedy, which stands at the end of it.
func (e *Error) ForPeople() (cause, remedy string) { return "", e.Remedy }
