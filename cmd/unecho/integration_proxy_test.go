package main

import (
	"context"
	"net"
	"sync"
	"testing"
)

// proxy stands between unecho and a server, and can be cut, stalled and mended.
type proxy struct {
	t      *testing.T
	to     string
	accept sync.WaitGroup
	copies sync.WaitGroup

	mu       sync.Mutex
	address  string
	listener net.Listener
	conns    map[net.Conn]bool
	flowing  chan struct{} // closed while bytes flow
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{t: t, to: to, address: "127.0.0.1:0", conns: map[net.Conn]bool{}, flowing: make(chan struct{})}
	close(p.flowing)
	p.mend()
	t.Cleanup(func() {
		p.flow()
		p.cut()
		p.copies.Wait()
	})
	return p
}

// mend listens, again if it was cut.
func (p *proxy) mend() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.address)
	check(p.t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
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
}

// cut breaks every connection and refuses new ones, as a server does that has been stopped.
func (p *proxy) cut() {
	p.mu.Lock()
	_ = p.listener.Close() // it may be closed already
	p.mu.Unlock()
	p.accept.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
}

// stall keeps connections open and lets nothing through, as a network does that loses everything.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flowing = make(chan struct{})
}

// flow ends a stall.
func (p *proxy) flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flowing:
	default:
		close(p.flowing)
	}
}

func (p *proxy) serve(conn net.Conn) {
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

func (p *proxy) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		flowing := p.flowing
		p.mu.Unlock()
		<-flowing
		if _, writeErr := to.Write(buffer[:n]); writeErr != nil || err != nil {
			return
		}
	}
}
