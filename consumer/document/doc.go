// Package document reads a Kafka record as a document: its text, its id, and its scope. A document is compared only
// with documents of the same scope. The package comes before signing: it refuses a record before anything is appended
// to the journal.
//
// A bad document is data, not an error. Read answers with a Rejection, whose reason labels metrics and whose detail
// says where the record is wrong. The detail never contains text of the document. All settings decide verdicts, so
// every member must read alike:
//
//   - The JSON scanner is this package's own: one pass, no copies, nesting bounded, and the same on every toolchain. What it
//     accepts is what RFC 8259 accepts; a byte order mark before it is skipped.
//   - Of a key that stands twice in an object the last one counts, as it does for nearly every reader downstream. Of a
//     header that stands twice, too.
//   - A null counts as absent. Field names are compared byte for byte, after unescaping.
//   - Strings of an array are joined by a line break, and so are several fields, in the order of the settings.
//   - Invalid UTF-8 and lone surrogates are judged (document.invalid_utf8) in the strings that are read, not in others.
//   - An absent id means the coordinates; one of more than sink.MaxIDBytes is a rejection, as headers have room for no more.
//   - An absent scope is a rejection: else documents whose scope is unknown would be compared with each other.
//   - An empty document (a tombstone, white space, an empty string) is never compared and so needs no scope.
package document
