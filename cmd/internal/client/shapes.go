package client

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Place is a document's place in Kafka, and what else names it.
type Place struct {
	Topic     string    `json:"topic"`
	Partition int32     `json:"partition"`
	Offset    int64     `json:"offset"`
	ID        string    `json:"id,omitempty"`
	Time      time.Time `json:"time,omitzero"`
}

// Coordinates are TOPIC/PARTITION/OFFSET.
func (p *Place) Coordinates() string { return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Offset) }

// Match is the document that another is like.
type Match struct {
	Place
	Similarity float64 `json:"similarity"` // 0 to 1
	Method     string  `json:"method"`     // how that was measured
	Copy       uint64  `json:"copy"`       // ordinal that the copy has or would have; the original is 1
}

// Copy is a document that was judged a copy.
type Copy struct {
	Number    uint64    `json:"number"` // in the order in which the member learnt of it
	Judged    time.Time `json:"judged"`
	Document  Place     `json:"document"`
	Match     Match     `json:"match"`
	Reemitted bool      `json:"reemitted"` // it was let through all the same
	LateS     int64     `json:"late_s"`
}

// Result is the answer about one text.
type Result struct {
	Duplicate bool    `json:"duplicate"`
	Empty     bool    `json:"empty,omitempty"` // the text has no words to compare
	Matches   []Hit   `json:"matches"`
	Compared  int     `json:"compared"`  // documents that the text was compared with
	Cut       bool    `json:"cut"`       // documents were left out that may be similar enough
	Threshold float64 `json:"threshold"` // the least similarity of a duplicate
	Bands     int     `json:"bands"`     // of a text; documents that share none are not compared
}

// Hit is a match, and how it was found.
type Hit struct {
	Match
	Bands  []int  `json:"bands"`            // that it shares with the text, from 0
	Shared *Share `json:"shared,omitempty"` // what the similarity is made of; nil: the texts are identical
}

// Share is a fraction: shingles that both have of all that either has, or what else the method counts.
type Share struct {
	Part  uint32 `json:"part"`
	Whole uint32 `json:"whole"`
	Of    string `json:"of"`
}

// mostTexts is how many texts one request may ask for.
const mostTexts = 100

// Question is what a lookup asks.
type Question struct {
	Texts []string // bytes, which need not be UTF-8
	Scope string   // as the documents' own is written; empty: there is none
	Most  int      // matches of each text
}

// Lookup asks whether texts are duplicates of what the member remembers. Nothing is inserted.
func (c *Client) Lookup(ctx context.Context, q Question) ([]Result, error) {
	var all []Result
	for rest := q.Texts; len(rest) > 0; {
		n := min(len(rest), mostTexts)
		var answer struct {
			Results []Result `json:"results"`
		}
		ask := map[string]any{"texts": rest[:n], "most": max(1, q.Most)}
		if slices.ContainsFunc(rest[:n], func(text string) bool { return !utf8.ValidString(text) }) {
			encoded := make([][]byte, n) // as JSON has them, base64
			for i, text := range rest[:n] {
				encoded[i] = []byte(text)
			}
			ask["texts"], ask["base64"] = encoded, true
		}
		if q.Scope != "" {
			ask["scope"] = q.Scope
		}
		if err := c.post(ctx, "lookup", ask, &answer); err != nil {
			return nil, err
		}
		if len(answer.Results) != n {
			return nil, fmt.Errorf("%s answers %d results for %d texts", c.Server(), len(answer.Results), n)
		}
		all, rest = append(all, answer.Results...), rest[n:]
	}
	return all, nil
}

// Filter says which copies are meant.
type Filter struct {
	Topic string
	Scope string
	Least float64 // least similarity
	Last  int     // how many, at most; 0 leaves it to the member
}

func (f Filter) query() url.Values {
	q := url.Values{}
	set := func(key, value string, is bool) {
		if is {
			q.Set(key, value)
		}
	}
	set("topic", f.Topic, f.Topic != "")
	set("scope", f.Scope, f.Scope != "")
	set("min_similarity", strconv.FormatFloat(f.Least, 'f', -1, 64), f.Least > 0)
	set("limit", strconv.Itoa(f.Last), f.Last > 0)
	return q
}

