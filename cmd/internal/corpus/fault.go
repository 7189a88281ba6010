package corpus

import (
	"fmt"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

// Reasons of files, beside those of documents.
const (
	Unreadable   sink.Reason = "unreadable"    // a file, or what follows in it, cannot be read
	Unrecognised sink.Reason = "unrecognised"  // a file is of no kind that is read
	WrongColumns sink.Reason = "wrong_columns" // a row has not as many columns as the first, or a table not those named
	WrongQuotes  sink.Reason = "wrong_quotes"  // quotation marks in a row of CSV are not as they should be
)

// OfFile says whether a rejection is that of a whole file, or of all that follows in it; number is that of the record.
func OfFile(bad *document.Rejection, number int) bool {
	return bad.Reason == Unreadable || bad.Reason == Unrecognised || bad.Reason == WrongColumns && number == 0
}

// fault is what is wrong with a file, or at a place in it. It is reported as a record that is rejected.
type fault struct {
	number int // of the record; 0 for the file, or what follows in it
	line   int // where that begins
	reason sink.Reason
	err    error
}

// Error returns what is wrong, without the name of the file.
func (f *fault) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *fault) Unwrap() error { return f.err }

// Refused returns the error of a record that is rejected where every one is to be a document.
func (r *Record) Refused(bad *document.Rejection) error {
	place := NameOf(r.File)
	if r.Line > 0 {
		place = fmt.Sprintf("%s: line %d", place, r.Line)
	}
	return fmt.Errorf("read %s: %s: %s", place, bad.Reason, bad.Detail)
}

// MistakeError says that fields or columns were asked for that are nowhere.
type MistakeError struct{ text string }

func (e *MistakeError) Error() string { return e.text }
