package ops

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/stop"
)

// Bounds on how long a client can hold up the server: requests are a line and some headers, answers some ten kilobytes.
const (
	headerTimeout   = 5 * time.Second
	readTimeout     = 10 * time.Second
	writeTimeout    = 30 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = time.Second
	maxHeaderBytes  = 16 << 10
)

// Server answers requests of people, probes and collectors about one process.
type Server struct {
	listen    string
	shows     *Certificate // nil: it speaks no TLS
	api       API          // nil: there is none
	handler   http.Handler
	logger    zerolog.Logger
	listening chan struct{} // closed when addr is final
	addr      string
}

// API answers requests. Run does what it needs beside that, while the server serves.
type API interface {
	http.Handler
	Run(ctx context.Context)
}

// Setup is what a server shows. Both functions are called with each request, from many goroutines.
type Setup struct {
	Stats   func() consumer.Stats
	Ready   func() bool
	Clients *Clients     // of Kafka; nil: they are not counted
	API     API          // answers what is below /api/; nil: nothing does
	Page    http.Handler // answers browsers at /, and what is below /page/; nil: nothing does
	Version string
	Logger  zerolog.Logger

	Certificate *Certificate // nil: no TLS

	Profiles bool // serve /debug/pprof
}

// New builds a server for the address listen. It starts nothing.
func New(listen string, setup Setup) *Server {
	return &Server{
		listen: listen, shows: setup.Certificate, api: setup.API, logger: setup.Logger,
		listening: make(chan struct{}), handler: newHandler(setup),
	}
}

// Serve listens at once and answers until ctx is done. Requests begun by then are finished, within a bound, and Serve
// returns nil. It returns a *stop.Error if it cannot listen at the address. Call it once.
func (s *Server) Serve(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err == nil {
		s.addr = listener.Addr().String()
	}
	close(s.listening)
	if err != nil && ctx.Err() != nil {
		return nil // stopped before it began
	}
	if err != nil {
		return cannotListen(s.listen, err)
	}
	s.logger.Info().Str("address", s.addr).Msg("serving /live, /ready, /metrics, /api/v1 and a page for browsers at /")
	server := &http.Server{
		Handler: busy(s.handler), ConnContext: onConnection, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: log.New(newTroubles(s.logger), "", 0),
	}
	var serveErr error
	served := make(chan struct{})
	var beside sync.WaitGroup
	defer beside.Wait()
	running, stop := context.WithCancel(ctx)
	defer stop()
	if s.api != nil {
		beside.Go(func() { s.api.Run(running) })
	}
	go func() {
		defer close(served)
		serveErr = server.Serve(s.secured(newBounded(listener)))
	}()
	select {
	case <-served:
		return fmt.Errorf("serve health and metrics: %w", serveErr)
	case <-ctx.Done():
	}
	s.end(ctx, server)
	<-served
	return nil
}

// secured speaks TLS on a listener, where there is a certificate. The handshake has the time of a header.
func (s *Server) secured(listener net.Listener) net.Listener {
	if s.shows == nil {
		return listener
	}
	return tls.NewListener(listener, s.shows.config())
}

// end lets requests finish that have begun, and cuts off those that take too long.
func (s *Server) end(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(ctx) == nil {
		return
	}
	err := server.Close()
	s.logger.Warn().Err(err).Msg("requests for health or metrics were cut off by the end of the process")
}

// Addr returns the address that Serve listens on, with the port it was given for port 0. It waits until Serve listens,
// and returns nothing if that failed.
func (s *Server) Addr() string {
	<-s.listening
	return s.addr
}

// URL returns the address at which a browser on this machine reaches the server, and waits as Addr does.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.Addr())
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if s.shows != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port) + "/"
}

// cannotListen says why ops cannot listen at http.listen, and what to do.
func cannotListen(listen string, err error) error {
	return &stop.Error{
		What: "listen for health and metrics on http.listen " + listen, Err: bare(err),
		Remedy: listenRemedy(err),
	}
}

func listenRemedy(err error) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another process has this port, perhaps another unecho: set http.listen to a free one, to port 0 for any, or " +
			"to nothing for none"
	case errors.Is(err, syscall.EACCES):
		return "this user may not open that port: set http.listen to one above 1023"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &unknown):
		return "this machine has no such address: set http.listen to 127.0.0.1:9464, or to :9464 to be reached from outside"
	}
	return "set http.listen to host:port, such as 127.0.0.1:9464, or to nothing for none"
}

// bare drops the operation and the address, which the message already names.
func bare(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var address *net.AddrError
	if errors.As(err, &address) {
		return errors.New(address.Err)
	}
	return err
}

// Bounds of complaints in the log: whoever reaches the address can cause them.
const (
	maxComplaints   = 10
	complaintsEvery = time.Minute
)

// troubles writes the complaints of net/http and of the metrics library into the log, so many in a while.
type troubles struct {
	logger zerolog.Logger
	now    func() time.Time

	mu      sync.Mutex
	began   time.Time
	told    int
	leftOut int
}

func newTroubles(logger zerolog.Logger) *troubles { return &troubles{logger: logger, now: time.Now} }

// Write logs one complaint.
func (t *troubles) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.began) >= complaintsEvery {
		t.began, t.told = now, 0
	}
	if t.told++; t.told > maxComplaints {
		t.leftOut++
		return len(p), nil
	}
	e := t.logger.Warn().Bytes("because", p)
	if t.leftOut > 0 {
		e.Int("left_out", t.leftOut)
		t.leftOut = 0
	}
	e.Msg("a request for health or metrics went wrong")
	return len(p), nil
}

// Println logs one complaint.
func (t *troubles) Println(v ...any) { _, _ = fmt.Fprint(t, v...) }
