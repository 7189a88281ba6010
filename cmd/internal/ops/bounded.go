package ops

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Bounds of connections. Where there are so many, the one that has been idle the longest makes room for the next, so
// that no client keeps probes and collectors away by holding connections. Only if all have a request that is being
// answered, the next is closed at once.
const (
	maxConnections = 512
	maxOfPeer      = 128
)

// bounded accepts so many connections, and so many of one address.
type bounded struct {
	net.Listener

	mu     sync.Mutex
	all    int
	ofPeer map[string]int
	idle   list.List // of *counted without a request that is being answered, the longest idle first
}

func newBounded(l net.Listener) *bounded { return &bounded{Listener: l, ofPeer: map[string]int{}} }

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil {
			peer = c.RemoteAddr().String()
		}
		if taken := b.takes(c, peer); taken != nil {
			return taken, nil
		}
		_ = c.Close() // the client sees that
	}
}

// takes counts a connection, and closes another one for it if need be. It returns nil if there is no place.
func (b *bounded) takes(c net.Conn, peer string) *counted {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ofPeer[peer] >= maxOfPeer && !b.makesRoom(func(c *counted) bool { return c.peer == peer }) {
		return nil
	}
	if b.all >= maxConnections && !b.makesRoom(func(*counted) bool { return true }) {
		return nil
	}
	b.all++
	b.ofPeer[peer]++
	taken := &counted{Conn: c, of: b, peer: peer}
	taken.place = b.idle.PushBack(taken)
	return taken
}

// makesRoom closes the longest idle connection that fits. The caller holds mu.
func (b *bounded) makesRoom(fits func(*counted) bool) bool {
	for e := b.idle.Front(); e != nil; e = e.Next() {
		if c, _ := e.Value.(*counted); fits(c) {
			b.leaves(c)
			_ = c.Conn.Close() // whoever reads from it sees that
			return true
		}
	}
	return false
}

// leaves no longer counts a connection. The caller holds mu.
func (b *bounded) leaves(c *counted) {
	if c.gone {
		return
	}
	c.gone = true
	c.rests(false)
	b.all--
	if b.ofPeer[c.peer]--; b.ofPeer[c.peer] == 0 {
		delete(b.ofPeer, c.peer)
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	of   *bounded
	peer string

	// under the lock of the bounded
	place *list.Element // in its idle; nil: a request is being answered
	gone  bool
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.of.mu.Lock()
	c.of.leaves(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// rests notes that a request has been answered, or begins to be. The caller holds the lock.
func (c *counted) rests(idle bool) {
	switch {
	case idle && c.place == nil && !c.gone:
		c.place = c.of.idle.PushBack(c)
	case !idle && c.place != nil:
		c.of.idle.Remove(c.place)
		c.place = nil
	}
}

// connectionKey is where the context of a request has its *counted.
type connectionKey struct{}

// onConnection is for http.Server.ConnContext.
func onConnection(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// busy keeps the connection of a request from making room while it is answered.
func busy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*counted); ok {
			c.change(false)
			defer c.change(true)
		}
		next.ServeHTTP(w, r)
	})
}

func (c *counted) change(idle bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.rests(idle)
}
