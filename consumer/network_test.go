package consumer

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var errCut = errors.New("the network is cut")

// network is a member's way to the brokers. It can be cut, frozen for a while, hold back requests of one kind, or lose
// answers. Held requests are under way: they arrive when they are let through, though the sender may have given up long
// before.
type network struct {
	mu     sync.Mutex
	links  map[*link]bool
	cut    bool
	gate   chan struct{} // closed while the network is open
	held   map[kmsg.Key]*hold
	losing map[kmsg.Key]*loss
	dialed map[string]bool // the addresses that brokers see
}

// loss is what happens to the next count requests of one kind.
type loss struct {
	count  int
	match  func(kmsg.Request) bool // nil: all of the kind
	unsent bool                    // the request is lost, and not its answer
	err    *kerr.Error             // answered in place of the true answer; nil: the connection breaks
	// If do is not nil, nothing is lost: do is called before the request is sent, or before the answer is delivered.
	do  func()
	met chan struct{} // if not nil, closed at the first such request
}

// hold keeps back the requests of one kind while others pass.
type hold struct {
	met      chan struct{} // closed when a request is kept back
	once     sync.Once
	released chan struct{}
}

func newNetwork() *network {
	n := &network{
		links: map[*link]bool{}, gate: make(chan struct{}), held: map[kmsg.Key]*hold{},
		losing: map[kmsg.Key]*loss{}, dialed: map[string]bool{},
	}
	close(n.gate)
	return n
}

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	broker, err := new(net.Dialer).DialContext(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	client, near := net.Pipe()
	l := &link{
		network: n, near: near, broker: broker, ended: make(chan struct{}), waiting: make(chan struct{}, 1),
		lost: map[uint32]lost{},
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut {
		return nil, errors.Join(errCut, broker.Close(), near.Close())
	}
	n.links[l], n.dialed[broker.LocalAddr().String()] = true, true
	go l.take()
	go l.send()
	go l.receive()
	return client, nil
}

// sever breaks all connections and refuses new ones. To a broker this looks like SIGKILL.
func (n *network) sever() {
	n.mu.Lock()
	n.cut = true
	links := n.links
	n.links = map[*link]bool{}
	n.mu.Unlock()
	for l := range links {
		l.end()
	}
}

// spoke says whether a broker sees this address as one of ours.
func (n *network) spoke(address string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dialed[address]
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

// hold keeps back requests of a kind, and all that follows on their connections, until they are released.
func (n *network) hold(kind kmsg.Key) *hold {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := &hold{met: make(chan struct{}), released: make(chan struct{})}
	n.held[kind] = h
	return h
}

// release lets all requests of a kind through, now and from now on.
func (n *network) release(kind kmsg.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.held[kind].released)
	delete(n.held, kind)
}

// lose loses requests of a kind or their answers.
func (n *network) lose(kind kmsg.Key, l loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losing[kind] = &l
}

// on returns what happens to a request.
func (n *network) on(kind kmsg.Key, request []byte) (*hold, *loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.losing[kind]
	if l == nil || l.count == 0 || l.match != nil && !l.match(decodeRequest(request)) {
		return n.held[kind], nil
	}
	l.count--
	if l.met != nil {
		close(l.met)
		l.met = nil
	}
	return n.held[kind], l
}

func (n *network) open() chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.gate
}

// link is one connection. near is its end towards the client.
type link struct {
	network      *network
	near, broker net.Conn
	once         sync.Once
	ended        chan struct{}

	mu      sync.Mutex
	queue   [][]byte // requests that are under way
	closed  bool     // by the client: no more will come
	waiting chan struct{}
	lost    map[uint32]lost // by the correlation ids of their requests
}

// lost is an answer that is lost, or replaced by another.
type lost struct {
	*loss
	request kmsg.Request
}

func (l *link) end() {
	l.once.Do(func() {
		close(l.ended)
		_, _ = l.near.Close(), l.broker.Close()
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.links, l)
	})
}

// wait waits for a channel, or for the end.
func (l *link) wait(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-l.ended:
		return false
	}
}

// take accepts what the client sends.
func (l *link) take() {
	in := bufio.NewReader(l.near)
	for {
		request, err := frame(in)
		l.mu.Lock()
		if err != nil {
			l.closed = true
		} else {
			l.queue = append(l.queue, request)
		}
		l.mu.Unlock()
		select {
		case l.waiting <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (l *link) send() {
	defer l.end()
	for l.wait(l.waiting) {
		for {
			l.mu.Lock()
			queue, closed := l.queue, l.closed
			l.queue = nil
			l.mu.Unlock()
			if len(queue) == 0 {
				if closed {
					return
				}
				break
			}
			for _, request := range queue {
				if !l.sendOne(request) {
					return
				}
			}
		}
	}
}

func (l *link) sendOne(request []byte) bool {
	h, loss := l.network.on(kmsg.Key(binary.BigEndian.Uint16(request[4:])), request)
	if loss != nil {
		switch {
		case loss.unsent && loss.do == nil:
			return false
		case loss.unsent:
			loss.do()
		default:
			l.mu.Lock()
			l.lost[binary.BigEndian.Uint32(request[8:])] = lost{loss, decodeRequest(request)}
			l.mu.Unlock()
		}
	}
	if h != nil {
		h.once.Do(func() { close(h.met) })
		if !l.wait(h.released) {
			return false
		}
	}
	if !l.wait(l.network.open()) {
		return false
	}
	_, err := l.broker.Write(request)
	return err == nil
}

func (l *link) receive() {
	defer l.end()
	in := bufio.NewReader(l.broker)
	for {
		answer, err := frame(in)
		if err != nil || !l.wait(l.network.open()) {
			return
		}
		l.mu.Lock()
		lost := l.lost[binary.BigEndian.Uint32(answer[4:])]
		l.mu.Unlock()
		if lost.loss != nil {
			switch {
			case lost.do != nil:
				lost.do()
			case lost.err == nil:
				return
			default:
				answer = failed(lost.request, answer, lost.err)
			}
		}
		_, _ = l.near.Write(answer) // a client that is gone needs no answer, and its requests go on
	}
}

// frame reads a request or an answer: a length of 4 bytes, and then as many bytes.
func frame(in io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return nil, err
	}
	all := make([]byte, 4+binary.BigEndian.Uint32(length[:]))
	copy(all, length[:])
	_, err := io.ReadFull(in, all[4:])
	return all, err
}
