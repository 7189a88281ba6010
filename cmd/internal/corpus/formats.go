package corpus

import (
	"path/filepath"
	"slices"
	"strings"
)

// Formats of a file.
const (
	Auto  = "auto"  // by the file's name; of standard input, by its first byte
	JSONL = "jsonl" // a JSON object on each line
	JSON  = "json"  // an array of JSON objects, or objects one after another
	CSV   = "csv"   // RFC 4180, with a header
	TSV   = "tsv"   // tabs between columns, with a header
	Lines = "lines" // a document on each line
	Text  = "text"  // the file is a document

	Parquet = "parquet" // a row is a document
)

// format is a format of files: how a file is taken apart into records. It is no sources.format, which says what one
// record is; each record is then read as one of those.
type format struct {
	name    string
	endings []string // of the names of files that have it
	record  string   // sources.format by which a record of the file is read
	topic   string   // sources.format of what it becomes in a topic
}

func formats() []format {
	return []format{
		{JSONL, []string{".jsonl", ".ndjson", ".jl"}, "json", "json"},
		{JSON, []string{".json"}, "json", "json"},
		{CSV, []string{".csv"}, "raw", "json"}, // its columns are found here
		{TSV, []string{".tsv", ".tab"}, "raw", "json"},
		{Parquet, []string{".parquet", ".pq", ".arrow", ".feather"}, "json", "json"}, // the last two are refused by how they begin
		{Lines, nil, "raw", "raw"},
		{Text, nil, "raw", "raw"},
	}
}

// Formats lists the names of the formats.
func Formats() []string {
	names := []string{Auto}
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// FormatsHelp is what help says of a flag that takes one of them.
func FormatsHelp() string {
	return "auto (by name and beginning), " + strings.Join(Formats()[1:len(formats())], ", ") +
		", or " + Text + ": the file is a document"
}

// InTopic returns the sources.format of what the records of a format become in a topic.
func InTopic(format string) string { return named(format).topic }

func named(name string) format {
	all := formats()
	return all[slices.IndexFunc(all, func(f format) bool { return f.name == name })]
}

// formatOf returns a file's format by its name, ignoring the suffix of compression.
func formatOf(name string) (format string, known bool) {
	ending := filepath.Ext(unpackedName(strings.ToLower(name)))
	for _, f := range formats() {
		if slices.Contains(f.endings, ending) {
			return f.name, true
		}
	}
	return Lines, false
}

// LayoutFlags lists the flags of verbs that say how files become documents, and decide something in some formats only.
func LayoutFlags() []string {
	return []string{"fields", "id", "delimiter", "lenient-quotes"}
}

// Decides says whether such a flag decides something in a format.
func Decides(flag, format string) bool {
	switch flag {
	case "delimiter", "lenient-quotes":
		return format == CSV || format == Auto
	}
	return format != Lines && format != Text
}

// checkAsked returns a *MistakeError for a flag that was given and decides nothing in any of the files.
func (r *Reader) checkAsked() error {
	for _, flag := range r.params.Asked {
		if len(r.formats) > 0 && !slices.ContainsFunc(r.formats, func(format string) bool { return Decides(flag, format) }) {
			return &MistakeError{"--" + flag + " has no effect on these files, which were read as " + strings.Join(r.formats, " and ") +
				": leave it out, or name their --format"}
		}
	}
	return nil
}

func (r *Reader) met(format string) {
	if !slices.Contains(r.formats, format) {
		r.formats = append(r.formats, format)
	}
}
