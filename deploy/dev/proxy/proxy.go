// Package proxy stands between a client and a server on this machine, and treats their connections as networks do: it
// cuts them, loses everything for a while, and is slow.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// chunk is how many bytes pass at a time. A slow proxy lets one chunk pass after each delay.
const chunk = 32 << 10

// Proxy hands connections to one server. Its methods may be called at any time, until Close.
type Proxy struct {
	to     string
	accept sync.WaitGroup
	copies sync.WaitGroup

	mu       sync.Mutex
	address  string
	listener net.Listener // nil after Cut
	conns    map[net.Conn]bool
	delay    time.Duration
	flowing  chan struct{} // closed while bytes pass
}

// New listens on a free port of 127.0.0.1.
func New(ctx context.Context, to string) (*Proxy, error) {
	p := &Proxy{to: to, address: "127.0.0.1:0", conns: map[net.Conn]bool{}, flowing: make(chan struct{})}
	close(p.flowing)
	return p, p.Mend(ctx)
}

// Address returns the address for clients. It stays the same.
func (p *Proxy) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.address
}

// Mend listens, also again after Cut.
func (p *Proxy) Mend(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", p.address)
	if err != nil {
		return fmt.Errorf("listen for %s: %w", p.to, err)
	}
	p.listener, p.address = listener, listener.Addr().String()
	p.accept.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.serve(conn)
		}
	})
	return nil
}

// Cut breaks every connection and refuses new ones, as a stopped server does.
func (p *Proxy) Cut() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close() // it refuses from here on, even if Close fails
		p.listener = nil
	}
	p.mu.Unlock()
	p.accept.Wait()
	p.Break()
}

// Break breaks every connection and accepts new ones.
func (p *Proxy) Break() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close() // the goroutine that copies ends
	}
	clear(p.conns)
}

// Stall keeps connections open and lets nothing through, as a network does that loses everything.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flow()
	p.flowing = make(chan struct{})
}

// Flow ends a stall.
func (p *Proxy) Flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flow()
}

func (p *Proxy) flow() {
	select {
	case <-p.flowing:
	default:
		close(p.flowing)
	}
}

// Slow delays every 32 KiB by that time, in each direction of each connection.
func (p *Proxy) Slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// Close cuts, and waits until all goroutines have ended.
func (p *Proxy) Close() {
	p.Slow(0)
	p.Flow()
	p.Cut()
	p.copies.Wait()
}

func (p *Proxy) serve(conn net.Conn) {
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.to)
	if err != nil {
		_ = conn.Close()
		return
	}
	p.mu.Lock()
	p.conns[conn], p.conns[server] = true, true
	p.mu.Unlock()
	p.copies.Go(func() { p.copy(conn, server) })
	p.copies.Go(func() { p.copy(server, conn) })
}

func (p *Proxy) copy(to, from net.Conn) {
	defer func() {
		_ = errors.Join(to.Close(), from.Close()) // the other direction may have closed them
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, to)
		delete(p.conns, from)
	}()
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		p.hold()
		if _, writeErr := to.Write(buffer[:n]); writeErr != nil || err != nil {
			return
		}
	}
}

// hold waits for the time that a chunk is to be delayed.
func (p *Proxy) hold() {
	p.mu.Lock()
	flowing, delay := p.flowing, p.delay
	p.mu.Unlock()
	<-flowing
	if delay > 0 {
		time.Sleep(delay)
	}
}
