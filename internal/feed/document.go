package feed

import (
	"encoding/json"
	"time"
)

// Kind is the kind of a document of a feed.
type Kind uint8

// Kinds.
const (
	Unknown   Kind = iota // a document of the user
	Original              // new text
	Exact                 // the text of an original, letter by letter
	Edited                // an original with words and sentences changed
	Lookalike             // a bulletin: the sentences of its form, other figures in them
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"unknown", "original", "exact", "edited", "lookalike"}[k]
}

// Truth is what the feed knows about a document.
type Truth struct {
	Kind       Kind
	Of         int     // number of the original of a copy, else -1
	Similarity float64 // exact word-3 Jaccard similarity of a copy to its original, else 0
}

// Document is one document to send.
type Document struct {
	Number int    // from 0, in the order of the feed
	ID     string // as the document itself says
	Title  string
	Text   string // what is compared
	Outlet string // who published it; empty for the user's documents
	Time   time.Time
	Truth  Truth

	value []byte // what to send, if it is not made from the other fields
}

// Value returns the record's value: a JSON object with the text in "text" and the id in "id", or the user's own line.
func (d *Document) Value() []byte {
	if d.value != nil {
		return d.value
	}
	value, err := json.Marshal(struct {
		ID     string    `json:"id"`
		Outlet string    `json:"outlet,omitempty"`
		Title  string    `json:"title,omitempty"`
		Time   time.Time `json:"time,omitzero"`
		Text   string    `json:"text"`
	}{d.ID, d.Outlet, d.Title, d.Time, d.Text})
	if err != nil {
		panic(err) // strings and a time of this century
	}
	return value
}
