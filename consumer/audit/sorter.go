package audit

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/unecho/unecho/index/snapshot/durable"
)

// key is what facts are sorted by:
//
//	number of the source partition 4 · offset 8 · kind 1 · what orders facts of a kind 8, all big endian
type key [21]byte

func keyOf(partition uint32, offset int64, kind byte, order uint64) (k key) {
	binary.BigEndian.PutUint32(k[:], partition)
	binary.BigEndian.PutUint64(k[4:], uint64(offset))
	k[12] = kind
	binary.BigEndian.PutUint64(k[13:], order)
	return k
}

func (k *key) partition() uint32 { return binary.BigEndian.Uint32(k[:]) }
func (k *key) offset() int64     { return int64(binary.BigEndian.Uint64(k[4:])) }
func (k *key) kind() byte        { return k[12] }
func (k *key) order() uint64     { return binary.BigEndian.Uint64(k[13:]) }

// sorter sorts more facts than memory holds. When memory is full, it sorts the facts and writes them to a temporary
// file as a run; each merges the runs.
//
//	memory: │ key 21 · length (varint) · fact │ ... │    file: │ run, sorted │ run, sorted │ ...
type sorter struct {
	directory string
	memory    int // bytes that facts may take
	facts     []byte
	at        []uint32 // where each fact begins in memory
	file      *os.File
	runs      []span // parts of the file
	written   int64
}

// indexShare says which part of the memory is for the positions of facts: a sixth, because a fact has at least five
// times the size of its position.
const indexShare = 6

// littleShare says which part of the memory the first facts take.
const littleShare = 64

// mergeBuffer is the size in bytes of the buffer through which a run is read, if there are few runs.
const mergeBuffer = 64 << 10

func newSorter(directory string, memory int) *sorter {
	return &sorter{directory: directory, memory: memory - memory/indexShare}
}

// add adds a copy of a fact.
func (s *sorter) add(k key, fact []byte) error {
	need := len(k) + binary.MaxVarintLen32 + len(fact)
	if len(s.facts) > 0 && len(s.facts)+need > s.memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.makeRoom(need)
	s.at = append(s.at, uint32(len(s.facts)))
	s.facts = append(s.facts, k[:]...)
	s.facts = binary.AppendUvarint(s.facts, uint64(len(fact)))
	s.facts = append(s.facts, fact...)
	return nil
}

// makeRoom has memory for the next fact. Few facts take little, and the first that does not fit takes all memory at
// once: growing step by step would need up to twice of it.
func (s *sorter) makeRoom(need int) {
	if len(s.facts)+need <= cap(s.facts) {
		return
	}
	size := max(s.memory, need)
	if s.facts == nil {
		size = max(size/littleShare, need)
	}
	s.facts = append(make([]byte, 0, size), s.facts...)
}

func (s *sorter) sort() {
	slices.SortFunc(s.at, func(a, b uint32) int {
		return bytes.Compare(s.facts[a:a+uint32(len(key{}))], s.facts[b:b+uint32(len(key{}))])
	})
}

// spill writes what is in memory as a run.
func (s *sorter) spill() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write temporary file: %w", err)
		}
	}()
	if s.file == nil {
		if s.file, err = createTemp(s.directory); err != nil {
			return err
		}
	}
	s.sort()
	out := bufio.NewWriterSize(s.file, mergeBuffer)
	run := span{from: s.written, to: s.written}
	for _, at := range s.at {
		n, err := out.Write(s.facts[at : int(at)+factLength(s.facts[at:])])
		if run.to += int64(n); err != nil {
			return err
		}
	}
	s.facts, s.at, s.written = s.facts[:0], s.at[:0], run.to
	s.runs = append(s.runs, run)
	return out.Flush()
}

// factLength returns the length of the key, the length field and the fact that b begins with.
func factLength(b []byte) int {
	length, n := binary.Uvarint(b[len(key{}):])
	return len(key{}) + n + int(length)
}

// each visits all facts in the order of their keys. A fact is valid during the visit. Nothing can be added afterwards.
func (s *sorter) each(visit func(k *key, fact []byte) error) error {
	if len(s.runs) == 0 {
		return s.eachInMemory(visit)
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.facts, s.at = nil, nil
	var all merge
	buffer := min(max(s.memory/len(s.runs), 1<<10), mergeBuffer)
	for _, run := range s.runs {
		r := &reader{in: bufio.NewReaderSize(io.NewSectionReader(s.file, run.from, run.to-run.from), buffer)}
		if more, err := r.next(); err != nil {
			return err
		} else if more {
			all = append(all, r)
		}
	}
	return all.each(visit)
}

func (s *sorter) eachInMemory(visit func(k *key, fact []byte) error) error {
	s.sort()
	for _, at := range s.at {
		b := s.facts[at:]
		length, n := binary.Uvarint(b[len(key{}):])
		k := key(b)
		if err := visit(&k, b[len(k)+n:][:length]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sorter) close() error {
	s.facts, s.at = nil, nil
	if s.file == nil {
		return nil
	}
	return closeTemp(s.file)
}

// createTemp makes a temporary file. Once its name is removed, the file ends with the process, however that ends. Where
// removing does not work, closeTemp removes it.
func createTemp(directory string) (*os.File, error) {
	f, err := os.CreateTemp(directory, "unecho-audit-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}

func closeTemp(f *os.File) error {
	return errors.Join(f.Close(), durable.IgnoreMissing(os.Remove(f.Name())))
}

type reader struct {
	in   *bufio.Reader
	key  key
	fact []byte
}

// next reads the next fact; more is false at the end of the run.
func (r *reader) next() (more bool, err error) {
	if _, err := io.ReadFull(r.in, r.key[:]); errors.Is(err, io.EOF) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	length, err := binary.ReadUvarint(r.in)
	if err == nil {
		r.fact = slices.Grow(r.fact[:0], int(length))[:length]
		_, err = io.ReadFull(r.in, r.fact)
	}
	if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	return true, nil
}

// merge is a heap of runs. The run with the least key is first.
type merge []*reader

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return bytes.Compare(m[i].key[:], m[j].key[:]) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*reader)) }
func (m *merge) Pop() any {
	last := len(*m) - 1
	r := (*m)[last]
	*m = (*m)[:last]
	return r
}

func (m *merge) each(visit func(k *key, fact []byte) error) error {
	for heap.Init(m); m.Len() > 0; {
		first := (*m)[0]
		if err := visit(&first.key, first.fact); err != nil {
			return err
		}
		more, err := first.next()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(m, 0)
		default:
			heap.Pop(m)
		}
	}
	return nil
}
