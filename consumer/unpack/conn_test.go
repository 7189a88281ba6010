package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// wire is a connection to a broker that has already answered.
type wire struct {
	net.Conn
	from io.Reader
	sent bytes.Buffer
}

func (w *wire) Read(p []byte) (int, error)  { return w.from.Read(p) }
func (w *wire) Write(p []byte) (int, error) { return w.sent.Write(p) }

func frame(parts ...[]byte) []byte {
	all := slices.Concat(parts...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(all))), all...)
}

func request(kind, version uint16, id uint32) []byte {
	b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, kind), version)
	return frame(binary.BigEndian.AppendUint32(b, id), []byte("\x00\x02me and more"))
}

// answer returns a response to a fetch request, with these batches of as many partitions, each of a topic of its own.
func answer(id uint32, version int16, batches ...[]byte) []byte {
	r := kmsg.NewFetchResponse()
	r.SetVersion(version)
	for i, b := range batches {
		p := kmsg.NewFetchResponseTopicPartition()
		p.Partition, p.RecordBatches = int32(i), b
		p.AbortedTransactions = append(p.AbortedTransactions, kmsg.NewFetchResponseTopicPartitionAbortedTransaction())
		t := kmsg.NewFetchResponseTopic()
		t.Topic, t.Partitions = "a topic", append(t.Partitions, p)
		r.Topics = append(r.Topics, t)
	}
	head := binary.BigEndian.AppendUint32(nil, id)
	if r.IsFlexible() {
		head = append(head, 1, 9, 2, 'h', 'i') // one tag
	}
	return frame(head, r.AppendTo(nil))
}

// responses reads as the client does: of each response the size, then the rest.
func responses(t *testing.T, c io.Reader) (all []byte) {
	t.Helper()
	from := bufio.NewReaderSize(c, 4<<10)
	for {
		var size [4]byte
		if _, err := io.ReadFull(from, size[:]); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(from, body); err != nil {
			t.Fatal(err)
		}
		all = append(append(all, size[:]...), body...)
	}
}

// marked returns a copy of a batch as marking should leave it.
func marked(batch []byte) []byte {
	b := bytes.Clone(batch)
	if b[22]&7 == 0 {
		b[22] |= 7
	}
	at := 27 // the first timestamp
	if b[22]&8 != 0 {
		at = 35 // the largest, which is the broker's
	}
	epoch := int16(binary.BigEndian.Uint16(b[51:]))
	if ms := int64(binary.BigEndian.Uint64(b[at:])); ms>>56 != 0 && ms>>56 != -1 {
		epoch = -2 - int16(b[at])
	} else if epoch < 0 {
		epoch = -1
	}
	binary.BigEndian.PutUint16(b[51:], uint16(epoch))
	return seal(b)
}

