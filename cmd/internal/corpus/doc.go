// Package corpus reads documents from files, for the verbs that work without Kafka: Parquet, JSONL, arrays of JSON,
// CSV, TSV, plain lines, and files that are one document each. Any of them may be compressed by gzip, zstd or xz, or come from a
// pipe. A file that begins like one of another kind is refused: lines of a zip archive are no documents.
//
//	files ──Reader.Next──▶ chunks of whole records ──Parser.Each──▶ records: number, id, text, the bytes as they stood
//	        one goroutine                             as many goroutines as there are cores, each with a Parser
//
// Reading only finds where records end, so that one reader feeds many parsers. Chunks carry the number of their first
// record, so keeping the chunks in order keeps the documents in order.
//
// The text of a record is, in JSONL, that of the fields named; in CSV and TSV, that of the columns named in the first
// line; else the whole line or file. A record's number is its line, counted from 1, blank lines included; in CSV,
// TSV and arrays of JSON it is the number of the record, after the first line of a table. TSV is read literally, as
// IANA's text/tab-separated-values defines it: quotes mean nothing there.
package corpus
