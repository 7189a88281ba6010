package shape

import "time"

// Moment is a time, written in UTC with milliseconds. The zero Moment is none.
type Moment struct{ time.Time }

// At is a time in milliseconds since 1970 as RFC 3339 has it, which ends with the year 9999: a producer's time beyond it
// is told as its last millisecond, and one before the year 0 as the first.
func At(ms int64) Moment {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).
		UnixMilli()-1
	return Moment{time.UnixMilli(min(max(ms, first), last)).UTC()}
}

// String implements fmt.Stringer.
func (m Moment) String() string { return m.UTC().Format("2006-01-02T15:04:05.000Z") }

// MarshalJSON implements json.Marshaler.
func (m Moment) MarshalJSON() ([]byte, error) { return []byte(`"` + m.String() + `"`), nil }
