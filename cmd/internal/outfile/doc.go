// Package outfile writes the files of verbs, and protects what must not be lost by that.
//
//	Files    all that a verb will write, held against what it reads before anything is written
//	File     lines that are written as they fall, in the background: what the file held stays until there is a first one
//	Outputs  the files that one verb writes side by side: begun, ended and closed together
//	Records  a file of records of one kind: lines, or rows of Parquet where it is named so
//	Single   a file that is written whole at the end, or standard output
//	Replace  a file that appears when it is whole, in the place of another
//	Table    documents below the first lines of their tables
//	Create   a file that appears when it is whole, where none may be
package outfile
