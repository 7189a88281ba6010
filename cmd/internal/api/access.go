package api

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// Access says who may ask.
type Access struct {
	Token    func() string // the one of now; nil: there is none
	Loopback bool          // the server listens on a loopback address only
}

// guard lets requests through that carry the token. Where there is no token, it lets those through that call a loopback
// address by its name: a page of the web that has its own name resolved to this machine is not one of them.
func (a Access) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Token != nil:
			if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok ||
				subtle.ConstantTimeCompare([]byte(given), []byte(a.Token())) != 1 {
				w.Header().Set("WWW-Authenticate", `Bearer realm="unecho"`)
				fail(w, http.StatusUnauthorized, "the request carries no valid token",
					"send the header Authorization: Bearer TOKEN, with the value of http.token")
				return
			}
		case !a.Loopback:
			fail(w, http.StatusForbidden,
				"the API is closed, because http.listen is not a loopback address and there is no token",
				"set http.token, or http.token_file")
			return
		case r.Header.Get("Forwarded") != "" || r.Header.Get("X-Forwarded-For") != "":
			fail(w, http.StatusForbidden, "the request was passed on by a proxy, and there is no token",
				"set http.token, or http.token_file")
			return
		case !loopbackName(r.Host):
			fail(w, http.StatusForbidden, "the request calls this address by another name",
				"use http://localhost, or set http.token")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return loopbackHost(strings.Trim(host, "[]"))
}

func loopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
