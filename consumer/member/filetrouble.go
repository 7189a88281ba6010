package member

import (
	"fmt"
	"time"
)

// haltsAfter is how long judging may wait for a file before that is a trouble: a segment is written or fetched by then.
const haltsAfter = 3 * time.Second

// waits counts for how long judging does nothing but wait for files, until what it returns is called.
func (c *Counters) waits() (over func()) {
	since := time.Now()
	return func() { c.FileWait.Add(int64(time.Since(since))) }
}

// halt notes that judging waits until a file is healed or written. It returns what to call then.
func (c *Counters) halt() (done func()) {
	c.FilesHalt.Store(time.Now().UnixMilli())
	return func() { c.FilesHalt.Store(0) }
}

// FileTrouble says why judging waits for files of old documents, and what to do; empty: it does not.
func (c *Counters) FileTrouble(now time.Time) string {
	since := c.FilesHalt.Load()
	if since == 0 || now.Sub(time.UnixMilli(since)) < haltsAfter {
		return ""
	}
	const remedy = "make room in duplicates.remember.directory, look at its disk and at the snapshot store, or leave it out and start again"
	why := "its disk writes more slowly than documents come"
	if f := c.FileErr.Load(); f != nil {
		why = f.Err.Error()
	}
	return fmt.Sprintf("judging waits for files of old documents since %v (%s): %s",
		time.UnixMilli(since).UTC().Format(time.RFC3339), why, remedy)
}
