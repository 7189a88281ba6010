// Package report is the frame of the pages that verbs write as files: a head that says what a page is about, of which
// documents, when and by which version it was made, and a style for light and dark. A page loads nothing.
package report
