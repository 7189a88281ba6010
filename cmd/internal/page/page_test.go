package page

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := New()
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, req)
	return rec
}

func all(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := fs.Glob(assets, "assets/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(assets, name)
		if err != nil {
			t.Fatal(err)
		}
		out[path.Base(name)] = string(data)
	}
	return out
}

// Each asset is answered with its kind and with the policy; a browser that has it is told so.
func TestServe(t *testing.T) {
	kinds := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
		".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}
	files := all(t)
	if len(files) < 10 {
		t.Errorf("only %d assets", len(files))
	}
	for name, data := range files {
		at := "/page/" + name
		if name == "index.html" {
			at = "/"
		}
		resp := get(t, at)
		h := resp.Header()
		if resp.Code != http.StatusOK || h.Get("Content-Type") != kinds[path.Ext(name)] || resp.Body.String() != data {
			t.Errorf("GET %s is answered %d with the headers %v; want %d, the type %q, and the whole asset",
				at, resp.Code, h, http.StatusOK, kinds[path.Ext(name)])
		}
		for _, part := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
			"img-src 'self' data:", "frame-ancestors 'none'",
		} {
			if !strings.Contains(h.Get("Content-Security-Policy"), part) {
				t.Errorf("%s: the policy lacks %s", at, part)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s has the headers %v; want a policy without unsafe, and nosniff as X-Content-Type-Options", at, h)
		}
		if again := get(t, at, "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s once more: %d", at, again.Code)
		}
	}
	for _, at := range []string{"/page/", "/page/nothing.js", "/page/../page.go", "/page/assets/main.js"} {
		if resp := get(t, at); resp.Code != http.StatusNotFound {
			t.Errorf("GET %s is answered %d; want %d", at, resp.Code, http.StatusNotFound)
		}
	}
}

// No asset has a way for a text to become markup, an inline script or style, or an address elsewhere that is loaded.
func TestNothingInline(t *testing.T) {
	banned := map[string]*regexp.Regexp{
		".js": regexp.MustCompile(
			`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function|setAttribute\('(style|on)|srcdoc|https?://[^'"]*\.js`),
		".html": regexp.MustCompile(
			`(?i)<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]|javascript:|(?:src|href)="(?:https?:)?/`),
		".css": regexp.MustCompile(`@import|url\(`),
		".svg": regexp.MustCompile(`(?i)<script|\son[a-z]+=|<foreignObject`),
	}
	for name, data := range all(t) {
		if found := banned[path.Ext(name)].FindString(data); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// The frame and the modules name assets that there are, and every asset is named.
func TestAssetsAreUsed(t *testing.T) {
	files := all(t)
	named := map[string]bool{"index.html": true}
	pattern := regexp.MustCompile(`"page/([a-z]+\.[a-z]+)"|from '\./([a-z]+\.js)'`)
	size := 0
	for name, data := range files {
		size += len(data)
		for _, m := range pattern.FindAllStringSubmatch(data, -1) {
			used := m[1] + m[2]
			named[used] = true
			if files[used] == "" {
				t.Errorf("%s names %s, which is not there", name, used)
			}
		}
	}
	for name := range files {
		if !named[name] {
			t.Errorf("nobody uses %s", name)
		}
	}
	const most = 120_000
	if size > most {
		t.Errorf("the page has %d bytes, and may have %d", size, most)
	}
}
