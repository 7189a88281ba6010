package token

// Error says why there is no token. Neither What nor the cause holds a secret.
type Error struct {
	What   string
	Err    error // why; nil if What says it all
	Remedy string
}

// Error says what happened, and why.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.What + ": " + e.Err.Error()
	}
	return e.What
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary makes the Kafka client try again, because the issuer of tokens may be away for a while.
func (e *Error) Temporary() bool { return true }
