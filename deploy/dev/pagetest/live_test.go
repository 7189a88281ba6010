package pagetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// TestDemoMoves: a newcomer starts the demo and sees the page move, and opens a duplicate beside its original.
func TestDemoMoves(t *testing.T) {
	began := time.Now()
	demo, err := Start(t.Context(), shared.program, "demo", "--page", "--pace", "200", "--set", "http.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := demo.Stop(); err != nil {
			t.Errorf("the demo ends with %v", err)
		}
	}()
	x := open(t, demo.URL, desk())
	x.until(`/^Healthy: [0-9,.]+ documents a second/.test(document.getElementById('sentence').textContent)`)
	x.until(`document.querySelectorAll('#throughput .area').length >= 2`)
	x.until(`document.querySelectorAll('#similarity rect.bar').length >= 2`)
	x.until(`document.querySelector('#latency .legend').textContent.match(/[0-9]/)`)
	committed := ask[string](x, `document.getElementById('more').textContent`)
	x.until(`document.getElementById('more').textContent !== ` + fmt.Sprintf("%q", committed))
	first := ask[string](x, `document.querySelector('.copies li').dataset.key`)
	x.until(`document.querySelector('.copies li').dataset.key !== ` + fmt.Sprintf("%q", first))
	x.says("#members", "this one")
	x.says("#window .headline", "of 24 h")
	t.Logf("it moves %.1f s after the start", time.Since(began).Seconds())
	other := open(t, sideBySide(x), desk())
	other.until(`[...document.querySelectorAll('dialog[open] .text')].filter((e) => e.textContent.length > 100).length === 2`)
}

// sideBySide opens a duplicate that is no exact copy, and returns the address that the page has then.
func sideBySide(x *tab) (address string) {
	x.t.Helper()
	x.click(`#recent button[aria-pressed]`)
	x.until(`[...document.querySelectorAll('.copy')].some((b) => !b.textContent.startsWith('100'))`)
	x.run(`[...document.querySelectorAll('.copy')].find((b) => !b.textContent.startsWith('100')).click()`)
	x.until(`document.querySelector('dialog[open] ins.changed, dialog[open] del.changed')`)
	x.says("dialog .told > p", "words of both differ")
	lengths := ask[[]int](x, `[...document.querySelectorAll('dialog .text')].map((e) => e.textContent.length)`)
	if len(lengths) != 2 || lengths[0] < 100 || lengths[1] < 100 {
		x.t.Errorf("the texts have %v characters", lengths)
	}
	address = ask[string](x, `location.href`)
	x.press(kb.Escape)
	x.until(`!document.querySelector('dialog[open]') && !location.hash.includes('pair')`)
	return address
}

// feed is a pipe that a member reads documents from.
type feed struct {
	path string
	in   *os.File
}

func newFeed(t *testing.T) *feed {
	t.Helper()
	f := &feed{path: filepath.Join(t.TempDir(), "feed")}
	if err := syscall.Mkfifo(f.path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.in, err = os.OpenFile(f.path, os.O_RDWR, 0); err != nil { // for reading too, so that it waits for nobody
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.in.Close() }) // it may be closed
	return f
}

// send sends lines, each a text.
func (f *feed) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		document, err := json.Marshal(line)
		if err == nil {
			_, err = f.in.Write(append(document, '\n'))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestReconnects: the page says that nothing answers, goes on when a member is back, and shows what is found then.
// What it shows are documents full of markup.
func TestReconnects(t *testing.T) {
	listen := free(t)
	start := func() (*Program, *feed) {
		f := newFeed(t)
		p, err := member(t.Context(), listen, f.path)
		if err != nil {
			t.Fatal(err)
		}
		return p, f
	}
	first, sent := start()
	x := open(t, first.URL, desk())
	x.says("#sentence", "Healthy: no documents at the moment")
	x.says("#recent .empty", "No duplicate was found")
	text := `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script> the harbour bridge was closed on monday after inspectors found cracks in two cables <b>bold</b>`
	sent.send(t, text, text+" &amp; more")
	x.until(`document.querySelectorAll('.copies li').length === 1`)
	if err := errors.Join(sent.in.Close(), first.Stop()); err != nil {
		t.Errorf("the member ends with %v", err)
	}
	x.says("#sentence", "No answer")
	x.says("#recent .head", "not live")
	x.until(`document.title.startsWith('No answer')`)
	again, sent := start()
	defer func() { _ = errors.Join(sent.in.Close(), again.Stop()) }()
	x.live()
	x.until(`document.querySelector('#recent .head').textContent.includes('live') && !document.querySelector('#recent .head').textContent.includes('not live')`)
	sent.send(t, text, text+" and so on")
	x.until(`document.querySelectorAll('.copies li').length === 1 && document.getElementById('more').textContent.includes('committed 2 documents')`)
	x.click(".copies button")
	x.until(`[...document.querySelectorAll('dialog .text')].every((e) => e.textContent.includes('<script>window.hacked=2</script>'))`)
	x.press(kb.Escape)
	x.write("#lookup-text", text+" and so on and on")
	x.click("#lookup button.main")
	x.says("#lookup .verdict", "A duplicate: 8")
	x.until(`/[0-9]+ of the [0-9]+ shingles that either has are in both\.They were compared because they share [0-9]+ of [0-9]+ bands\./.test(document.querySelector('#lookup .reasons').textContent)`)
	x.click("#lookup .matches button")
	x.says("dialog .side + .side", "and so on and on")
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

// TestPictures: the script of the pictures makes them, those of the documents are there, and they are small.
func TestPictures(t *testing.T) {
	demo, err := Start(t.Context(), shared.program, "demo", "--page", "--pace", "200", "--set", "http.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = demo.Stop() }()
	taken := map[string]bool{}
	taker := Taker{
		Browser: shared.browser, Demo: demo, For: 6 * time.Second,
		Keep: func(name string, picture []byte) error {
			taken[name] = true
			wide, high, err := sizeOf(picture)
			if want := views()[strings.TrimSuffix(name[strings.Index(name, "-")+1:], ".png")]; wide != want.Width ||
				high < want.Height {
				t.Errorf("%s is %d x %d, want %d x %d", name, wide, high, want.Width, want.Height)
			}
			return err
		},
	}
	if err := taker.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range Documented() {
		if _, err := os.Stat(filepath.Join("../../docs", name)); err != nil || !taken[name] {
			t.Errorf("make screenshots makes %s: %v, and it was not run: %v", name, taken[name], err)
		}
	}
}

// sizeOf is how large a picture is, in pixels.
func sizeOf(data []byte) (wide, high int64, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return int64(c.Width), int64(c.Height), err
}
