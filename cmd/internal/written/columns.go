package written

import "strings"

// AppendTSV appends a line of columns, which UnescapeTSV reads. Characters that would end a column or a line are
// written as in Go: \t, \n, \r, and \\.
func AppendTSV(dst []byte, columns ...string) []byte {
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

// UnescapeTSV returns a column as it was before AppendTSV. Any other backslash stands for itself.
func UnescapeTSV(column string) string {
	if !strings.Contains(column, "\\") {
		return column
	}
	return strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(column)
}
