package shape

import (
	"fmt"
	"time"
)

// Coordinates is a document's place in Kafka, and what else names it.
type Coordinates struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	ID        string `json:"id,omitempty"` // empty: its coordinates
	Time      Moment `json:"time,omitzero"`
}

// Coordinates are TOPIC/PARTITION/OFFSET.
func (p *Coordinates) Coordinates() string {
	return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Offset)
}

// Match is the document that another is like.
type Match struct {
	Coordinates
	Similarity float64 `json:"similarity"` // 0 to 1, four digits, rounded down
	Method     string  `json:"method"`     // how that was measured
	Copy       uint64  `json:"copy"`       // ordinal that the copy has or would have; the original is 1
}

// Copy is a document that was judged a copy.
type Copy struct {
	Number    uint64      `json:"number"` // in the order in which the member learnt of it
	Judged    Moment      `json:"judged"`
	Document  Coordinates `json:"document"`
	Match     Match       `json:"match"`
	Reemitted bool        `json:"reemitted"` // it was let through all the same
	LateS     int64       `json:"late_s"`
}

// Recent is the last copies that a member knows of.
type Recent struct {
	Copies []Copy `json:"copies"` // the newest first
	Count  uint64 `json:"count"`  // of all copies since the member started
	After  string `json:"after"`  // id of the event behind which a stream goes on
}

// Lookup is the answer about texts, in their order.
type Lookup struct {
	Results []Result `json:"results"`
}

// Result is the answer about one text.
type Result struct {
	Duplicate bool     `json:"duplicate"`
	Empty     bool     `json:"empty,omitempty"` // the text has no words to compare
	Matches   []Hit    `json:"matches"`
	Nearest   *Nearest `json:"nearest,omitempty"` // of no duplicate; nil if no document was compared that shares anything
	Compared  int      `json:"compared"`          // documents that the text was compared with
	Cut       bool     `json:"cut"`               // documents were left out that may be similar enough
	Threshold float64  `json:"threshold"`         // the least similarity of a duplicate
	Bands     int      `json:"bands"`             // of a text; documents that share none are not compared
}

// Hit is a match, and how it was found.
type Hit struct {
	Match
	Bands  []int  `json:"bands"`            // that it shares with the text, from 0
	Shared *Share `json:"shared,omitempty"` // what the similarity is made of; nil: the texts are identical
}

// Nearest is the most similar document that a text was compared with, where none makes it a duplicate.
type Nearest struct {
	Coordinates
	Similarity float64 `json:"similarity"` // 0 to 1, four digits, rounded down
	Method     string  `json:"method"`     // how that was measured
	Bands      []int   `json:"bands"`      // that it shares with the text, from 0
	Shared     Share   `json:"shared"`     // what the similarity is made of
	// so many more of what is counted would make a duplicate. 0: it is similar enough, but judging would not compare it,
	// because once in a thousand times digests tell such documents apart
	Missing uint32 `json:"missing"`
}

// Share is a fraction: shingles that both have of all that either has, or what else the method counts.
type Share struct {
	Part  uint32 `json:"part"`
	Whole uint32 `json:"whole"`
	Of    string `json:"of"`
}

// Failure is the answer to a request that cannot be answered.
type Failure struct {
	Error  string `json:"error"`
	Remedy string `json:"remedy"`
}

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
