package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// zeros are the batches that were made last: with -race, compressing a gibibyte takes seconds, and they are dropped
// again.
var zeros = map[string][]byte{}

// drop produces a batch of n records of zeros as it is. The tests that call it are not parallel.
func (s *scene) drop(topic string, partition int32, n, size int, codec kgo.CompressionCodecType) int64 {
	s.t.Helper()
	name := fmt.Sprint(n, size, codec)
	batch, made := zeros[name]
	if !made {
		var err error
		batch, err = unpacktest.Zeros(n, size, codec)
		check(s.t, err)
		zeros[name] = batch
	}
	offset, err := unpacktest.Drop(s.bounded(), s.client, topic, partition, batch)
	check(s.t, err)
	if topic == s.source {
		s.sent[partition] = offset + int64(n)
	}
	s.t.Logf("%d records of %d MiB each are %d bytes in %s/%d", n, size>>20, len(batch), topic, partition)
	return offset
}

// peak is the most memory that a process has had, in MiB; -1 where the system does not say.
func (p *process) peak() int {
	if runtime.GOOS != "linux" {
		return -1
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	check(p.t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	check(p.t, err)
	return kib >> 10
}

// A zstd batch of some 100 kB that unpacks to more than may be resident is rejected, and its neighbours go on.
func TestBomb(t *testing.T) {
	s := newScene(t, 2)
	s.configure(s.consumer(""), s.inDirectory(), noOps)
	s.drop(s.source, 0, 9, 128<<20, kgo.CodecZstd)
	for i := range 50 {
		s.drop(s.source, 1, 1, 10+i/2, kgo.CodecNone)
	}
	p := s.runPlain()
	s.settled()
	s.noMore(p, 512)
	s.audited(s.name + ".journal")
}

// However many there are, and whatever they are compressed with, memory stays within the documented bound: that of the
// window, and half a gibibyte.
func TestManyBombs(t *testing.T) {
	tryBombs(t, map[string]kgo.CompressionCodecType{"zstd": kgo.CodecZstd})
}

func TestManyBombsLong(t *testing.T) {
	tryBombs(t, map[string]kgo.CompressionCodecType{
		"gzip": kgo.CodecGzip, "snappy": kgo.CodecSnappy, "lz4": kgo.CodecLz4, "zstd": kgo.CodecZstd,
	})
}

func tryBombs(t *testing.T, codecs map[string]kgo.CompressionCodecType) {
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 0)
			large := strconv.Itoa(16 << 20)
			s.create(s.source, 16, map[string]*string{"max.message.bytes": &large})
			s.configure(s.consumer(""), s.inDirectory(), noOps, "duplicates: {remember: {memory: 64MiB}}")
			s.drop(s.source, 0, 10, 100, codec)
			many := int32(1)
			if codec == kgo.CodecZstd {
				many = 4
			}
			for partition := range many {
				s.drop(s.source, partition, 1, 128<<20, codec) // beyond the bound
				s.drop(s.source, partition, 1, 30<<20, codec)  // within
				if partition < 2 {
					s.drop(s.source, partition, 5_000, 0, codec) // of records without a byte
				}
			}
			p := s.runPlain()
			s.settled()
			s.noMore(p, 67+512)
			s.audited(s.name + ".journal")
		})
	}
}

// A bomb in the journal is a stray, on every member.
func TestBombInTheJournal(t *testing.T) {
	s := newScene(t, 1)
	s.configure(s.consumer(""), s.inDirectory(), noOps)
	s.drop(s.source, 0, 20, 100, kgo.CodecNone)
	one := s.runPlain()
	s.settled()
	s.drop(s.name+".journal", 0, 9, 128<<20, kgo.CodecZstd)
	s.drop(s.name+".journal", 0, 300_000, 0, kgo.CodecZstd) // too many for record by record
	s.drop(s.source, 0, 20, 100, kgo.CodecNone)
	s.settled()
	two := s.runPlain()
	two.says(`"message":"ready"`)
	s.drop(s.source, 0, 20, 100, kgo.CodecNone)
	s.settled()
	s.noMore(one, 512)
	s.noMore(two, 512)
	s.audited(s.name + ".journal")
}

// noMore holds the memory of a process against a bound in MiB.
func (s *scene) noMore(p *process, bound int) {
	s.t.Helper()
	peak := p.peak()
	s.t.Logf("at most %d MiB were resident", peak)
	if peak > bound {
		s.t.Errorf("%d MiB were resident, the bound is %d", peak, bound)
	}
}
