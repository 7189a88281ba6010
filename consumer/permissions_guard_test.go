package consumer

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/unecho/unecho/index/snapshot"
)

// refusals passes a log on and keeps the first line about a missing right.
type refusals struct {
	mu    sync.Mutex
	first string
	met   chan struct{} // closed when that line has come
}

func (r *refusals) Write(line []byte) (int, error) {
	loud := !bytes.Contains(line, []byte(`"level":"debug"`)) && !bytes.Contains(line, []byte(`"level":"info"`))
	r.mu.Lock()
	defer r.mu.Unlock()
	if loud && r.first == "" && bytes.Contains(line, []byte("AUTHORIZATION_FAILED")) {
		r.first = string(line)
		close(r.met)
	}
	return len(line), nil
}

// guarded is a world whose cluster grants the service only the given rights.
type guarded struct {
	*world
	base     []kgo.Opt
	refusals *refusals
}

func newGuarded(t *testing.T, rights []right) *guarded {
	t.Helper()
	var acls []kfake.ACL
	for _, r := range rights {
		acls = append(acls, r.acl(t))
	}
	w := newWorld(t, 1, kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "a"),
		kfake.User("PLAIN", "unecho", "u", acls...))
	g := &guarded{world: w, base: w.setup.Kafka, refusals: &refusals{met: make(chan struct{})}}
	w.setup.Kafka = g.as("admin", "a")
	w.setup.Params.Sessions = 1
	w.setup.Sources[0].Reading.MaxBytes = 4 << 10
	w.setup.Snapshot.For = snapshot.ByAll // so that the journal is trimmed
	w.setup.Snapshot.Every = 50 * time.Millisecond
	return g
}

func (g *guarded) as(user, password string) []kgo.Opt {
	return append(slices.Clone(g.base), kgo.MetadataMaxAge(250*time.Millisecond),
		kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism()))
}

// unprivileged lets a member run as the user whose rights are listed.
func (g *guarded) unprivileged(s *Setup) {
	s.Kafka = g.as("unecho", "u")
	s.Logger = zerolog.New(g.refusals)
}

// fill sends documents for all three outputs.
func (g *guarded) fill() {
	text := strings.Repeat("the same text once more ", 10)
	g.send(
		&kgo.Record{Value: []byte(text)}, &kgo.Record{Value: []byte(text)},
		&kgo.Record{Value: bytes.Repeat([]byte("x"), 5<<10)},
	)
}

func (g *guarded) works() {
	g.t.Helper()
	g.fill()
	m := g.start(g.unprivileged)
	g.settled()
	g.ended(m)
	if g.refusals.first != "" {
		g.t.Errorf("refused: %s", g.refusals.first)
	}
}
