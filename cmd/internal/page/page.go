package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed assets
var assets embed.FS

// policy lets a browser load what this server serves, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

type file struct {
	name, kind, tag string
	data            []byte
}

// New returns the handler of / and of all paths below /page/. It answers GET and HEAD.
func New() (http.Handler, error) {
	files, err := load(assets)
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "index.html"
		if r.URL.Path != "/" {
			name = strings.TrimPrefix(r.URL.Path, "/page/")
		}
		f, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		f.serve(w, r)
	}), nil
}

// serve answers with the file. A browser keeps it, and asks each time whether it has changed: a new version has new
// files.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.data))
}

// load reads all assets, by name.
func load(from fs.FS) (map[string]*file, error) {
	files := map[string]*file{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		sum := sha256.Sum256(data)
		f := &file{
			name: path.Base(name), kind: kindOf(name), tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
			data: data,
		}
		files[f.name] = f
		return err
	})
	return files, err
}

// kindOf does not ask the system, whose answers differ.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// Plots returns a script without modules that draws the plots of a page that stands alone: those in the JSON of the element
// "plots", each in the element "plot-" and its number.
func Plots() string {
	var out strings.Builder
	for _, name := range []string{"dom.js", "format.js", "plot.js"} {
		module, _ := assets.ReadFile("assets/" + name) // it is embedded, as the tests see
		for line := range strings.Lines(string(module)) {
			if !strings.HasPrefix(line, "import ") {
				out.WriteString(strings.TrimPrefix(line, "export "))
			}
		}
	}
	out.WriteString("JSON.parse(by('plots').textContent).forEach((p, i) => chart(by('plot-' + i), p));\n")
	return out.String()
}
