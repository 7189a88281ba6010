// Package signing makes entries of source records on all cores, or finds the reasons why they have none: a rejection, or a
// reason to forward the document unchecked. Sessions and the feeder of a backfill use it, so that they find the same, and
// the gateway reads documents by it.
//
// What it finds follows from the record and the settings alone. So a record that is read again has the same entry. It
// judges nothing and forwards nothing. Large documents are signed a few at a time in the process, because signing takes
// many times their bytes.
package signing
