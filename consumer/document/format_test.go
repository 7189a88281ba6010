package document

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// asking is a format that asks others. For a value that begins with "id" it returns a long id.
type asking struct{ away error }

func (a asking) decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	if err := errors.Join(ctx.Err(), a.away); err != nil {
		return Document{}, nil, err
	}
	if strings.HasPrefix(string(in.Value), "id") {
		return Document{ID: make([]byte, sink.MaxIDBytes+1)}, nil, nil
	}
	return Document{Text: in.Value, Buffer: buf}, nil, nil
}

// If a decoder cannot decide, it returns an error, which is not the record's fault. Rules of all formats are applied
// outside the decoders.
func TestDecoderMayAsk(t *testing.T) {
	r := newReader(t, DefaultParams())
	away, canceled := errors.New("away"), func() context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	}()
	for name, c := range map[string]struct {
		ctx    context.Context
		away   error
		value  string
		err    error
		reason sink.Reason
	}{
		"answered":      {t.Context(), nil, "text", nil, ""},
		"away":          {t.Context(), away, "text", away, ""},
		"stopped":       {canceled, nil, "text", context.Canceled, ""},
		"not asked":     {t.Context(), away, "", nil, ""},
		"too large":     {t.Context(), away, strings.Repeat("x", 1<<20+1), nil, sink.TooLarge},
		"too long a id": {t.Context(), nil, "id", nil, sink.TooLarge},
	} {
		r.decoder = asking{c.away}
		doc, bad, err := r.Reader.Read(c.ctx, Input{Value: []byte(c.value)}, nil)
		if !errors.Is(err, c.err) || err != nil && bad != nil {
			t.Errorf("%s: error %v, rejection %v", name, err, bad)
		}
		if bad == nil && c.reason != "" || bad != nil && bad.Reason != c.reason {
			t.Errorf("%s: Read returns %v, rejection %v; want the reason %q", name, doc, bad, c.reason)
		}
	}
}

// TestFormats: the words of sources.format are those of the table, and all of them are known.
func TestFormats(t *testing.T) {
	for _, f := range setting.Fields(DefaultParams()) {
		if f.Key != "format" {
			continue
		}
		if got := strings.Join(f.Enum, " "); !strings.HasPrefix(got, "raw html json") { // the first is the default
			t.Errorf("formats %s", got)
		}
		for _, word := range f.Enum {
			if formatOf(word).name != word {
				t.Errorf("%s is found as %s", word, formatOf(word).name)
			}
		}
	}
	p := DefaultParams()
	p.Format = "yaml"
	if wrong := p.Validate(); len(wrong) != 1 || wrong[0].Key != "format" {
		t.Errorf("yaml: %v", wrong)
	}
}
