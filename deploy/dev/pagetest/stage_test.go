package pagetest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	harbour = "The harbour bridge was closed on Monday after inspectors found cracks in two of its cables."
	edited  = "The Harbour Bridge was closed on Tuesday, after inspectors found cracks in two of its main cables."
)

// TestMarks: the words that differ are marked on their sides, those that differ in case or punctuation alone are marked apart.
func TestMarks(t *testing.T) {
	s, x := stage(t, desk(), func(s *Stage) { s.status = full() })
	s.Add("wire-1", 0.8125, harbour, edited)
	x.click(".copies button")
	x.until(`document.querySelectorAll('dialog[open] ins').length === 2`)
	for script, want := range map[string]string{
		`[...document.querySelectorAll('dialog del')].map((e) => e.textContent).join('|')`:              "Monday",
		`[...document.querySelectorAll('dialog ins')].map((e) => e.textContent).join('|')`:              "Tuesday,|main",
		`[...document.querySelectorAll('dialog .text .soft-mark')].map((e) => e.textContent).join('|')`: "harbour bridge|Harbour Bridge",
		`document.querySelectorAll('dialog .text')[1].textContent`:                                      edited,
		`document.getElementById('compare-title').textContent`:                                          "0.8125 alike, by jaccard",
	} {
		if got := ask[string](x, script); got != want {
			t.Errorf("%s is %q, want %q", script, got, want)
		}
	}
	x.says("dialog .sheet > p", "3 of the 33 words of both differ; 2 pairs of words differ in case or punctuation alone.")
	x.says("dialog .side .facts", "window.bytes")
}

// TestMarkupStaysText: wherever a string of the API is shown, markup in it is text.
func TestMarkupStaysText(t *testing.T) {
	evil := `<img src=x onerror=window.hacked=1><script>window.hacked=2</script>"'&amp;<b>`
	_, x := stage(t, desk(), func(s *Stage) {
		s.status = full()
		s.status["group"], s.status["version"], s.status["member"] = evil, evil, evil
		s.status["warnings"] = []JSON{{"code": evil, "text": evil, "remedy": evil, "runbook": `javascript:window.hacked=3`, "since": ago(0), "pending": false}}
		s.status["members"].(JSON)["sessions"].([]JSON)[0]["host"] = evil
		s.status["partitions"].([]JSON)[0]["topic"] = evil
	}, func(s *Stage) { s.status["snapshots"].(JSON)["failed"] = JSON{"error": evil, "time": ago(0)} })
	x.live()
	s := evil
	for _, selector := range []string{"#group", "#warnings", "#members", "#journal", "#version"} {
		x.says(selector, s)
	}
	x.until(`[...document.querySelectorAll('option')].some((o) => o.textContent === ` + fmt.Sprintf("%q", evil) + `)`)
	if href := ask[string](x, `document.querySelector('#warnings a').href`); !strings.HasPrefix(href, "https://") {
		t.Errorf("a link leads to %s", href)
	}
	if ask[bool](x, `'hacked' in window || document.querySelectorAll('main img, main script, main b:not(.score b)').length > 0`) {
		t.Error("a string became markup")
	}
}

// TestPolicy: a script or a style that gets into the page all the same does nothing, and nothing can be made of a string.
func TestPolicy(t *testing.T) {
	_, x := stage(t, desk())
	x.live()
	x.run(`{ const s = document.createElement('script'); try { s.textContent = 'window.hacked = 1'; document.body.append(s); } catch (e) { window.refused = 1; } }`)
	x.run(`{ try { document.body.innerHTML += '<b>x</b>'; window.hacked = 2; } catch (e) { window.refused = 2; } }`)
	if ask[bool](x, `'hacked' in window || window.refused !== 2`) {
		t.Error("the policy lets it through")
	}
	x.run(`window.forbidden = []`)
}

