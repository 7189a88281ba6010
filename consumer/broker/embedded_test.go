package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

func embedded(t *testing.T, p EmbeddedParams) *Embedded {
	t.Helper()
	if p.Listen == "" {
		p.Listen = "127.0.0.1:0"
	}
	e, err := StartEmbedded(t.Context(), p, zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// transact writes n records to each of the two partitions of topic t in one transaction.
func transact(t *testing.T, cl *kgo.Client, from, n int, end kgo.TransactionEndTry) {
	t.Helper()
	ctx := deadline(t)
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for i := from; i < from+n; i++ {
		for p := range int32(2) {
			cl.Produce(ctx, &kgo.Record{Topic: "t", Partition: p, Value: []byte(strconv.Itoa(i))}, nil)
		}
	}
	if err := cl.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cl.EndTransaction(ctx, end); err != nil {
		t.Fatal(err)
	}
}

func values(t *testing.T, cl *kgo.Client, n int) string {
	t.Helper()
	var out []string
	ctx := deadline(t)
	for len(out) < n {
		f := cl.PollFetches(ctx)
		if err := f.Err(); err != nil {
			t.Fatalf("got %d of %d records: %v", len(out), n, err)
		}
		f.EachRecord(func(r *kgo.Record) { out = append(out, fmt.Sprintf("%d/%s", r.Partition, r.Value)) })
	}
	return strings.Join(out, " ")
}

func TestEmbeddedGoesOnWhereItStopped(t *testing.T) {
	dir := t.TempDir()
	e := embedded(t, EmbeddedParams{Dir: dir})
	cl := client(t, params(e.Addr()), kgo.TransactionalID("x"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	topics := NewTopics(cl, zerolog.Nop())
	topic, err := topics.create(deadline(t), "t", 2, -1, map[string]string{"message.timestamp.type": "LogAppendTime"})
	if err != nil {
		t.Fatal(err)
	}
	transact(t, cl, 0, 3, kgo.TryCommit)
	transact(t, cl, 100, 3, kgo.TryAbort)
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "t", Partition: 1, At: 2, LeaderEpoch: -1, Metadata: "unecho1 5"})
	if err := kadm.NewClient(cl).CommitAllOffsets(deadline(t), "g", offsets); err != nil {
		t.Fatal(err)
	}
	cl.Close()
	if got, err := os.ReadFile(filepath.Join(dir, AddressFile)); err != nil || strings.TrimSpace(string(got)) != e.Addr() {
		t.Errorf("the address file holds %q, %v", got, err)
	}
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, AddressFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the address file is still there: %v", err)
	}

	again := embedded(t, EmbeddedParams{Dir: dir})
	cl = client(t, params(again.Addr()), kgo.TransactionalID("x"), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumeTopics("t"), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	found, err := NewTopics(cl, zerolog.Nop()).Describe(deadline(t), "t")
	if err != nil || found[0] != topic {
		t.Errorf("the topic was %v and is %v: %v", topic, found, err)
	}
	committed, err := kadm.NewClient(cl).FetchOffsets(deadline(t), "g")
	if o, ok := committed.Lookup("t", 1); err != nil || !ok || o.At != 2 || o.Metadata != "unecho1 5" {
		t.Errorf("the group's offset is %v, %v", o, err)
	}
	transact(t, cl, 3, 1, kgo.TryCommit)
	got := values(t, cl, 8)
	for p := range 2 {
		for i := range 4 {
			if want := fmt.Sprintf("%d/%d", p, i); strings.Count(got, want) != 1 {
				t.Errorf("want %s once in %s", want, got)
			}
		}
	}
	if strings.Contains(got, "/10") {
		t.Errorf("aborted records came back: %s", got)
	}
}

func TestEmbeddedKeepsItsDirectoryToItself(t *testing.T) {
	dir := t.TempDir()
	embedded(t, EmbeddedParams{Dir: dir})
	_, err := StartEmbedded(t.Context(), EmbeddedParams{Dir: dir, Listen: "127.0.0.1:0"}, zerolog.Nop())
	if err == nil || !strings.Contains(err.Error(), "pid "+strconv.Itoa(os.Getpid())) {
		t.Errorf("got %v, want an error that names pid %d", err, os.Getpid())
	}
}

func TestEmbeddedRefusesAddresses(t *testing.T) {
	busy := silent(t, false)
	tests := []struct{ listen, want string }{
		{"", "host:port"},
		{"9092", "host:port"},
		{":9092", "tells clients its own address"},
		{"0.0.0.0:9092", "tells clients its own address"},
		{"[::]:9092", "tells clients its own address"},
		{"192.0.2.1:9092", "knows no passwords"},
		{"example.com:9092", "knows no passwords"},
		{busy, "address already in use"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		_, err := StartEmbedded(t.Context(), EmbeddedParams{Dir: dir, Listen: tt.listen}, zerolog.Nop())
		var f *Fault
		if !errors.As(err, &f) || !strings.Contains(err.Error(), tt.want) || f.Remedy == "" {
			t.Errorf("%q: got %v, want a fault with %q", tt.listen, err, tt.want)
		}
	}
	if err := mayListen(EmbeddedParams{Listen: "192.0.2.1:9092", Allow: true}); err != nil {
		t.Errorf("refused though allowed: %v", err)
	}
	t.Run("the directory is free again after a refusal", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := StartEmbedded(t.Context(), EmbeddedParams{Dir: dir, Listen: busy}, zerolog.Nop()); err == nil {
			t.Fatal("it listens on a port in use")
		}
		embedded(t, EmbeddedParams{Dir: dir})
	})
}

func TestEmbeddedSurvivesGarbage(t *testing.T) {
	e := embedded(t, EmbeddedParams{Dir: t.TempDir()})
	frame := func(length uint32, key, version uint16, more string) []byte {
		b := []byte{
			byte(length >> 24), byte(length >> 16), byte(length >> 8), byte(length), byte(key >> 8), byte(key),
			byte(version >> 8), byte(version),
		}
		return append(b, more...)
	}
	for name, garbage := range map[string][]byte{
		"a browser":           []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"TLS":                 {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01},
		"a huge length":       frame(1<<31, 3, 1, ""),
		"no length":           frame(0, 3, 1, ""),
		"an unknown request":  frame(20, 999, 0, strings.Repeat("x", 16)),
		"a negative request":  frame(20, 0xffff, 0, strings.Repeat("x", 16)),
		"an unknown version":  frame(20, 3, 99, strings.Repeat("x", 16)),
		"a negative version":  frame(20, 3, 0xffff, strings.Repeat("x", 16)),
		"a metadata of noise": frame(20, 3, 12, strings.Repeat("\xff", 16)),
		"a produce of noise":  frame(40, 0, 9, strings.Repeat("\x7f", 36)),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", e.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(garbage); err != nil {
				t.Fatal(err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection stays open, after %d bytes", n)
			}
		})
	}
	if err := Ping(deadline(t), client(t, params(e.Addr()))); err != nil {
		t.Error(err)
	}
}

