package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// Dial connects to a server, and shakes hands with it by the files as they are now.
func (f *Files) Dial(ctx context.Context, by *net.Dialer, network, address string) (net.Conn, error) {
	c, err := (&tls.Dialer{NetDialer: by, Config: f.Config()}).DialContext(ctx, network, address)
	if err != nil {
		return nil, f.explain(err)
	}
	return &conn{Conn: c, files: f}, nil
}

// conn is a connection that says why it ends: in TLS 1.3 the other side looks at our certificate when our part of the
// handshake is over. While it is open, it has an eye on when that expires.
type conn struct {
	net.Conn
	files *Files
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.files.look(time.Now())
	if err != nil {
		err = c.files.explain(err)
	}
	return n, err
}

// remote is what the other side said when it broke a connection off; empty: it said nothing.
func remote(err error) string {
	var e *net.OpError
	if errors.As(err, &e) && e.Op == "remote error" {
		return e.Err.Error()
	}
	return ""
}