// TestToken: the page asks for the token, keeps it in the tab, and sends it with every question, that for the stream too.
func TestToken(t *testing.T) {
	const token = "a secret of some length"
	s, x := stage(t, phone(), func(s *Stage) { s.token = token })
	x.says("#gate", "This member asks for a token")
	x.write("#token", "wrong")
	x.click("#gate button")
	x.says("#gate-why", "is not the one")
	x.write("#token", token)
	x.click("#gate button")
	x.live()
	s.Add("wire-1", 0.9, harbour, edited)
	x.until(`document.querySelectorAll('.copies li').length === 1`)
	if ask[string](x, `sessionStorage.getItem('unecho.token')`) != token || ask[int](x, `localStorage.length`) != 0 {
		t.Error("the token is not kept where it should be")
	}
	asked := map[string]string{}
	s.Set(func(s *Stage) {
		for _, r := range s.asked {
			asked[r.URL.Path] = r.Header.Get("Authorization")
			if r.URL.RawQuery != "" && strings.Contains(r.URL.RawQuery, "secret") {
				t.Errorf("the token stands in the address %s", r.URL)
			}
		}
	})
	for _, path := range []string{"/api/v1/status", "/api/v1/recent", "/api/v1/events"} {
		if asked[path] != "Bearer "+token {
			t.Errorf("%s was asked with %q", path, asked[path])
		}
	}
	x.click("#forget")
	x.says("#gate", "This member asks for a token")
	x.until(`sessionStorage.length === 0`)
}

// TestErrors: what the API refuses is said with its remedy, and the page goes on when it is over.
func TestErrors(t *testing.T) {
	closed := func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusForbidden, "the API is closed, because ops.listen is not a loopback address and there is no token", "set ops.token, or ops.token_file")
		return true
	}
	s, x := stage(t, phone(), func(s *Stage) { s.answer = closed })
	x.says("#gate", "This page is closed")
	x.says("#gate", "set ops.token, or ops.token_file")
	if ask[bool](x, `document.getElementById('gate-form').checkVisibility()`) {
		t.Error("a token is asked for that helps nothing")
	}
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
	})
	x.run(`location.reload()`)
	x.says("#sentence", "No good answer: the answer is 502")
	s.Set(func(s *Stage) { s.answer = nil })
	x.live()
	x.says("#sentence", "Well:")
	s.Add("wire-1", 0.9, harbour, edited)
	s.Set(func(s *Stage) { clear(s.texts) })
	x.click(".copies button")
	x.says("dialog", "Set ops.show_text: true and start the member again.")
}

// TestLookup: the box says whether a text is a duplicate, why, of what, how old it is; and opens both side by side.
func TestLookup(t *testing.T) {
	s, x := stage(t, desk())
	s.Set(func(s *Stage) { s.texts["news/1/7"] = harbour })
	x.live()
	x.click("#lookup button.main")
	x.says("#lookup .found", "There is no text to look up.")
	x.write("#lookup-text", "The old bridge was closed.")
	x.click("#lookup button.main")
	x.says("#lookup .found", "A duplicate: 0.9183 like wire-7.")
	x.says("#lookup .found", "threshold 0.8")
	x.says("#lookup .found", "news/1/7, 26 min")
	x.click("#lookup .matches button")
	x.says("dialog[open]", "Your text")
	x.until(`document.querySelector('dialog[open] ins')`)
	x.press(kb.Escape)
	x.write("#lookup-text", "Something else.")
	x.click("#lookup button.main")
	x.says("#lookup .found", "Unique: nothing that is remembered is like it.")
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				fail(w, http.StatusTooManyRequests, "too many lookups at a time", "ask again in a second")
			}
			return r.Method == http.MethodPost
		}
	})
	x.click("#lookup button.main")
	x.says("#lookup .found", "No answer: too many lookups at a time. Ask again in a second.")
}

