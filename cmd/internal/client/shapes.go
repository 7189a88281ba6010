package client

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"
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
	Texts []string
	Scope string // as the documents' own is written; empty: there is none
	Most  int    // matches of each text
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

// Recent returns the last copies that the member knows of, the newest first.
func (c *Client) Recent(ctx context.Context, f Filter) ([]Copy, error) {
	var answer struct {
		Copies []Copy `json:"copies"`
	}
	err := c.get(ctx, "recent", f.query(), &answer)
	return answer.Copies, err
}
