// Package corpus reads documents from files, for the verbs that work without Kafka: JSONL, CSV, TSV, plain lines, and files
// that are a document each; any of them compressed by gzip or zstd; from a pipe as well.
//
//	files ──Reader.Next──▶ chunks of whole records ──Parser.Each──▶ records: number, id, text, the bytes as they stood
//	        one goroutine                             as many goroutines as there are cores, each with a Parser
//
// Reading finds where records end and nothing more, so that one reader feeds many parsers. Chunks carry the number of their
// first record: whoever keeps them in order has the documents in order.
//
// What a record's text is: in JSONL the fields named, in CSV and TSV the columns named in the first line, else the whole
// line or file. A record's number is its line, counted from 1, blank lines too; in CSV and TSV it is the record behind the
// first line. TSV is taken literally, as IANA's text/tab-separated-values has it: quotes mean nothing there.
package corpus
