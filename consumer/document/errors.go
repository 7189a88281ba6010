package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/unecho/unecho/sink"
)

// ErrParams is returned by New for Params in which Validate finds mistakes.
var ErrParams = errors.New("document settings")

// ErrScope is returned for a name that is no scope here.
var ErrScope = errors.New("scope")

// maxDetail bounds a rejection's detail in bytes; names of fields and headers may be long.
const maxDetail = 200

// reject builds a Rejection whose detail may stand in a header and on a terminal.
func reject(reason sink.Reason, format string, args ...any) *Rejection {
	detail := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, fmt.Sprintf(format, args...))
	for len(detail) > maxDetail {
		_, size := utf8.DecodeLastRuneInString(detail)
		detail = detail[:len(detail)-size]
	}
	return &Rejection{Reason: reason, Detail: detail}
}
