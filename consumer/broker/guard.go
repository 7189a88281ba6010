package broker

import (
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// guard closes connections that do not speak Kafka before they reach the embedded broker. The broker trusts the length
// and the kind of a request, so stray bytes (a browser, a port scanner) would take its memory or end the process.
type guard struct{ net.Listener }

// Accept implements net.Listener.
func (g guard) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &guarded{Conn: c}, nil
}

// maxRequest is Kafka's default for socket.request.max.bytes.
const maxRequest = 100 << 20

var errNotKafka = errors.New("not a Kafka request")

// guarded reads a stream of requests. Each is a length and then as many bytes:
//
//	┌────────┬──────────┬─────────┬─────────────┬─────
//	│ length │ api key  │ version │ correlation │ ...
//	│ 4      │ 2        │ 2       │ 4           │
//	└────────┴──────────┴─────────┴─────────────┴─────
type guarded struct {
	net.Conn
	head [8]byte
	held []byte // bytes of head that are not handed out yet
	rest int    // bytes of the request behind head that are still to come
}

// Read implements io.Reader. Only one goroutine reads a connection.
func (g *guarded) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(g.held) == 0 && g.rest == 0 {
		if err := g.next(); err != nil {
			return 0, err
		}
	}
	if len(g.held) > 0 {
		n := copy(p, g.held)
		g.held = g.held[n:]
		return n, nil
	}
	n, err := g.Conn.Read(p[:min(len(p), g.rest)])
	g.rest -= n
	return n, err
}

func (g *guarded) next() error {
	if _, err := io.ReadFull(g.Conn, g.head[:]); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(g.head[:])
	kind := kmsg.Key(binary.BigEndian.Uint16(g.head[4:])) // checked by RequestForKey
	version := binary.BigEndian.Uint16(g.head[6:])
	if length < 10 || length > maxRequest {
		return errNotKafka
	}
	// ApiVersions may come in any version, because the answer tells which ones we know.
	request := kmsg.RequestForKey(int16(kind))
	if request == nil || kind != kmsg.ApiVersions && int(version) > int(request.MaxVersion()) {
		return errNotKafka
	}
	g.held, g.rest = g.head[:], int(length)-4
	return nil
}
