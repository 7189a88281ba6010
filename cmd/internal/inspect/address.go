package inspect

import (
	"errors"
	"fmt"
	"net"
)

// Address is the address at which this machine reaches a member that listens there.
func Address(listen string, tls bool) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	switch {
	case listen == "":
		return "", errors.New("http.listen is empty, so this member serves no API: name another member with --server")
	case err != nil:
		return "", fmt.Errorf("http.listen: %w", err)
	case port == "0":
		return "", errors.New("http.listen has port 0, so its port is in the log only: give the address with --server")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port), nil
}
