package ops

import (
	"net"
	"sync"
)

// Bounds of connections. Those beyond are closed at once, so that no client keeps probes and collectors away.
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
		if b.takes(peer) {
			return &counted{Conn: c, gone: func() { b.leaves(peer) }}, nil
		}
		_ = c.Close() // the client sees that
	}
}

func (b *bounded) takes(peer string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all >= maxConnections || b.ofPeer[peer] >= maxOfPeer {
		return false
	}
	b.all++
	b.ofPeer[peer]++
	return true
}

func (b *bounded) leaves(peer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all--
	if b.ofPeer[peer]--; b.ofPeer[peer] == 0 {
		delete(b.ofPeer, peer)
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	once sync.Once
	gone func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(c.gone)
	return c.Conn.Close()
}