// TestRecent: the list can be filtered, paused and walked by keyboard.
func TestRecent(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	for i := range 5 {
		s.Add(fmt.Sprintf("wire-%d", i), 0.9, harbour, edited)
	}
	x.until(`document.querySelectorAll('.copies li').length === 5`)
	x.click(`#recent button[aria-pressed]`)
	s.Add("wire-5", 0.9, harbour, edited)
	x.says("#recent .fresh", "1 new")
	if n := ask[int](x, `document.querySelectorAll('.copies li').length`); n != 5 {
		t.Errorf("a paused list has %d rows, and had 5", n)
	}
	x.click(`#recent button[aria-pressed]`)
	x.until(`document.querySelectorAll('.copies li').length === 6`)
	x.write("#filter-least", "0.95")
	x.write("#filter-scope", "tenant-a")
	x.write("#filter-topic", "news")
	x.until(`document.querySelector('#recent .slider output').textContent === '0.95'`)
	wanted := func() bool {
		found := map[string]bool{}
		s.Set(func(s *Stage) {
			for _, r := range s.asked {
				if r.FormValue("topic") == "news" && r.FormValue("scope") == "tenant-a" && r.FormValue("min_similarity") == "0.95" {
					found[r.URL.Path] = true
				}
			}
		})
		return found["/api/v1/recent"] && found["/api/v1/events"]
	}
	for !wanted() {
		x.until(`new Promise((done) => setTimeout(done, 50, true))`)
	}
}

// TestKeyboard: everything is reached by Tab, what has the focus is seen, the list is walked by arrows, Escape closes and gives the
// focus back.
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
		if outline := ask[string](x, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" && !ask[bool](x, `document.activeElement === document.body`) {
			t.Errorf("the focus is not seen on %s", ask[string](x, `document.activeElement.outerHTML.slice(0, 200)`))
		}
		seen[ask[string](x, `document.activeElement.closest('section, footer, header')?.id ?? ''`)] = true
	}
	for _, section := range []string{"recent", "lookup", "members"} {
		if !seen[section] {
			t.Errorf("Tab does not reach %s, but %v", section, seen)
		}
	}
	x.run(`document.querySelector('.copies button').focus()`)
	x.press(kb.ArrowDown)
	if at := ask[int](x, `[...document.querySelectorAll('.copies button')].indexOf(document.activeElement)`); at != 1 {
		t.Errorf("the arrow leads to %d", at)
	}
	x.press(kb.Enter)
	x.says("dialog[open] .side + .side", "wire-1")
	x.press(kb.ArrowRight)
	x.says("dialog[open] .side + .side", "wire-0")
	x.press(kb.Escape)
	x.until(`!document.querySelector('dialog[open]')`)
	if at := ask[int](x, `[...document.querySelectorAll('.copies button')].indexOf(document.activeElement)`); at != 1 {
		t.Errorf("the focus goes back to %d", at)
	}
}

// TestSaysLittle: while numbers move, nothing is read out to those who do not see them; a change of the state is.
func TestSaysLittle(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	x.says("#said", "Well")
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
	x.says("#warnings", "Raise window.bytes")
}

// TestPlotsSpeak: each plot says in words what it shows.
func TestPlotsSpeak(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	for n := range 5 {
		before := ask[string](x, `document.getElementById('more').textContent`)
		s.Set(func(s *Stage) { s.status["documents"].(JSON)["unique"] = 820_000 + 1000*n })
		x.until(`document.getElementById('more').textContent !== ` + fmt.Sprintf("%q", before))
	}
	x.until(`/^Throughput, the last 60 seconds\. duplicates: now .*unique: now [0-9,.]+, lowest .*, highest /.test(document.querySelector('#throughput svg').getAttribute('aria-label'))`)
	x.until(`/the same text: 51k/.test(document.querySelector('#similarity svg').getAttribute('aria-label'))`)
	if got := ask[int](x, `[...document.querySelectorAll('svg.plot')].filter((s) => !s.getAttribute('aria-label') || s.getAttribute('role') !== 'img').length`); got > 0 {
		t.Errorf("%d plots say nothing", got)
	}
}

