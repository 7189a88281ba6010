package corpus

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// headBytes is how much of a file is looked at to recognise it.
const headBytes = 1 << 10

// kind is something that is no text, known by the bytes it begins with.
type kind struct {
	at    int // where the bytes are
	magic string
	what  string // it is
	do    string // what to do
}

const parquetMagic = "PAR1"

// isParquet says whether a file is Parquet by how it begins.
func isParquet(head []byte) bool {
	return bytes.HasPrefix(head, []byte(parquetMagic)) && !printable(head)
}

// kinds lists what is commonly taken for a file of documents and is none.
func kinds() []kind {
	return []kind{
		{0, parquetMagic, "a Parquet file", "leave out --format, or name it .parquet"},
		{0, "ARROW1\x00\x00", "an Arrow file", "write it as Parquet: pyarrow.parquet.write_table(pyarrow.ipc.open_file(IN).read_all(), OUT)"},
		{0, "\xff\xff\xff\xff", "an Arrow stream, or another binary format", "write it as Parquet: " +
			"pyarrow.parquet.write_table(pyarrow.ipc.open_stream(IN).read_all(), OUT)"},
		{0, "FEA1", "a Feather file of version 1", "write it as Parquet: pyarrow.parquet.write_table(pyarrow.feather.read_table(IN), OUT)"},
		{0, "ORC", "an ORC file", "convert it to Parquet or JSONL"},
		{0, "Obj\x01", "an Avro file", "convert it to Parquet or JSONL"},
		{0, "PK\x03\x04", "a zip archive, or a document in one", "unpack it"},
		{0, "BZh", "compressed by bzip2", "unpack it, or pipe it through bzcat"},
		{0, "\x04\x22\x4d\x18", "compressed by lz4", "unpack it, or pipe it through lz4cat"},
		{0, "\xff\x06\x00\x00sNaPpY", "compressed by snappy", "unpack it"},
		{0, "7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"},
		{257, "ustar", "a tar archive", "unpack it and name its files"},
		{0, "SQLite format 3\x00", "an SQLite database", "export the table as CSV or JSONL"},
		{0, "%PDF-", "a PDF", "extract its text"},
		{0, "\xff\xfe\x00\x00", "text in UTF-32", "convert it by iconv -f UTF-32 -t UTF-8"},
		{0, "\x00\x00\xfe\xff", "text in UTF-32", "convert it by iconv -f UTF-32 -t UTF-8"},
		{0, "\xff\xfe", "text in UTF-16", "convert it by iconv -f UTF-16 -t UTF-8"},
		{0, "\xfe\xff", "text in UTF-16", "convert it by iconv -f UTF-16 -t UTF-8"},
	}
}

// recognise returns an error if a file begins like one that is no text. guessed says that its format was not named.
func recognise(head []byte, guessed bool) error {
	for _, k := range kinds() {
		if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) && !printable(head) {
			return fmt.Errorf("it is %s: %s", k.what, k.do)
		}
	}
	if encoding := wide(head); encoding != "" {
		return fmt.Errorf("it is text in %[1]s without a byte order mark: convert it by iconv -f %[1]s -t UTF-8", encoding)
	}
	if at := bytes.IndexByte(head, 0); guessed && at >= 0 {
		return fmt.Errorf("byte %d is 0, so it is no text: name its --format if it is", at+1)
	}
	return nil
}

// wide returns the encoding of a text of two or four bytes for each character, by where its bytes of 0 are; empty if it is none.
// Characters of Latin have one at the same place each, and those of other scripts have spaces and line breaks among them.
func wide(head []byte) string {
	var zeros [4]int // by their place among four bytes
	for i, b := range head {
		if b == 0 {
			zeros[i%4]++
		}
	}
	const fewest, share = 2, 16 // so many at least, and one in so many characters: all at one place by chance are fewer
	enough := func(n int) bool { return n >= fewest && 2*share*n >= len(head) }
	first, second := zeros[0]+zeros[2], zeros[1]+zeros[3]
	switch {
	case enough(zeros[2]) && zeros[3] == len(head)/4 && zeros[0] == 0:
		return "UTF-32LE"
	case enough(zeros[1]) && zeros[0] == (len(head)+3)/4 && zeros[3] == 0:
		return "UTF-32BE"
	case enough(second) && first == 0:
		return "UTF-16LE"
	case enough(first) && second == 0:
		return "UTF-16BE"
	}
	return ""
}

// printable says whether nothing shows that data is no text. A text may begin with the letters of a magic.
func printable(data []byte) bool {
	if len(data) == headBytes { // it may end within a character
		data = data[:len(data)-utf8.UTFMax+1]
	}
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		return false
	}
	return !bytes.ContainsFunc(data, func(r rune) bool { return r == '\ufffd' || r < ' ' && !strings.ContainsRune("\t\n\r\f", r) })
}

// unpackedName returns a name without the suffix of compression.
func unpackedName(name string) string {
	for _, packed := range []string{".gz", ".zst", ".zstd", ".xz"} {
		name = strings.TrimSuffix(name, packed)
	}
	return name
}

// jsonFormat tells JSON of which each line is an object from an array, and from objects that stand on several lines, by
// how a file begins.
func jsonFormat(head []byte) string {
	head = bytes.TrimLeft(head, blanks)
	line, _, whole := bytes.Cut(head, []byte{'\n'})
	line = bytes.TrimRight(line, blanks)
	if bytes.HasPrefix(head, []byte{'['}) || whole && bytes.HasPrefix(line, []byte{'{'}) && !bytes.HasSuffix(line, []byte{'}'}) {
		return JSON
	}
	return JSONL
}

// guess returns the format of what has no name.
func guess(head []byte) string {
	head = bytes.TrimLeft(head, blanks)
	if bytes.HasPrefix(head, []byte{'{'}) {
		return jsonFormat(head)
	}
	if within, array := bytes.CutPrefix(head, []byte{'['}); array {
		within = bytes.TrimLeft(within, blanks)
		if bytes.HasPrefix(within, []byte{'{'}) || bytes.HasPrefix(within, []byte{']'}) {
			return JSON
		}
	}
	return Lines
}
