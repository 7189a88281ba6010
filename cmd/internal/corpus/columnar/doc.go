// Package columnar reads the rows of Parquet files as JSON objects, and writes chosen rows of them, and records of a type
// of Go, to a Parquet file.
//
//	file ──Open──▶ Rows.Append ──▶ a row as a JSON object, by its columns' names
//	     ──NewCopier──▶ Copier.Row ──▶ the row as it is, all columns and types, in another file
//	     ──NewAnnotator──▶ Annotator.Row ──▶ the same, and behind it a record, of the columns that its tags name
//	a record ──NewRecords──▶ Records.Write ──▶ a row, of the columns that its tags name
//
// JSON has fewer types than columns. A list is an array; a map is an array of objects of key and value; a struct is an
// object. Times, dates and timestamps are texts as in RFC 3339, decimals are numbers with all their digits, and what is
// not finite is a text. Bytes that are no text are base64, except in the columns that are named as text.
//
// The library below was made for files that are sound. A file may be hostile: sizes in its metadata, and the counts,
// runs and lengths in its pages, are checked before anything of that size is made (check.go, pages.go), a page that would
// be too large is refused, and what the library panics with is an error here (guard). Errors say which row group they are
// about, but not which file, and never where in the program they were found.
package columnar
