package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// resultFile is a file that is written, or standard output.
type resultFile struct {
	*bufio.Writer
	file *os.File // nil for standard output
}

// newResultFile opens a file, whose content stays until begin.
func newResultFile(path string, stdout io.Writer) (*resultFile, error) {
	if path == "-" {
		return &resultFile{Writer: bufio.NewWriterSize(stdout, 64<<10)}, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("write results: %w", err)
	}
	return &resultFile{Writer: bufio.NewWriterSize(f, 64<<10), file: f}, nil
}

// begin empties the file. Nothing may have been flushed before.
func (o *resultFile) begin() error {
	if o.file == nil {
		return nil
	}
	info, err := o.file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = o.file.Truncate(0)
	}
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// raw writes a line, with a line break if it has none.
func (o *resultFile) raw(line []byte) error {
	if o == nil {
		return nil
	}
	_, err := o.Write(line)
	if err == nil && (len(line) == 0 || line[len(line)-1] != '\n') {
		err = o.WriteByte('\n')
	}
	return err
}

func (o *resultFile) json(line any) error {
	if o == nil {
		return nil
	}
	return json.NewEncoder(o).Encode(line)
}

// close closes the file; what was not flushed is lost.
func (o *resultFile) close() error {
	if o == nil {
		return nil
	}
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// appendTSV appends a line of columns, which unescapeTSV reads. What would end a column or a line is written as in Go: \t, \n,
// \r, and \\.
func appendTSV(dst []byte, columns ...string) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if strings.ContainsAny(c, "\\\t\n\r") {
			c = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(c)
		}
		dst = append(dst, c...)
	}
	return append(dst, '\n')
}

// unescapeTSV is a column as it was before appendTSV. Another backslash stands for itself.
func unescapeTSV(column string) string {
	if !strings.Contains(column, "\\") {
		return column
	}
	return strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(column)
}
