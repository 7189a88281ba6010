package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// Documents are the documents to be sent.
type Documents struct {
	Input
	expected int // 0 is unknown
}

// Open opens the named file, or else makes articles. It is called before anything is started, so that a wrong name is
// noticed first.
func Open(input string, p synthetic.Params) (*Documents, error) {
	docs, err := OpenInput(input, p)
	if input != "" {
		p.Documents = 0
	}
	return &Documents{Input: docs, expected: p.Documents}, err
}

// each calls send with the value of each document.
func (d *Documents) each(ctx context.Context, send func(value []byte) error) error {
	return d.Each(ctx, func(int) {}, func(line int, document []byte) error {
		return send(object(line, document))
	})
}

// object makes an object of a line that is a string. Any other line is a document as it is: the filter rejects what is
// no object, with a reason.
func object(line int, document []byte) []byte {
	var text string
	if bytes.TrimSpace(document)[0] != '"' || json.Unmarshal(document, &text) != nil {
		return bytes.Clone(document)
	}
	value, err := json.Marshal(struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{fmt.Sprintf("line-%d", line), text})
	if err != nil {
		panic(err) // strings
	}
	return value
}
