package ops

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// ListenError says why ops cannot listen at ops.listen, and what to do.
type ListenError struct {
	Listen string
	Err    error
}

// Error is written for the terminal.
func (e *ListenError) Error() string {
	return fmt.Sprintf("listen for health and metrics on ops.listen %s: %v\n  %s", e.Listen, bare(e.Err), e.remedy())
}

// Unwrap returns the cause.
func (e *ListenError) Unwrap() error { return e.Err }

func (e *ListenError) remedy() string {
	var unknown *net.DNSError
	switch {
	case errors.Is(e.Err, syscall.EADDRINUSE):
		return "another process has this port, perhaps another unecho: set ops.listen to a free one, to port 0 for any, or to nothing for none"
	case errors.Is(e.Err, syscall.EACCES):
		return "this user may not open that port: set ops.listen to one above 1023"
	case errors.Is(e.Err, syscall.EADDRNOTAVAIL), errors.As(e.Err, &unknown):
		return "this machine has no such address: set ops.listen to 127.0.0.1:9464, or to :9464 to be reached from outside"
	}
	return "set ops.listen to host:port, such as 127.0.0.1:9464, or to nothing for none"
}

// bare drops the operation and the address, which the message already names.
func bare(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var address *net.AddrError
	if errors.As(err, &address) {
		return errors.New(address.Err)
	}
	return err
}
