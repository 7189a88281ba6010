package inspect

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

// Widths of the columns of copies.
const (
	copyFormat = "%-8s  %-10s  %-4s  "
	clock      = "15:04:05"
)

// WriteHead writes the head of a list of copies.
func WriteHead(out io.Writer) error {
	_, err := fmt.Fprintf(out, copyFormat+"document is like document\n", "judged", "similarity", "copy")
	return err
}

// WriteCopy writes one line for a copy. Times are those of zone.
func WriteCopy(out io.Writer, c *shape.Copy, zone *time.Location) error {
	_, err := io.WriteString(out, lineOf(c, zone, named)+"\n")
	return err
}

func lineOf(c *shape.Copy, zone *time.Location, name func(*shape.Coordinates) string) string {
	var notes []string
	if c.Reemitted {
		notes = append(notes, "let through all the same")
	}
	if c.LateS > 0 {
		notes = append(notes, fmt.Sprint(time.Duration(c.LateS)*time.Second, " late"))
	}
	note := ""
	if len(notes) > 0 {
		note = " [" + strings.Join(notes, ", ") + "]"
	}
	return fmt.Sprintf(copyFormat+"%s is like %s%s", c.Judged.In(zone).Format(clock),
		fmt.Sprintf("%.4f", c.Match.Similarity), fmt.Sprint(c.Match.Copy), name(&c.Document), name(&c.Match.Coordinates), note)
}