// The batches of all fetch responses are marked, and nothing else is, however the bytes arrive.
func TestFetchedBatchesAreMarked(t *testing.T) {
	small, large := zeros(t, 3, 10, kgo.CodecNone), zeros(t, 500, 100, kgo.CodecNone)
	packed := zeros(t, 500, 100, kgo.CodecZstd)
	for _, version := range []int16{4, 6, 7, 11, 12, 13, 18} {
		pass := func(of func([]byte) []byte) []byte {
			return slices.Concat(
				answer(7, 0, small), // the response to another request: what looks like a batch is none
				answer(8, version, slices.Concat(of(small), packed, of(large)), nil, of(small)),
				frame(), frame([]byte("abc")),
				answer(9, version), answer(11, version, of(large), packed),
				answer(12, version, large), // the same id was asked for twice, and the first response was there
				answer(12, version, small),
			)
		}
		in, want := pass(bytes.Clone), pass(marked)
		want = slices.Concat(want[:len(want)-len(answer(12, version, large))-len(answer(12, version, small))],
			answer(12, version, marked(large)), answer(12, version, small))
		for name, from := range map[string]io.Reader{
			"at once": bytes.NewReader(in), "by the byte": iotest.OneByteReader(bytes.NewReader(in)),
			"in halves": iotest.HalfReader(bytes.NewReader(in)), "with the end": iotest.DataErrReader(bytes.NewReader(in)),
		} {
			w := &wire{from: from}
			c := &conn{Conn: w}
			asked := slices.Concat(request(3, 1, 7), request(fetchKind, uint16(version), 8),
				request(fetchKind, uint16(version), 9),
				request(0, 9, 10), request(fetchKind, uint16(version), 11), request(fetchKind, uint16(version), 12))
			for rest := asked; len(rest) > 0; {
				size := 4 + binary.BigEndian.Uint32(rest)
				if n, err := c.Write(rest[:size]); n != int(size) || err != nil {
					t.Fatalf("Write of a request = %d, error %v; want %d and no error", n, err, size)
				}
				rest = rest[size:]
			}
			if !bytes.Equal(w.sent.Bytes(), asked) {
				t.Error("requests are changed")
			}
			if got := responses(t, c); !bytes.Equal(got, want) {
				t.Errorf("version %d, %s: %d bytes are not as they should be", version, name, differences(got, want))
			}
			if len(c.asked) != 0 {
				t.Errorf("%d requests still count as unanswered", len(c.asked))
			}
		}
	}
}

func differences(a, b []byte) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n + max(len(a), len(b)) - min(len(a), len(b))
}

// A reader that reads otherwise than the client gets what was sent. So does one that goes on after bytes that are no
// response.
func TestOtherReadersGetWhatWasSent(t *testing.T) {
	large := zeros(t, 500, 100, kgo.CodecNone)
	for name, in := range map[string][]byte{
		"pieces": slices.Concat(answer(1, 12, large), answer(2, 12, large)),
		"HTTP":   append([]byte("\xffTTP/1.1 400 Bad Request\r\n"), answer(1, 12, large)...),
	} {
		c := &conn{Conn: &wire{from: bytes.NewReader(in)}}
		for id := range uint32(3) {
			_, _ = c.Write(request(fetchKind, 12, id))
		}
		got, err := io.ReadAll(struct{ io.Reader }{iotest.HalfReader(c)})
		if err != nil || !bytes.Equal(got, in) {
			t.Errorf("%s: %d bytes are changed, %v", name, differences(got, in), err)
		}
	}
}

// The rest of a response is not taken for a response, even if it looks like one.
func TestTheRestOfAResponseIsNone(t *testing.T) {
	in := frame([]byte("1234567890"), answer(1, 12, zeros(t, 5, 10, kgo.CodecNone))[4:])
	c := &conn{Conn: &wire{from: bytes.NewReader(in)}}
	_, _ = c.Write(request(fetchKind, 12, 1))
	got := make([]byte, len(in))
	for _, part := range [][]byte{got[:4], got[4:14], got[14:]} {
		if _, err := io.ReadFull(c, part); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, in) {
		t.Errorf("%d bytes are changed", differences(got, in))
	}
}

// When a connection breaks, the bytes before that are read, and then the error.
func TestConnectionBreaks(t *testing.T) {
	in, broken := answer(1, 12, zeros(t, 500, 100, kgo.CodecNone)), errors.New("it breaks")
	for _, at := range []int{0, 3, 4, 100, len(in) - 1} {
		c := &conn{Conn: &wire{from: io.MultiReader(bytes.NewReader(in[:at]), iotest.ErrReader(broken))}}
		_, _ = c.Write(request(fetchKind, 12, 1))
		p, n := make([]byte, len(in)), 0
		var err error
		for err == nil {
			var more int
			more, err = c.Read(p[n:])
			n += more
		}
		if !errors.Is(err, broken) || !bytes.Equal(p[:n], in[:at]) {
			t.Errorf("after %d bytes: %d, %v", at, n, err)
		}
	}
}