// states are what the page can look like, each brought about by a step.
func states() map[string]func(s *Stage, x *tab) {
	alike := func(s *Stage, x *tab) {
		for i := range 12 {
			s.Add(fmt.Sprintf("a-name-without-any-space-%s-%d", strings.Repeat("x", 120), i), 0.8+float64(i)/100, strings.Repeat(harbour+" ", 9), strings.Repeat(edited+" ", 9))
		}
		x.until(`document.querySelectorAll('.copies li').length === 12`)
	}
	return map[string]func(s *Stage, x *tab){
		"full":  alike,
		"empty": func(s *Stage, x *tab) { s.Set(func(s *Stage) { s.status = empty() }); x.says("#sentence", "Not ready") },
		"ill": func(s *Stage, x *tab) {
			s.Set(func(s *Stage) { s.status = ill() })
			x.says("#sentence", "Needs a look")
		},
		"gate": func(s *Stage, x *tab) { s.Set(func(s *Stage) { s.token = "secret" }); x.says("#gate", "token") },
		"lost": func(s *Stage, x *tab) {
			alike(s, x)
			s.Set(func(s *Stage) {
				s.answer = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
			})
			x.says("#sentence", "No good answer")
		},
		"side by side": func(s *Stage, x *tab) {
			alike(s, x)
			x.click(".copies button")
			x.until(`document.querySelector('dialog[open] ins')`)
		},
		"answered": func(_ *Stage, x *tab) {
			x.write("#lookup-text", "the bridge")
			x.click("#lookup button.main")
			x.says("#lookup .found", "A duplicate")
		},
	}
}

// TestLayouts: in each state and at each width nothing is wider than the window.
func TestLayouts(t *testing.T) {
	for name, reach := range states() {
		s, x := stage(t, phone())
		x.live()
		reach(s, x)
		for _, width := range []int64{320, 390, 768, 1080, 1440} {
			if err := x.Resize(width, 844); err != nil {
				t.Fatal(err)
			}
			x.until(fmt.Sprintf(`innerWidth === %d`, width))
			const beyond = `(() => { const out = []; const wide = document.documentElement.clientWidth; if (document.documentElement.scrollWidth > wide) out.push('the page has ' + document.documentElement.scrollWidth);
				for (const e of document.querySelectorAll('body *')) { const r = e.getBoundingClientRect(); if (r.width > 0 && r.right > wide + 1 && !e.closest('.scroll, .sr, .skip')) out.push(e.tagName + '.' + (e.className.baseVal ?? e.className) + '#' + e.id + ' ' + Math.round(r.right)); } return out.slice(0, 5); })()`
			if got := ask[[]string](x, beyond); len(got) > 0 {
				t.Errorf("%s at %d pixels: beyond the edge: %v", name, width, got)
			}
			const cut = `[...document.querySelectorAll('h1, h2, button, dt, dd, .chip, .headline')].filter((e) => e.checkVisibility() && !e.closest('.copy, .scroll') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40))`
			if got := ask[[]string](x, cut); len(got) > 0 {
				t.Errorf("%s at %d pixels: cut off: %v", name, width, got)
			}
		}
	}
}

// TestAxe: axe-core finds nothing in any state, light or dark, small or large.
func TestAxe(t *testing.T) {
	for name, reach := range states() {
		for _, look := range []Look{desk(), phone(), {Width: 1440, Height: 900, Dark: true}} {
			look.Still = true
			s, x := stage(t, look)
			x.live()
			reach(s, x)
			x.run(shared.axe)
			type violation struct {
				ID, Impact, Help string
				Nodes            []struct{ HTML, FailureSummary string }
			}
			found := ask[[]violation](x, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`)
			for _, v := range found {
				if name == "lost" && v.ID == "color-contrast" {
					continue // what is out of date is faint on purpose
				}
				t.Errorf("%s, %d pixels, dark %v: %s %s: %s %v", name, look.Width, look.Dark, v.Impact, v.ID, v.Help, v.Nodes)
			}
			x.End()
		}
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

// TestModules runs the checks of modules.js, which ask the page's own modules.
func TestModules(t *testing.T) {
	_, x := stage(t, desk())
	x.live()
	passed := ask[[]string](x, modules)
	if len(passed) < 20 {
		t.Errorf("only %d checks", len(passed))
	}
	for _, c := range passed {
		if what, failed := strings.CutPrefix(c, "failed: "); failed {
			t.Error(what)
		}
	}
	slices.Sort(passed)
}
