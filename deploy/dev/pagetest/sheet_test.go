package pagetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sheet runs unecho dedup over articles, and over documents made to spoil a page, and opens the page that it writes.
func sheet(t *testing.T, look Look) *tab {
	t.Helper()
	dir := t.TempDir()
	articles, err := os.ReadFile(filepath.Join(root, "deploy", "examples", "articles.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	hostile := "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
	for _, end := range []string{"one", "two"} {
		text := hostile + strings.Repeat(" the harbour bridge was closed by the inspectors of the city", 20) + " " + end
		articles = append(articles, `{"id":"`+strings.Repeat("long", 60)+`<b>`+end+`","text":"`+
			strings.ReplaceAll(text, `"`, `\"`)+`"}`+"\n"...)
	}
	articles = append(articles, strings.Repeat(`{"id":"w","text":"`+strings.Repeat("x", 4000)+`"}`+"\n", 3)+"no json\n"...)
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "report.html")
	if err := os.WriteFile(in, articles, 0o600); err != nil {
		t.Fatal(err)
	}
	written(t, "dedup", "--html", out, in)
	return open(t, "file://"+out, look)
}

func written(t *testing.T, args ...string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), shared.program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("unecho %v ends with %v:\n%s", args, err, said)
	}
	return string(said)
}

// tuned opens the page that unecho tune writes of articles, in a file whose name is made to spoil it.
func tuned(t *testing.T, look Look) *tab {
	t.Helper()
	dir := t.TempDir()
	articles, err := os.ReadFile(filepath.Join(root, "deploy", "examples", "articles.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(dir, "<img src=x onerror=alert(1)>.jsonl"), filepath.Join(dir, "tuned.html")
	if err := os.WriteFile(in, articles, 0o600); err != nil {
		t.Fatal(err)
	}
	written(t, "tune", "--slots", "64,128", "--html", out, in)
	return open(t, "file://"+out, look)
}

// TestTunedSheet: the plots of tune are drawn by the script of its page, the only one that its policy lets run, and say in
// words what they show. Values stand in the legend under the pointer.
func TestTunedSheet(t *testing.T) {
	x := tuned(t, desk())
	x.until(`document.querySelectorAll('svg.plot[viewBox]').length >= 3`)
	for selector, least := range map[string]int{"svg .line": 2, "svg .bar": 1, "svg .dot title": 2, "svg .threshold": 2} {
		if n := ask[int](x, `document.querySelectorAll('`+selector+`').length`); n < least {
			t.Errorf("there are %d of %s, want %d at least", n, selector, least)
		}
	}
	for _, words := range ask[[]string](x, `[...document.querySelectorAll('svg.plot')].map((e) => e.getAttribute('aria-label'))`) {
		if strings.Contains(words, "no values yet") || strings.Contains(words, "NaN") || !strings.Contains(words, ". ") {
			t.Errorf("a plot says %q", words)
		}
	}
	if got := ask[string](x, `document.querySelector('.plots').outerHTML.match(/.{40}(NaN|undefined|Infinity)/g)?.join() ?? ''`); got != "" {
		t.Errorf("the plots have %s", got)
	}
	x.run(`{ const c = document.querySelector('#plot-0 .canvas'), r = c.getBoundingClientRect();
		c.dispatchEvent(new PointerEvent('pointermove', { clientX: r.left + r.width / 2, clientY: r.top + 50, bubbles: true })); }`)
	if got := ask[string](x, `document.querySelector('#plot-0 .value').textContent`); !strings.Contains(got, " at 0.") {
		t.Errorf("under the pointer the legend says %q", got)
	}
	if n := ask[int](x, `performance.getEntriesByType('resource').length + document.images.length`); n > 0 {
		t.Errorf("the page loads %d things", n)
	}
	x.run(`{ const s = document.createElement('script'); s.textContent = 'window.hacked = 1'; document.body.append(s); }`)
	if ask[bool](x, `'hacked' in window || forbidden.length !== 1`) {
		t.Error("the policy lets another script run")
	}
	x.run(`window.forbidden = []`)
}

// TestTunedSheetAxe: axe-core finds nothing in the page of tune.
func TestTunedSheetAxe(t *testing.T) {
	for view, look := range map[string]Look{"desk": desk(), "phone": phone(), "dark": {Width: 1440, Height: 900, Dark: true}} {
		t.Run(view, func(t *testing.T) {
			x := tuned(t, look)
			x.until(`document.querySelectorAll('svg.plot[viewBox]').length >= 3`)
			x.isAccessible()
		})
	}
}

// TestSheet: the page of dedup shows what it should, runs and loads nothing, and fits into windows of all widths.
func TestSheet(t *testing.T) {
	x := sheet(t, phone())
	x.says("body", "48 documents came in")
	x.says("body", "invalid_json")
	if n := ask[int](x, `document.querySelectorAll('article del').length`); n == 0 {
		t.Error("no difference is marked")
	}
	if title := ask[string](x, `document.title`); title != "unecho dedup" {
		t.Errorf("the title is %q: a document got into the page as markup", title)
	}
	if n := ask[int](x, `document.querySelectorAll('script, img, link, article b *').length`); n > 0 {
		t.Errorf("%d elements are of a document's making", n)
	}
	if n := ask[int](x, `document.querySelectorAll('svg rect').length`); n < 11 {
		t.Errorf("the histograms have %d bars", n)
	}
	if n := ask[int](x, `performance.getEntriesByType('resource').length`); n > 0 {
		t.Errorf("the page loads %d things", n)
	}
	for _, width := range []int64{320, 390, 768, 1080, 1440} {
		if err := x.LookAt(Look{Width: width, Height: 844}); err != nil {
			t.Fatal(err)
		}
		const beyond = `[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest('.wide, svg'))
			.slice(0, 5).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40))`
		if got := ask[[]string](x, beyond); len(got) > 0 {
			t.Errorf("at %d pixels: beyond the edge: %v", width, got)
		}
	}
}

// TestSheetAxe: axe-core finds nothing in the page of dedup, light or dark, small or large.
func TestSheetAxe(t *testing.T) {
	for view, look := range map[string]Look{"desk": desk(), "phone": phone(), "dark": {Width: 1440, Height: 900, Dark: true}} {
		t.Run(view, func(t *testing.T) { sheet(t, look).isAccessible() })
	}
}
