package index

import "math"

// clocks keep stream time, in ms. Neither clock ever goes back.
type clocks struct {
	arrival   int64 // ms; running maximum of the journal's append times, each capped at the appender's clock + tolerance
	event     int64 // ms; running maximum of document times, each capped at arrival + tolerance
	tolerance int64 // what is older than the stream by more is marked, too
	byEvent   bool
}

func (c *clocks) appended(logAppendTime, wall int64) {
	c.arrival = max(c.arrival, min(logAppendTime, c.later(wall)))
}

func (c *clocks) document(at int64) {
	if c.byEvent {
		c.event = max(c.event, min(at, c.later(c.arrival)))
	}
}

// placed moves the event clock to the time of a place. The feeder has bounded that time.
func (c *clocks) placed(at int64) { c.event = max(c.event, at) }

// latePlace returns how many seconds a document's time lies behind the time of its place, if that is too much.
func (c *clocks) latePlace(document, place int64) int64 {
	return late(document, place, c.tolerance)
}

// late returns how many seconds a document's time lies behind the stream's, if that is too much.
func (c *clocks) late(document int64) int64 {
	if !c.byEvent {
		return 0
	}
	return late(document, c.event, c.tolerance)
}

// late returns by how many seconds a document's time lies before another, if by more than that many ms. A document
// without a time is not late.
func late(document, before, most int64) int64 {
	if document <= 0 || before-document <= most {
		return 0
	}
	return (before - document) / 1000
}

func (c *clocks) now() int64 {
	if c.byEvent {
		return c.event
	}
	return c.arrival
}

// later returns t + tolerance. A clock may claim any time, so the sum must not wrap around.
func (c *clocks) later(t int64) int64 {
	if t > math.MaxInt64-c.tolerance {
		return math.MaxInt64
	}
	return t + c.tolerance
}
