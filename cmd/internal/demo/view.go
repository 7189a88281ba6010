package demo

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/sink"
)

// event is one document and its verdict, as the demo shows it. Its strings may be anything a document can hold.
type event struct {
	At      time.Time // when the verdict fell
	ID      string    // as the document says, or its coordinates
	Outlet  string    // may be empty
	Title   string    // may be empty
	Verdict string    // sink.Unique, sink.Duplicate or sink.Rejected

	// Of a duplicate.
	MatchID     string
	MatchOutlet string // may be empty
	MatchTitle  string // may be empty
	Similarity  int    // in ten-thousandths
	Method      string
	Copy        uint64

	// Of a rejected document.
	Reason string
	Detail string
}

// verdictView shows verdicts as they are given. Its owner calls show, calls refresh some ten times a second, and calls
// close at the end, all from one goroutine.
type verdictView interface {
	// show takes the next verdict.
	show(e event)
	// refresh writes what was shown since the last call, and the present counts. It returns the first error of writing.
	refresh(now time.Time) error
	// close writes the rest and restores the terminal.
	close() error
}

type viewOptions struct {
	Terminal bool             // else plain lines
	Color    bool             // on a terminal
	Width    func() int       // of the terminal now; asked again at each refresh
	Total    int              // Documents to come, 0 if that is not known
	Page     func() string    // where a browser shows the same; may be nil
	Screen   *terminal.Screen // for messages on the same terminal, if there are any
}

// viewOptionsFor looks at out and the environment.
func viewOptionsFor(out io.Writer, getenv func(string) string, total int) viewOptions {
	o := viewOptions{Total: total}
	file, ok := out.(*os.File)
	if !ok || !terminal.Is(file) || getenv("TERM") == "dumb" {
		return o
	}
	o.Terminal = true
	o.Color = getenv("NO_COLOR") == ""
	o.Width = func() int { return terminal.WidthOf(file) }
	return o
}

// newView returns the view that suits the output.
func newView(out io.Writer, o viewOptions) verdictView {
	if !o.Terminal {
		return &plainView{out: bufio.NewWriterSize(out, 64<<10)}
	}
	return newLiveView(out, o)
}

// plainView writes a line for each verdict, to be read by people and by grep. Its out remembers the first error.
type plainView struct{ out *bufio.Writer }

// plainTitle bounds a title in columns, where nothing else does.
const plainTitle = 120

func (v *plainView) show(e event) {
	fmt.Fprintf(v.out, "%-9s  %s", e.Verdict, terminal.Printable(e.ID, plainTitle))
	switch e.Verdict {
	case sink.Duplicate:
		fmt.Fprintf(v.out, "  of %s  %s %s, copy %d", terminal.Printable(e.MatchID, plainTitle), terminal.FourDecimals(e.Similarity),
			terminal.Printable(e.Method, plainTitle), e.Copy)
	case sink.Rejected:
		fmt.Fprintf(v.out, "  %s", terminal.Printable(e.Reason+": "+e.Detail, sink.MaxDetailBytes))
	}
	if title := headline(e.Outlet, e.Title); title != "" {
		fmt.Fprintf(v.out, "  %s", terminal.Printable(title, plainTitle))
	}
	fmt.Fprintln(v.out)
}

func (v *plainView) refresh(time.Time) error { return v.out.Flush() }

func (v *plainView) close() error { return v.out.Flush() }

// headline joins outlet and title, either of which may be missing.
func headline(outlet, title string) string {
	if outlet == "" || title == "" {
		return outlet + title
	}
	return outlet + ": " + title
}
