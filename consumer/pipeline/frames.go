package pipeline

import (
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// frames are journal records as they are appended, one behind the other in the same memory, which serves again and
// again.
type frames struct {
	values [][]byte
	memory []byte
}

// keptFrames is the memory that stays from one batch to the next: some times what the documents of a poll_records ask
// for.
const keptFrames = 16 << 20

// reset begins anew. What was framed before must not be in use any more.
func (f *frames) reset() {
	clear(f.values)
	f.values, f.memory = f.values[:0], f.memory[:0]
	if cap(f.memory) > keptFrames {
		f.memory = nil
	}
}

func (f *frames) add(rec index.Record) {
	from := len(f.memory)
	f.memory = journal.Append(f.memory, rec) // where it moves, the values before stay where they were
	f.values = append(f.values, f.memory[from:len(f.memory):len(f.memory)])
}
