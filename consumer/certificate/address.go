package certificate

import (
	"net"
	"net/url"
)

// Loopback says whether only this machine can reach a host, so that what is sent there need not be encrypted. Go's client
// sends requests to LOCALHOST through a proxy, so that is no loopback.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Shown returns an address without the password that may be in it.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Redacted()
}
