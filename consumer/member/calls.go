package member

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/unecho/unecho/index/files"
)

// slowCall is how long a file may be read or written before that is put down to a disk that does not answer.
const slowCall = time.Second

// calls are the files that are being read, or those that are being written, in the order in which that began.
type calls struct {
	mu  sync.Mutex
	all []*call
}

type call struct {
	file  string
	since time.Time
}

// begin notes that a file is being read, or written, until what it returns is called.
func (c *calls) begin(file string) (over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := &call{file, time.Now()}
	c.all = append(c.all, one)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.all, one)
		c.all = slices.Delete(c.all, i, i+1)
	}
}

// slow names the first file, if the disk does not answer for it.
func (c *calls) slow(now time.Time, is string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) == 0 || now.Sub(c.all[0].since) < slowCall {
		return ""
	}
	return fmt.Sprintf("the disk does not answer: %s is being %s since %s", c.all[0].file, is, utc(c.all[0].since))
}

// Watch notes which files of the process's directory are read and written from now on; nil: old documents lie in memory.
func (c *Counters) Watch(d *files.Directory) {
	if d != nil {
		c.files.Store(d)
		d.Watch(c.reads.begin, c.writes.begin)
	}
}

// Silent says for which file the disk does not answer; empty: it answers. A large block is being written for minutes also then.
func (c *Counters) Silent(now time.Time) string {
	slow := cmp.Or(c.reads.slow(now, "read"), c.writes.slow(now, "written"))
	if slow != "" {
		slow += " in " + c.files.Load().Setting()
	}
	return slow
}

func utc(at time.Time) string { return at.UTC().Format(time.RFC3339) }
