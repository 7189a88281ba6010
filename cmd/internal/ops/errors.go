package ops

import (
	"errors"
	"net"
	"syscall"

	"github.com/unecho/unecho/consumer/stop"
)

// cannotListen says why ops cannot listen at http.listen, and what to do.
func cannotListen(listen string, err error) error {
	return &stop.Error{
		What: "listen for health and metrics on http.listen " + listen, Err: bare(err),
		Remedy: listenRemedy(err),
	}
}

func listenRemedy(err error) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another process has this port, perhaps another unecho: set http.listen to a free one, to port 0 for any, or " +
			"to nothing for none"
	case errors.Is(err, syscall.EACCES):
		return "this user may not open that port: set http.listen to one above 1023"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &unknown):
		return "this machine has no such address: set http.listen to 127.0.0.1:9464, or to :9464 to be reached from outside"
	}
	return "set http.listen to host:port, such as 127.0.0.1:9464, or to nothing for none"
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
