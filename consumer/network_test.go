package consumer

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

var errCut = errors.New("the network is cut")

// network is how one member reaches the brokers. It can be cut, frozen for a while, or made to lose answers.
type network struct {
	mu     sync.Mutex
	conns  map[*conn]bool
	cut    bool
	gate   chan struct{} // closed: open
	losing map[kmsg.Key]int
}

func newNetwork() *network {
	n := &network{conns: map[*conn]bool{}, gate: make(chan struct{}), losing: map[kmsg.Key]int{}}
	close(n.gate)
	return n
}

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	n.mu.Lock()
	cut := n.cut
	n.mu.Unlock()
	if cut {
		return nil, errCut
	}
	inner, err := new(net.Dialer).DialContext(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, network: n, closed: make(chan struct{}), lost: map[uint32]bool{}}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut {
		return nil, errors.Join(errCut, inner.Close())
	}
	n.conns[c] = true
	return c, nil
}

// sever breaks all connections and lets no new one be made: what SIGKILL looks like from a broker.
func (n *network) sever() {
	n.mu.Lock()
	n.cut = true
	conns := n.conns
	n.conns = map[*conn]bool{}
	n.mu.Unlock()
	for c := range conns {
		c.end()
	}
}

// freeze holds back all that is sent and received until thaw.
func (n *network) freeze() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gate = make(chan struct{})
}

func (n *network) thaw() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.gate)
}

// lose breaks the connection in place of the next count answers to requests of a kind: they took effect, and nobody knows.
func (n *network) lose(kind kmsg.Key, count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losing[kind] = count
}

func (n *network) loses(kind kmsg.Key) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.losing[kind] == 0 {
		return false
	}
	n.losing[kind]--
	return true
}

// conn is one connection. It reads whole answers, so that one can be lost.
type conn struct {
	net.Conn
	network *network
	once    sync.Once
	closed  chan struct{}
	answer  []byte

	mu   sync.Mutex
	lost map[uint32]bool // correlation ids of requests whose answers are lost
}

// wait waits while the network is frozen. What was held back is late, and goes through nevertheless.
func (c *conn) wait() error {
	c.network.mu.Lock()
	gate := c.network.gate
	c.network.mu.Unlock()
	select {
	case <-gate:
		return nil
	default:
	}
	select {
	case <-gate:
		return c.SetWriteDeadline(time.Time{})
	case <-c.closed:
		return errCut
	}
}

// Write takes whole requests: the client writes each at once.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	if len(p) >= 12 && c.network.loses(kmsg.Key(binary.BigEndian.Uint16(p[4:]))) {
		c.mu.Lock()
		c.lost[binary.BigEndian.Uint32(p[8:])] = true
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

func (c *conn) Read(p []byte) (int, error) {
	if len(c.answer) == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.answer)
	c.answer = c.answer[n:]
	return n, nil
}

func (c *conn) next() error {
	var length [4]byte
	if _, err := io.ReadFull(c.Conn, length[:]); err != nil {
		return err
	}
	body := make([]byte, 4+binary.BigEndian.Uint32(length[:]))
	copy(body, length[:])
	if _, err := io.ReadFull(c.Conn, body[4:]); err != nil {
		return err
	}
	if err := c.wait(); err != nil {
		return err
	}
	c.mu.Lock()
	lost := len(body) >= 8 && c.lost[binary.BigEndian.Uint32(body[4:])]
	c.mu.Unlock()
	if lost {
		c.end()
		return errCut
	}
	c.answer = body
	return nil
}

func (c *conn) end() {
	c.once.Do(func() {
		close(c.closed)
		_ = c.Conn.Close()
	})
}

func (c *conn) Close() error {
	c.network.mu.Lock()
	delete(c.network.conns, c)
	c.network.mu.Unlock()
	c.end()
	return nil
}
