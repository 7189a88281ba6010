package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/page"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

//go:embed frame.html
var frame string

//go:embed style.css
var style string

// About is what the head of a page says.
type About struct {
	Title   string
	Inputs  []string // names of files, or of a topic
	Made    time.Time
	Version string
	Plots   bool // the body has the JSON and the places of plots; see page.Plots
}

const mostInputs = 4

// Of names the inputs.
func (a About) Of() string {
	names := a.Inputs[:min(mostInputs, len(a.Inputs))]
	text := strings.Join(names, ", ")
	if more := len(a.Inputs) - mostInputs; more > 0 {
		text += " and " + terminal.Several(more, "other")
	}
	return text
}

// Date says when the page was made.
func (a About) Date() string { return a.Made.UTC().Format("2006-01-02 15:04 UTC") }

// Style is that of all pages.
func (About) Style() template.CSS { return template.CSS(style) } // it is our own

// Script is that of a page with plots.
func (a About) Script() template.JS {
	if !a.Plots {
		return ""
	}
	return template.JS(page.Plots()) // it is our own
}

// Hash lets the script run, and no other.
func (a About) Hash() string {
	sum := sha256.Sum256([]byte(a.Script()))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes a page. body is a template that defines "body", which shows data.
func Write(out io.Writer, about About, body string, funcs template.FuncMap, data any) error {
	t, err := template.New("frame").Funcs(funcs).Parse(frame)
	if err == nil {
		_, err = t.Parse(body)
	}
	if err == nil {
		err = t.Execute(out, struct {
			About
			Data any
		}{about, data})
	}
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
