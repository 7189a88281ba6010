package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/unecho/unecho/consumer/topic"
	normal "github.com/unecho/unecho/index/text"
)

// Bounds of the texts that are told.
const (
	maxText     = 64 << 10 // bytes of a text, and of a value
	textsAtOnce = 2        // records that are read at a time: each takes up to the memory of a batch
)

// text is what a document's record holds now.
type text struct {
	Missing  string `json:"missing,omitempty"`  // why there is none; then the others are empty
	Rejected string `json:"rejected,omitempty"` // the reason for which such a record is no document
	Text     string `json:"text"`               // what is compared, before it is normalised
	Cut      bool   `json:"cut"`                // Text is only the first part
	Raw      string `json:"raw"`                // the record's value; what is not UTF-8 is replaced
	RawCut   bool   `json:"raw_cut"`
	RawBytes int    `json:"raw_bytes"`
}

// addText reads the document's text from its topic. It answers by itself if it cannot.
func (a *api) addText(w http.ResponseWriter, r *http.Request, m *remembered) bool {
	select {
	case a.texts <- struct{}{}:
		defer func() { <-a.texts }()
	default:
		busy(w)
		return false
	}
	t, err := a.readText(r.Context(), m)
	if err != nil {
		a.Logger.Warn().Err(err).Msg("the text of a document cannot be read for an API request")
		fail(w, http.StatusBadGateway, "Kafka does not give the record now", "ask again; the log of this member says why")
		return false
	}
	m.Text = t
	return true
}

func (a *api) readText(ctx context.Context, m *remembered) (*text, error) {
	in, err := a.Service.Record(ctx, m.source, m.Topic, m.Offset)
	switch {
	case errors.Is(err, topic.ErrNoRecord):
		return &text{Missing: "the record is gone by retention or compaction"}, nil
	case errors.Is(err, topic.ErrOther):
		return &text{Missing: "the topic was deleted and created again since"}, nil
	case err != nil:
		return nil, err
	}
	t := &text{RawBytes: len(in.Value)}
	t.Raw, t.RawCut = cut(in.Value)
	d, bad, err := a.reader.Read(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	if bad != nil {
		t.Rejected = string(bad.Reason)
		return t, nil
	}
	t.Text, t.Cut = cut(d.Text)
	return t, nil
}

// cut returns the first part of a text, whole characters of it, and whether there is more.
func cut(b []byte) (string, bool) { return string(normal.Cut(b, maxText)), len(b) > maxText }
