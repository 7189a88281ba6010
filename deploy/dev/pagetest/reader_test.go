package pagetest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestKeyboard: everything is reached by Tab, what has the focus is seen, the list is walked by arrows, Escape closes
// and gives the focus back.
func TestKeyboard(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	for i := range 3 {
		s.Add(fmt.Sprintf("wire-%d", i), 0.9, harbour, edited)
	}
	x.until(`document.querySelectorAll('.copies li').length === 3`)
	x.press(kb.Tab)
	if got := ask[string](x, `document.activeElement.textContent`); got != "Skip to recent duplicates" {
		t.Errorf("the first stop is %q", got)
	}
	seen := map[string]bool{}
	for range 30 {
		x.press(kb.Tab)
		if outline := ask[string](x, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" &&
			!ask[bool](x, `document.activeElement === document.body`) {
			t.Errorf("the focus is not seen on %s", ask[string](x, `document.activeElement.outerHTML.slice(0, 200)`))
		}
		seen[ask[string](x, `document.activeElement.closest('section, footer, header')?.id ?? ''`)] = true
	}
	for _, section := range []string{"recent", "lookup", "members"} {
		if !seen[section] {
			t.Errorf("Tab does not reach %s, but %v", section, seen)
		}
	}
	x.press("?")
	x.says("#help[open]", "Look a text up")
	x.press(kb.Escape)
	x.press("/")
	x.until(`document.activeElement.id === 'lookup-text'`)
	x.press("/?")
	x.until(`document.activeElement.value.endsWith('/?') && !document.querySelector('dialog[open]')`)
	x.run(`document.querySelector('.copies button').focus()`)
	x.press(kb.ArrowDown)
	if at := ask[int](x, `[...document.querySelectorAll('.copies button')].indexOf(document.activeElement)`); at != 1 {
		t.Errorf("the arrow leads to %d", at)
	}
	x.press(kb.Enter)
	x.says("dialog[open] .side + .side", "wire-1")
	x.press(kb.ArrowRight)
	x.says("dialog[open] .side + .side", "wire-0")
	x.press(kb.ArrowLeft)
	x.says("dialog[open] .side + .side", "wire-1")
	x.press(kb.Escape)
	x.until(`!document.querySelector('dialog[open]')`)
	if at := ask[int](x, `[...document.querySelectorAll('.copies button')].indexOf(document.activeElement)`); at != 1 {
		t.Errorf("the focus goes back to %d", at)
	}
}

// TestManyDuplicates: ten thousand duplicates at once are a list of the last hundred, which is one stop of Tab.
func TestManyDuplicates(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	for i := range 10_000 {
		s.Add(fmt.Sprintf("wire-%d", i), 0.9, harbour, edited)
	}
	x.until(`document.querySelectorAll('.copies li').length === 100 && document.querySelector('.copies').textContent.includes('wire-9999')`)
	x.says("#recent .head", "not shown")
	x.press(kb.Tab)
	presses, rows := 1, 0
	for ; !ask[bool](x, `document.activeElement.id === 'keys'`); presses++ {
		if x.press(kb.Tab); presses > 30 {
			t.Fatalf("after %d presses of Tab the end is not reached, but %s", presses, ask[string](x, `document.activeElement.outerHTML`))
		}
		if ask[bool](x, `document.activeElement.matches('.copy')`) {
			rows++
		}
	}
	if rows != 1 {
		t.Errorf("Tab stops at %d rows of the list, want 1", rows)
	}
	t.Logf("%d presses of Tab reach everything", presses)
}

// TestNotStarted: where the page's modules do not run, a sentence says what it needs.
func TestNotStarted(t *testing.T) {
	_, x := stage(t, phone(), func(s *Stage) { s.absent = "/page/compare.js" })
	x.until(`document.getElementById('late').checkVisibility({visibilityProperty: true})`)
	x.says("#late", "It needs JavaScript and a browser of 2024 or later; behind a proxy its address ends with /.")
}

// TestSaysLittle: while numbers move, nothing is read out to those who do not see them; a change of the state is.
func TestSaysLittle(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	x.says("#said", "Healthy")
	x.run(`window.read = []; for (const e of document.querySelectorAll('[role=status], [aria-live]')) new MutationObserver(() => read.push(e.textContent)).observe(e, {childList: true, subtree: true, characterData: true})`)
	for i := range 4 {
		before := ask[string](x, `document.getElementById('more').textContent`)
		s.Set(func(s *Stage) { s.status["documents"].(JSON)["unique"] = 900_000 + i })
		s.Add(fmt.Sprintf("wire-%d", i), 0.9, harbour, edited)
		x.until(`document.getElementById('more').textContent !== ` + fmt.Sprintf("%q", before))
	}
	if got := ask[[]string](x, `read`); len(got) > 0 {
		t.Errorf("it reads out %v", got)
	}
	s.Set(func(s *Stage) { s.status = ill() })
	x.says("#said", "Needs a look")
	x.says("#warnings", "The runbook on UnechoWindowShort")
	x.says("#warnings", "Raise duplicates.remember.memory")
}

// TestPlotsSpeak: each plot says in words what it shows.
func TestPlotsSpeak(t *testing.T) {
	_, x := stage(t, desk())
	x.live()
	x.until(`/^Throughput, the last 15 minutes\. duplicates: now .*unique: now [0-9,.]+, lowest .*, highest /.test(document.querySelector('#throughput svg').getAttribute('aria-label'))`)
	x.until(`/the same text: 51k/.test(document.querySelector('#similarity svg').getAttribute('aria-label'))`)
	if got := ask[int](x, `[...document.querySelectorAll('svg.plot')].filter((s) => !s.getAttribute('aria-label') || s.getAttribute('role') !== 'img').length`); got > 0 {
		t.Errorf("%d plots say nothing", got)
	}
}

// TestStill: who wants no motion gets none.
func TestStill(t *testing.T) {
	still := desk()
	still.Still = true
	for _, look := range []Look{desk(), still} {
		hold := make(chan struct{})
		_, x := stage(t, look, func(s *Stage) {
			s.status = nil // the first answer never comes
			s.answer = func(http.ResponseWriter, *http.Request) bool { <-hold; return true }
		})
		moves := ask[int](x, `document.getAnimations().length`)
		close(hold)
		if (moves == 0) != look.Still {
			t.Errorf("%d animations, still %v", moves, look.Still)
		}
	}
}

// TestDark: the page is dark where the reader's system is, and light elsewhere: its ground, its panels, and the other
// way its text.
func TestDark(t *testing.T) {
	for _, dark := range []bool{false, true} {
		_, x := stage(t, Look{Width: 1440, Height: 900, Dark: dark})
		x.live()
		bright := ask[[]bool](x, `((rgb) => [
			rgb(document.body, 'backgroundColor'), rgb(document.getElementById('throughput'), 'backgroundColor'), !rgb(document.getElementById('sentence'), 'color'),
			!rgb(document.querySelector('#throughput .tick'), 'fill'),
		])((e, what) => getComputedStyle(e)[what].match(/[0-9.]+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0) > 384)`)
		if slices.Contains(bright, dark) {
			t.Errorf("dark %v: ground and panel are bright, text is dark: %v", dark, bright)
		}
	}
}
