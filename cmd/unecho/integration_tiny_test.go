package main

import (
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Uncompressed records of a few bytes, by the million, take no more than the documented bound either: as the client
// parses them, each is twenty times as large.
func TestManyTinyRecords(t *testing.T) {
	s := newScene(t, 0)
	large := strconv.Itoa(16 << 20)
	s.create(s.source, 8, map[string]*string{"max.message.bytes": &large})
	s.configure("group: "+s.name, s.inDirectory(), noOps, "duplicates: {remember: {memory: 64MiB}}")
	for partition := range int32(8) {
		for range 10 {
			s.drop(s.source, partition, 100_000, 0, kgo.CodecNone)
		}
	}
	p := s.runPlain("--accept-rejected", s.source)
	s.reaches(300_000)
	s.noMore(p, 67+512)
}