// Recent is the last copies that a member knows of.
type Recent struct {
	Copies []Copy `json:"copies"` // the newest first
	Count  uint64 `json:"count"`  // of all copies since the member started
	After  string `json:"after"`  // Follow goes on behind them
}

// Recent asks for the last copies that the member knows of.
func (c *Client) Recent(ctx context.Context, f Filter) (r Recent, err error) {
	err = c.get(ctx, "recent", f.query(), &r)
	return r, err
}

// Status is how a member stands: what of it a person is shown first.
type Status struct {
	Version   string    `json:"version"`
	Member    string    `json:"member"`
	Time      time.Time `json:"time"`
	Group     string    `json:"group"`
	Ready     bool      `json:"ready"`
	Why       string    `json:"why"` // it is not ready
	Documents struct {
		Unique    uint64 `json:"unique"`
		Duplicate uint64 `json:"duplicate"`
		Rejected  uint64 `json:"rejected"`
		Unchecked uint64 `json:"unchecked"` // not counted as unique
	} `json:"documents"`
	Lag struct {
		Documents *int64   `json:"documents"` // nil: not known
		Seconds   *float64 `json:"seconds"`
	} `json:"lag"`
	Window struct {
		Documents  int64   `json:"documents"`
		Count      int64   `json:"count_bound"` // a bound of 0 is none
		Bytes      int64   `json:"bytes"`
		BytesBound int64   `json:"bytes_bound"`
		AgeS       float64 `json:"age_s"`
		AgeBoundS  float64 `json:"age_bound_s"`
		Bites      string  `json:"bites"` // the bound at which documents leave now; empty: none is reached
		Memory     int64   `json:"memory_bytes"`
	} `json:"window"`
	Journal struct {
		Next  int64  `json:"next"`
		End   *int64 `json:"end"`
		Bytes *int64 `json:"kept_bytes"`
	} `json:"journal"`
	Snapshot *struct {
		Taken time.Time `json:"taken"`
	} `json:"snapshot"`
	Snapshots struct {
		By     string `json:"by"`
		Failed *struct {
			Error string `json:"error"`
		} `json:"failed"`
	} `json:"snapshots"`
	Members *struct {
		State    string `json:"state"`
		Sessions []struct {
			Member     string  `json:"member"`
			Host       string  `json:"host"`
			Partitions []Place `json:"partitions"`
		} `json:"sessions"`
	} `json:"members"`
	Rate *struct {
		Documents float64 `json:"documents_per_s"`
		Share     float64 `json:"duplicate_share"`
	} `json:"rate"`
	Delay    Histogram `json:"delay"` // seconds from a document's timestamp to its commit
	Warnings []Warning `json:"warnings"`
}

// Histogram counts values by their size.
type Histogram struct {
	Bounds []float64 `json:"bounds"` // inclusive, ascending
	Counts []uint64  `json:"counts"` // one more than bounds, for what is above the last
}

// Quantile returns a bound that a share of the values does not exceed, or false if there are none or it is above all
// bounds.
func (h *Histogram) Quantile(share float64) (float64, bool) {
	sum := uint64(0)
	for _, n := range h.Counts {
		sum += n
	}
	below := uint64(0)
	for i, bound := range h.Bounds {
		if i < len(h.Counts) {
			below += h.Counts[i]
		}
		if sum > 0 && float64(below) >= share*float64(sum) {
			return bound, true
		}
	}
	return 0, false
}

// Warning is a condition that a person should look at.
type Warning struct {
	Code    string `json:"code"`
	Text    string `json:"text"`
	Remedy  string `json:"remedy"`
	Pending bool   `json:"pending"` // it has not lasted long enough to be an alert
}

// Status asks how the member stands.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.get(ctx, "status", nil, &s)
	return s, err
}
