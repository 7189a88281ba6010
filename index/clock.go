package index

// clocks tell stream time. Neither ever falls.
type clocks struct {
	arrival   int64 // running maximum of the journal's append times, each capped at the appender's clock + tolerance
	event     int64 // running maximum of document times, each capped at arrival + tolerance
	tolerance int64
	byEvent   bool
}

func (c *clocks) appended(logAppendTime, wall int64) {
	c.arrival = max(c.arrival, min(logAppendTime, wall+c.tolerance))
}

func (c *clocks) document(at int64) {
	if c.byEvent {
		c.event = max(c.event, min(at, c.arrival+c.tolerance))
	}
}

func (c *clocks) now() int64 {
	if c.byEvent {
		return c.event
	}
	return c.arrival
}
