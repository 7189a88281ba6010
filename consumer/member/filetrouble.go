package member

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/window"
)

const (
	// haltsAfter is how long judging may wait for a file before that is a trouble: a segment is written or fetched by then.
	haltsAfter = 3 * time.Second
	// slowRead is how long a read may take before a trouble is put down to it.
	slowRead = time.Second
)

// halt notes that judging waits until files are read, healed or written. It returns what to call then. A wait that lasts is
// logged.
func (o *old) halt() (over func()) {
	c, log := o.f.Counters, o.f.Logger
	stop := c.FilesHalt.start()
	lasts := time.AfterFunc(haltsAfter, func() {
		log.Warn().Str("because", c.fileTrouble(time.Now(), o.f.Files.Setting())).Msg("judging waits for files of old documents")
	})
	return func() {
		stop()
		if !lasts.Stop() {
			log.Info().Msg("judging waits no more for files of old documents")
		}
	}
}

// ailing is a file that could not be read, and is not healed.
type ailing struct {
	name    string
	failure *Failure
}

// ails notes why a file cannot be read.
func (o *old) ails(name string, err error) {
	a := &ailing{name, &Failure{err, time.Now()}}
	o.ailing.Store(a)
	o.f.Counters.FileErrs.Add(1)
	o.f.Counters.FileErr.Store(a.failure)
}

// whole notes that a file can be read, or is needed no more.
func (o *old) whole(name string) {
	if a := o.ailing.Load(); a != nil && a.name == name && o.ailing.CompareAndSwap(a, nil) {
		o.f.Counters.FileErr.CompareAndSwap(a.failure, nil)
	}
}

// watchAiling looks now and then whether the file that could not be healed can be read by now, or is needed no more, until ctx
// is done.
func (o *old) watchAiling(ctx context.Context) {
	for retry.Pause(ctx, tidyEvery) == nil {
		if a := o.ailing.Load(); a != nil && (!o.needs(a.name) || o.check(ctx, a.name) == nil) {
			o.whole(a.name)
		}
	}
}

// check reads a file that the replica needs.
func (o *old) check(ctx context.Context, name string) error {
	if !files.ValidBlockName(name) {
		_, err := o.f.Files.Read(ctx, name)
		return err
	}
	var b *window.Block
	o.f.Look(func(r *index.Replica) { b = r.Files().BlockOf(name) })
	if b == nil {
		return nil // another one is in its place since
	}
	return files.Check(ctx, o.f.Files, b)
}

// FileTrouble says why judging of a member waits for files of old documents, and what to do; empty: it does not.
func (c *Counters) FileTrouble(now time.Time) string {
	return c.fileTrouble(now, (*files.Directory)(nil).Setting())
}

// fileTrouble says it of files in the directory that a setting names.
func (c *Counters) fileTrouble(now time.Time, setting string) string {
	since := c.FilesHalt.Since()
	if since.IsZero() || now.Sub(since) < haltsAfter {
		return ""
	}
	why := "the disk does not answer, or is slower than documents come"
	if read := c.underWay.oldest(); read != nil && now.Sub(read.since) >= slowRead {
		why = fmt.Sprintf("the disk does not answer: %s is being read since %v", read.file, utc(read.since))
	} else if f := c.FileErr.Load(); f != nil {
		why = f.Err.Error()
	}
	return fmt.Sprintf("judging waits for files of old documents since %v (%s): make room in %s, look at its disk and at the "+
		"snapshot store, or leave it out and start again", utc(since), why, setting)
}

func utc(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// reads counts a read of a file, and remembers it until what it returns is called, with the bytes that were read.
func (c *Counters) reads(file string) (over func(bytes int)) {
	r := &read{file, time.Now()}
	c.underWay.begin(r)
	return func(bytes int) {
		c.underWay.end(r)
		c.FileReads.Add(1)
		c.FileReadBytes.Add(uint64(bytes))
	}
}

// read is a read of a file.
type read struct {
	file  string
	since time.Time
}

// underWay are the reads that are not over, in the order in which they began.
type underWay struct {
	mu    sync.Mutex
	reads []*read
}

func (u *underWay) begin(r *read) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.reads = append(u.reads, r)
}

func (u *underWay) end(r *read) {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.Index(u.reads, r)
	u.reads = slices.Delete(u.reads, i, i+1)
}

// oldest returns the read that began first; nil if there is none.
func (u *underWay) oldest() *read {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.reads) == 0 {
		return nil
	}
	return u.reads[0]
}
