package measure

import "github.com/unecho/unecho/index/entry"

// Example is a document that was rejected, or forwarded unchecked.
type Example struct {
	Source entry.Source
	Topic  string // the source topic's name
	Offset int64
	Time   int64 // its own, ms since 1970
}

// examples is how many documents are kept of each reason.
const examples = 5

// tally counts the documents of a reason, and keeps the newest of them.
type tally struct {
	count uint64
	last  [examples]Example // the n-th document of all, from 0, is at n % examples
}

func (t *tally) add(e Example) {
	t.last[t.count%examples] = e
	t.count++
}

// merge adds what came later.
func (t *tally) merge(later *tally) {
	for n := later.count - min(later.count, examples); n < later.count; n++ {
		t.last[(t.count+n)%examples] = later.last[n%examples]
	}
	t.count += later.count
}

// newest returns what is kept, the newest first; nil if nothing is.
func (t *tally) newest() (out []Example) {
	for n := t.count; n > t.count-min(t.count, examples); n-- {
		out = append(out, t.last[(n-1)%examples])
	}
	return out
}
