package member

import (
	"cmp"
	"fmt"
	"time"
)

// haltsAfter is how long judging may wait for a file before that is a trouble: a segment is written or fetched by then.
const haltsAfter = 3 * time.Second

// halt notes that judging waits until files are read, healed or written. It returns what to call then. A wait that lasts is
// logged.
func (o *old) halt() (over func()) {
	c, log := o.f.Counters, o.f.Logger
	stop := c.FilesHalt.start()
	lasts := time.AfterFunc(haltsAfter, func() {
		log.Warn().Str("because", c.FileTrouble(time.Now())).Msg("judging waits for files of old documents")
	})
	return func() {
		stop()
		if !lasts.Stop() {
			log.Info().Msg("judging waits no more for files of old documents")
		}
	}
}

// ails notes why a file cannot be read, or why files of a kind cannot be written.
func (o *old) ails(what string, err error) {
	o.f.Counters.FileErrs.Add(1)
	o.f.Counters.FileErr.Store(&Failure{Err: err, At: time.Now(), of: what})
}

// whole notes that it can be read or written again, or is needed no more.
func (o *old) whole(what string) {
	if now := o.f.Counters.FileErr.Load(); now != nil && now.of == what {
		o.f.Counters.FileErr.CompareAndSwap(now, nil)
	}
}

// FileTrouble says why judging waits for files of old documents, and what to do; empty: it does not.
func (c *Counters) FileTrouble(now time.Time) string {
	since := c.FilesHalt.Since()
	if since.IsZero() || now.Sub(since) < haltsAfter {
		return ""
	}
	why := c.reads.slow(now, "read")
	if failure := c.FileErr.Load(); why == "" && failure != nil {
		why = failure.Err.Error()
	}
	return fmt.Sprintf("judging waits for files of old documents since %s (%s): make room in %s, look at its disk and at the "+
		"snapshot store, or leave it out and start again", utc(since),
		cmp.Or(why, "the disk does not answer, or is slower than documents come"), c.files.Load().Setting())
}

// read counts a read of a file.
func (c *Counters) read(bytes int) {
	c.FileReads.Add(1)
	c.FileReadBytes.Add(uint64(bytes))
}
