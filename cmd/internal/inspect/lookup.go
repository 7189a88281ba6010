package inspect

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// mostBytes bounds what is asked at once. The member refuses a text above its advanced.max_document_bytes, and a request of more
// than 4 MiB.
const (
	mostBytes = 3 << 20
)

// Asker asks a member about texts, several at a time, and writes what it says of each, in their order.
type Asker struct {
	Client *Client
	Scope  string
	Topic  string
	Most   int // matches of each text
	Out    io.Writer
	JSON   bool // a JSON object for each text
	Named  bool // with what each text is called

	Unique int // texts so far that are no duplicates

	names, texts []string
	bytes        int
}

// Text asks about the whole of in, perhaps not at once.
func (a *Asker) Text(ctx context.Context, name string, in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, mostBytes+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > mostBytes {
		return fmt.Errorf("%.60s has more than %d bytes, which no member compares", name, mostBytes)
	}
	return a.add(ctx, name, string(text))
}

// Lines asks about each line of in that is not empty.
func (a *Asker) Lines(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostBytes)
	for n := 1; lines.Scan(); n++ {
		if text := lines.Text(); strings.TrimSpace(text) != "" {
			if err := a.add(ctx, text, text); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line has more than %d bytes, which no member compares", mostBytes)
	}
	return lines.Err()
}

func (a *Asker) add(ctx context.Context, name, text string) error {
	size := written(text)
	if len(a.texts) == mostTexts || a.bytes+size > mostBytes {
		if err := a.Flush(ctx); err != nil {
			return err
		}
	}
	a.names, a.texts, a.bytes = append(a.names, name), append(a.texts, text), a.bytes+size
	return nil
}

// written is how many bytes of JSON a text takes at most, be it in base64 because one beside it is not UTF-8.
func written(text string) int {
	encoded, _ := json.Marshal(text) // each string has its JSON
	return max(len(encoded), base64.StdEncoding.EncodedLen(len(text))+len(`""`)) + len(",")
}

// Flush asks about the texts that were not asked about yet.
func (a *Asker) Flush(ctx context.Context) error {
	if len(a.texts) == 0 {
		return nil
	}
	results, err := a.Client.Lookup(ctx, Question{Texts: a.texts, Scope: a.Scope, Topic: a.Topic, Most: a.Most})
	if err != nil {
		return err
	}
	for i := range results {
		if !results[i].Duplicate {
			a.Unique++
		}
		if err := a.write(a.names[i], &results[i]); err != nil {
			return err
		}
	}
	a.names, a.texts, a.bytes = a.names[:0], a.texts[:0], 0
	return nil
}

func (a *Asker) write(name string, r *shape.Result) error {
	if a.JSON {
		return terminal.WriteJSON(a.Out, struct {
			Text string `json:"text"` // or the file's name
			*shape.Result
		}{name, r})
	}
	if !a.Named {
		name = ""
	}
	return WriteResult(a.Out, name, r)
}

// Columns of what documents name themselves.
const (
	idColumns   = 60
	textColumns = 60
)

// WriteResult writes what is known of one text. name is what the text is called if there are several; else it is empty.
func WriteResult(out io.Writer, name string, r *shape.Result) error {
	var b strings.Builder
	if name != "" {
		fmt.Fprintf(&b, "%s: ", terminal.Printable(name, textColumns))
	}
	compared := "compared with " + terminal.Several(r.Compared, "document")
	switch {
	case r.Empty:
		b.WriteString("unique: it has no words to compare\n")
	case !r.Duplicate:
		fmt.Fprintf(&b, "unique: nothing similar enough was found (%s, threshold %s)\n", compared, number(r.Threshold))
		near(&b, r)
	default:
		m := &r.Matches[0]
		fmt.Fprintf(&b, "duplicate of %s: similarity %.4f by %s (%s, threshold %s)\n", named(&m.Coordinates), m.Similarity,
			m.Method, compared, number(r.Threshold))
		for i := range r.Matches {
			if m = &r.Matches[i]; len(r.Matches) > 1 {
				fmt.Fprintf(&b, "  %.4f  %s\n", m.Similarity, named(&m.Coordinates))
			}
			explain(&b, m, fmt.Sprintf("this would be copy %d", m.Copy), r.Bands)
		}
	}
	if r.Cut {
		b.WriteString("  Not all candidates were compared: a closer one may have been left out.\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// near writes which of the documents compared is the nearest, and what it lacks.
func near(b *strings.Builder, r *shape.Result) {
	if n := r.Nearest; n != nil {
		lacks := fmt.Sprintf("%d more %s would make it a duplicate", n.Missing, n.Shared.Of)
		if n.Missing == 0 {
			lacks = "similar enough, but once in a thousand times digests say otherwise"
		}
		fmt.Fprintf(b, "  nearest: %s: similarity %.4f by %s\n", named(&n.Coordinates), n.Similarity, n.Method)
		explain(b, &shape.Hit{Match: shape.Match{Coordinates: n.Coordinates}, Bands: n.Bands, Shared: &n.Shared}, lacks, r.Bands)
	}
	fmt.Fprintf(b, "  Documents that share none of its %s were not compared: one may be nearer.\n", terminal.Several(r.Bands, "band"))
}

// explain writes how a document was found, and what follows.
func explain(b *strings.Builder, h *shape.Hit, follows string, bands int) {
	var parts []string
	if !h.Time.IsZero() {
		parts = append(parts, "from "+h.Time.UTC().Format(time.DateTime))
	}
	parts = append(parts, follows)
	if h.Shared != nil {
		parts = append(parts, fmt.Sprintf("%d of %d %s in common", h.Shared.Part, h.Shared.Whole, h.Shared.Of))
	} else {
		parts = append(parts, "the same text")
	}
	if bands > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d bands", len(h.Bands), bands))
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(parts, ", "))
}

// named is a document's id, if it has one of its own, and its coordinates.
func named(p *shape.Coordinates) string {
	coordinates := terminal.Printable(p.Coordinates(), terminal.LongLine)
	if p.ID == "" || p.ID == p.Coordinates() {
		return coordinates
	}
	return terminal.Printable(p.ID, idColumns) + " (" + coordinates + ")"
}

// briefly is a document's id, or else its coordinates.
func briefly(p *shape.Coordinates) string {
	if p.ID == "" {
		return terminal.Printable(p.Coordinates(), terminal.LongLine)
	}
	return terminal.Printable(p.ID, idColumns)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
