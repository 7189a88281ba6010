package pagetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// TestDemoMoves: a newcomer starts the demo and sees the page move within a minute, and opens a duplicate beside its original.
func TestDemoMoves(t *testing.T) {
	began := time.Now()
	demo, err := Start(t.Context(), shared.program, "demo", "--page", "--pace", "200", "--set", "ops.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := demo.Stop(); err != nil {
			t.Errorf("the demo ends with %v", err)
		}
	}()
	x := open(t, demo.URL, desk())
	x.until(`/^Well: [0-9,.]+ documents a second/.test(document.getElementById('sentence').textContent)`)
	x.until(`document.querySelectorAll('#throughput .area').length >= 2`)
	x.until(`document.querySelectorAll('#similarity rect.bar').length >= 2`)
	x.until(`document.querySelector('#latency .legend').textContent.match(/[0-9]/)`)
	committed := ask[string](x, `document.getElementById('more').textContent`)
	x.until(`document.getElementById('more').textContent !== ` + fmt.Sprintf("%q", committed))
	first := ask[string](x, `document.querySelector('.copies li').dataset.key`)
	x.until(`document.querySelector('.copies li').dataset.key !== ` + fmt.Sprintf("%q", first))
	x.says("#members", "this one")
	x.says("#window .headline", "of 24 h")
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	sideBySide(x)
}

// sideBySide opens a duplicate that is no exact copy.
func sideBySide(x *tab) {
	x.t.Helper()
	x.click(`#recent button[aria-pressed]`)
	x.until(`[...document.querySelectorAll('.copy')].some((b) => !b.textContent.startsWith('1.0000'))`)
	x.run(`[...document.querySelectorAll('.copy')].find((b) => !b.textContent.startsWith('1.0000')).click()`)
	x.until(`document.querySelector('dialog[open] ins.changed, dialog[open] del.changed')`)
	x.says("dialog .sheet > p", "words of both differ")
	lengths := ask[[]int](x, `[...document.querySelectorAll('dialog .text')].map((e) => e.textContent.length)`)
	if len(lengths) != 2 || lengths[0] < 100 || lengths[1] < 100 {
		x.t.Errorf("the texts have %v characters", lengths)
	}
	x.press(kb.Escape)
	x.until(`!document.querySelector('dialog[open]')`)
}

// produce sends lines to the embedded broker of a directory.
func produce(t *testing.T, dir string, lines ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shared.program, "produce", "-", "--dir", dir)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("produce: %v\n%s", err, out)
	}
}

// TestReconnects: the page says that nothing answers, goes on when the member is back, and shows what is found then. What it
// shows are documents full of markup.
func TestReconnects(t *testing.T) {
	dir, listen := filepath.Join(t.TempDir(), "data"), free(t)
	start := func() *Program {
		p, err := embedded(t.Context(), dir, listen, "ops.show_text=true")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	member := start()
	x := open(t, member.URL, desk())
	x.says("#sentence", "Well: no documents at the moment")
	x.says("#recent .empty", "No duplicate was found")
	text := `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script> the harbour bridge was closed on monday after inspectors found cracks in two cables <b>bold</b>`
	produce(t, dir, text, text+" &amp; more")
	x.until(`document.querySelectorAll('.copies li').length === 1`)
	if err := member.Stop(); err != nil {
		t.Errorf("the member ends with %v", err)
	}
	x.says("#sentence", "No answer")
	x.says("#recent .head", "not live")
	x.until(`document.title.startsWith('No answer')`)
	member = start()
	defer func() { _ = member.Stop() }()
	x.live()
	x.until(`document.querySelector('#recent .head').textContent.includes('live') && !document.querySelector('#recent .head').textContent.includes('not live')`)
	produce(t, dir, text+" and so on")
	x.until(`document.querySelectorAll('.copies li').length === 1 && document.getElementById('more').textContent.includes('committed 1 document')`)
	x.click(".copies button")
	x.until(`[...document.querySelectorAll('dialog .text')].every((e) => e.textContent.includes('<script>window.hacked=2</script>'))`)
	if ask[bool](x, `'hacked' in window || document.querySelector('dialog img, dialog script, dialog b') !== null`) {
		t.Error("a document became markup")
	}
}

// free returns an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestPictures: the script of the pictures makes them, and their files are small.
func TestPictures(t *testing.T) {
	demo, err := Start(t.Context(), shared.program, "demo", "--page", "--pace", "200", "--set", "ops.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = demo.Stop() }()
	pictures, err := Take(t.Context(), shared.browser, demo.URL, 6*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range Pictures() {
		if wide, high, err := sizeOf(pictures[name]); err != nil || wide != size.Width || high < size.Height {
			t.Errorf("%s is %d x %d, %v, want %+v", name, wide, high, err, size)
		}
		if _, err := os.Stat(filepath.Join("../../docs", name)); err != nil {
			t.Errorf("make screenshots was not run: %v", err)
		}
	}
	if len(pictures) != len(Pictures()) {
		t.Errorf("there are %d pictures, and %d are named", len(pictures), len(Pictures()))
	}
}
