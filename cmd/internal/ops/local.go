package ops

import (
	"net"
	"net/http"
	"net/netip"
)

// onlyLocal keeps away everybody who is not on this machine, whatever address is listened on: what it guards changes
// the process or looks into it. Who can open a shell here, or forward a port, may.
func onlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			answer(w, http.StatusForbidden,
				"this is for callers on the same machine: ask 127.0.0.1 from there, for example through kubectl port-forward\n")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// local says whether a request comes from this machine, was not passed on by a proxy, and names no host. A page in a
// browser that was led here by a name of its own would name that.
func local(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, passedOn := range []string{"Forwarded", "X-Forwarded-For"} {
		if r.Header.Get(passedOn) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	_, err = netip.ParseAddr(host)
	return err == nil || host == "localhost"
}
