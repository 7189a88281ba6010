package main

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
)

// rejections count documents that cannot be compared, and keep why the first of them cannot.
type rejections struct {
	count int
	first string
}

// add takes a document; without a rejection there is nothing to count.
func (r *rejections) add(name string, bad *document.Rejection) {
	if bad == nil {
		return
	}
	if r.count++; r.count == 1 {
		r.first = name + ": " + string(bad.Reason) + ": " + bad.Detail
	}
}

// tell says so, if there are any; meaning is what that comes to.
func (r *rejections) tell(out io.Writer, meaning string) {
	if r.count > 0 {
		fmt.Fprintf(out, "unecho: %s rejected%s; the first is %s\n", terminal.Several(r.count, "document"), meaning, terminal.Printable(r.first, terminal.LongLine))
	}
}