// The guard hands on every byte of a valid connection, however it is cut into pieces.
func TestGuardIsTransparent(t *testing.T) {
	var stream bytes.Buffer
	for i := range 5 {
		body := strings.Repeat("x", 6+100*i)
		stream.Write([]byte{0, 0, byte((4 + len(body)) >> 8), byte(4 + len(body)), 0, 3, 0, 12})
		stream.WriteString(body)
	}
	want := stream.String()
	for _, cut := range []int{1, 3, 7, 4096} {
		client, server := net.Pipe()
		go func() {
			for rest := want; rest != ""; {
				n := min(cut, len(rest))
				if _, err := io.WriteString(client, rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
			client.Close()
		}()
		var got bytes.Buffer
		if _, err := io.CopyBuffer(&got, struct{ io.Reader }{&guarded{Conn: server}}, make([]byte, cut)); err != nil &&
			!errors.Is(err, io.EOF) {
			t.Error(err)
		}
		server.Close()
		if got.String() != want {
			t.Errorf("cut by %d: got %d bytes, want %d", cut, got.Len(), len(want))
		}
	}
}

// A broker that could not write all of its data ends with an error, and the next start refuses the data.
func TestEmbeddedNotWholeIsNotUsedAgain(t *testing.T) {
	dir := t.TempDir()
	e, err := StartEmbedded(t.Context(), EmbeddedParams{Dir: dir, Listen: "127.0.0.1:0"}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, dataDir, "meta.json.tmp"), 0o750); err != nil { // written when it is closed
		t.Fatal(err)
	}
	if err := e.Close(); err == nil || !strings.Contains(err.Error(), "not all of") {
		t.Errorf("got %v, want an error that says what was not written", err)
	}
	if f := refused(t, dir); !strings.Contains(f.What, "was not closed") {
		t.Errorf("got %v", f)
	}
}
