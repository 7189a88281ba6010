package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/unecho/unecho/deploy/dev/proxy"
)

// edition is a schema of News as the registry knows it. Each writes the text by another number.
type edition struct {
	id   uint32
	body protowire.Number
}

// editions are registered one after another, and the one of now is what is written.
type editions struct {
	s    *scene
	to   *sr.Client
	made int
	now  atomic.Pointer[edition]
	// written counts the values.
	written atomic.Int64
}

// next registers an edition with a type of its own in another schema, to which it refers.
func (e *editions) next() {
	e.s.t.Helper()
	e.made++
	body, lib := protowire.Number(e.made+1), fmt.Sprintf("%s-meta-%d", e.s.name, e.made)
	create := func(subject, text string, references ...sr.SchemaReference) uint32 {
		made, err := e.to.CreateSchema(e.s.bounded(), subject, sr.Schema{Type: sr.TypeProtobuf, Schema: text, References: references})
		check(e.s.t, err)
		return uint32(made.ID)
	}
	create(lib, fmt.Sprintf(`syntax = "proto3"; package meta%d; message Meta { string lang = 1; }`, e.made))
	id := create(fmt.Sprintf("%s-value-%d", e.s.source, e.made), fmt.Sprintf(`syntax = "proto3"; package news; import "meta.proto";
		message News { meta%d.Meta meta = 1; string body = %d; }`, e.made, body),
		sr.SchemaReference{Name: "meta.proto", Subject: lib, Version: 1})
	e.now.Store(&edition{id, body})
}

// write writes a text in the edition of now, framed as Confluent's serializers do.
func (e *editions) write(text []byte) []byte {
	now := e.now.Load()
	e.written.Add(1)
	value := append(binary.BigEndian.AppendUint32([]byte{0}, now.id), 0) // the first message of the schema
	value = protowire.AppendBytes(protowire.AppendTag(value, 1, protowire.BytesType), []byte("\x0a\x02en"))
	return protowire.AppendBytes(protowire.AppendTag(value, now.body, protowire.BytesType), text)
}

func TestProtobufUnderKills(t *testing.T)     { protobufUnderKills(t, 2) }
func TestProtobufUnderKillsLong(t *testing.T) { protobufUnderKills(t, 8) }

// protobufUnderKills has the schema of values of Protobuf change in each round while the registry hangs or is gone, and
// processes are killed then: what waits for a schema comes out when the registry answers. None is rejected but documents
// without a value.
func protobufUnderKills(t *testing.T, rounds int) {
	t.Helper()
	t.Parallel()
	address := os.Getenv("UNECHO_TEST_REGISTRY")
	if address == "" {
		t.Skip("needs a registry of schemas: set UNECHO_TEST_REGISTRY to its address, or run make test")
	}
	s := newScene(t, 6)
	client, err := sr.NewClient(sr.URLs(address+"/apis/ccompat/v7"), sr.HTTPClient(http.DefaultClient)) // the scene bounds the wait
	check(t, err)
	e := &editions{s: s, to: client}
	e.next()
	s.valued = e.write
	front := proxyTo(t, strings.TrimPrefix(address, "http://"))
	report := s.underKills(rounds, func(k int, m *mortals) {
		s.members(4, 6)
		s.produce(600, uint64(10+k))
		hang, mend := away(t, front, k)
		hang()
		e.next()
		s.produce(600, uint64(30+k))
		s.stands()
		m.all["victim"].kill()
		if k%4 == 3 {
			m.all["stays"].kill()
		}
		m.revive()
		mend()
	}, s.sources(", format: protobuf, text: [body], schema: {framing: confluent}"),
		"schema_registry: {urls: [http://"+front.Address()+"/apis/ccompat/v7]}")
	s.cameOnce()
	if without := s.total() - int(e.written.Load()); report.Rejected != without {
		t.Errorf("%d documents are rejected, and %d have no value", report.Rejected, without)
	}
}

// away is how a registry is away in a round: it hangs, or it is gone.
func away(t *testing.T, front *proxy.Proxy, round int) (hang, mend func()) {
	t.Helper()
	if round%2 == 0 {
		return front.Stall, front.Flow
	}
	return front.Cut, func() { check(t, front.Mend(t.Context())) }
}

// stands waits until all partitions wait for what comes next.
func (s *scene) stands() {
	s.t.Helper()
	last, since := int64(-1), time.Now()
	s.until("nothing more is committed", func(ctx context.Context) bool {
		if sum, _ := s.committed(ctx); sum != last {
			last, since = sum, time.Now()
		}
		return time.Since(since) > 2*time.Second
	})
}
