package synthetic

import (
	"encoding/json"
	"time"
)

// Kind is the kind of an article.
type Kind uint8

// Kinds.
const (
	Original  Kind = iota // new text
	Exact                 // the text of an original, letter by letter
	Edited                // an original with words and sentences changed
	Lookalike             // a bulletin: the sentences of its form, other figures in them
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"original", "exact", "edited", "lookalike"}[k]
}

// Truth is what is known about a document.
type Truth struct {
	Kind       Kind
	Of         int     // number of the original of a copy, else -1
	Similarity float64 // exact word-3 Jaccard similarity of a copy to its original, else 0
}

// Document is one document to send.
type Document struct {
	Number int    // from 0, in their order
	ID     string // as the document itself says
	Title  string
	Text   string // what is compared
	Outlet string // who published it
	Time   time.Time
	Truth  Truth
}

// Value returns a JSON object with the text in "text" and the id in "id".
func (d *Document) Value() []byte {
	value, err := json.Marshal(struct {
		ID     string    `json:"id"`
		Outlet string    `json:"outlet"`
		Title  string    `json:"title"`
		Time   time.Time `json:"time"`
		Text   string    `json:"text"`
	}{d.ID, d.Outlet, d.Title, d.Time, d.Text})
	if err != nil {
		panic(err) // strings and a time of this century
	}
	return value
}
