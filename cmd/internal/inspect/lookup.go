package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

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
		fmt.Fprintf(&b, "unique: nothing that is remembered is like it (%s, threshold %s)\n", compared, number(r.Threshold))
	default:
		m := &r.Matches[0]
		fmt.Fprintf(&b, "duplicate of %s: similarity %.4f by %s (%s, threshold %s)\n", named(&m.Coordinates), m.Similarity,
			m.Method, compared, number(r.Threshold))
		for i := range r.Matches {
			explain(&b, &r.Matches[i], r.Bands, len(r.Matches) > 1)
		}
	}
	if r.Cut {
		b.WriteString("  Not all candidates were compared: a closer one may have been left out.\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// explain writes how a match was found.
func explain(b *strings.Builder, h *shape.Hit, bands int, several bool) {
	if several {
		fmt.Fprintf(b, "  %.4f  %s\n", h.Similarity, named(&h.Coordinates))
	}
	var parts []string
	if !h.Time.IsZero() {
		parts = append(parts, "from "+h.Time.UTC().Format(time.DateTime))
	}
	parts = append(parts, fmt.Sprintf("this would be copy %d", h.Copy))
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
