package parts

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/unecho/unecho/index/setting"
)

// key is 96 bits of a part's hash. Nobody can make a part that is taken for another one: SHA-256 withstands that.
type key struct {
	high uint64
	low  uint32
}

// keyOf hashes a normal form behind the eight bytes of its scope.
func keyOf(scoped []byte) key {
	sum := sha256.Sum256(scoped)
	return key{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint32(sum[8:])}
}

// slot is a part that was met: 16 bytes. value 0 is an empty slot.
type slot struct {
	high  uint64
	low   uint32
	value uint32
}

const slotBytes = 16

// shards are as many tables, which grow one by one: so little memory is needed twice while they grow.
const shards = 256

// table maps parts to values. Slots are filled up to seven eighths, and a table that is full grows by a quarter.
type table struct {
	memory setting.Bytes
	beside int64 // bytes of Memory that are taken beside the slots
	slots  int64
	shards [shards]shard
}

type shard struct {
	slots []slot
	used  int
}

var errMemory = errors.New("the parts outgrew their memory")

// at returns the value of a part, which may be changed until the next call; a new one has 0, and must be changed.
func (t *table) at(k key) (*uint32, error) {
	s := &t.shards[k.low%shards]
	if 8*(s.used+1) > 7*len(s.slots) {
		if err := t.grow(s); err != nil {
			return nil, err
		}
	}
	found := s.find(k)
	if found.value == 0 {
		s.used++
		found.high, found.low = k.high, k.low
	}
	return &found.value, nil
}

// find returns the slot of a part, or the empty one where it belongs.
func (s *shard) find(k key) *slot {
	place, _ := bits.Mul64(k.high, uint64(len(s.slots)))
	for i := int(place); ; i++ { // less than the slots
		if i == len(s.slots) {
			i = 0
		}
		if found := &s.slots[i]; found.value == 0 || found.high == k.high && found.low == k.low {
			return found
		}
	}
}

func (t *table) grow(s *shard) error {
	before := s.slots
	size := max(16, len(before)+len(before)/4)
	if t.bytes()+int64(size)*slotBytes > int64(t.memory) {
		return fmt.Errorf("%w of %s: raise --memory, or --part-bytes", errMemory, t.memory)
	}
	s.slots = make([]slot, size)
	t.slots += int64(size - len(before))
	for _, old := range before {
		if old.value != 0 {
			*s.find(key{old.high, old.low}) = old
		}
	}
	return nil
}

// bytes is what is taken of the memory.
func (t *table) bytes() int64 { return t.slots*slotBytes + t.beside }

// count is how many parts there are.
func (t *table) count() (n int64) {
	for i := range t.shards {
		n += int64(t.shards[i].used)
	}
	return n
}

// Values of a part, once it is known how often each is there. Others are the number of its first document.
const (
	rare      = 1 // there are too few to remove any
	unseen    = 2 // the first stays
	documents = 3 // added to a document's number
)

// mostDocuments is how many documents have a number.
const mostDocuments = math.MaxUint32 - documents

func (t *table) replaceCounts(repeats uint32) {
	for i := range t.shards {
		for j := range t.shards[i].slots {
			switch s := &t.shards[i].slots[j]; {
			case s.value == 0:
			case s.value < repeats:
				s.value = rare
			default:
				s.value = unseen
			}
		}
	}
}
