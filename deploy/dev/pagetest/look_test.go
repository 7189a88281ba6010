package pagetest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// states are what the page can look like, each brought about by a step.
func states() map[string]func(s *Stage, x *tab) {
	alike := func(s *Stage, x *tab) {
		for i := range 12 {
			s.Add(fmt.Sprintf("a-name-without-any-space-%s-%d", strings.Repeat("x", 120), i), 0.8+float64(i)/100,
				strings.Repeat(harbour+" ", 9), strings.Repeat(edited+" ", 9))
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
			x.click(".judge button")
			x.says(".judge", "Download 1 label")
		},
		"keys": func(_ *Stage, x *tab) { x.press("?"); x.until(`document.querySelector('#help[open]')`) },
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
		t.Run(name, func(t *testing.T) {
			s, x := stage(t, phone())
			x.live()
			reach(s, x)
			for _, width := range []int64{320, 390, 768, 1080, 1440} {
				if err := x.LookAt(Look{Width: width, Height: 844}); err != nil {
					t.Fatal(err)
				}
				x.fits(width)
			}
		})
	}
}

// fits finds what is beyond the edge of the window, and what is cut off where it should not be.
func (x *tab) fits(width int64) {
	x.t.Helper()
	const beyond = `(() => {
		const out = [], wide = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth > wide) out.push('the page has ' + document.documentElement.scrollWidth);
		for (const e of document.querySelectorAll('body *')) {
			const r = e.getBoundingClientRect();
			if (r.width > 0 && r.right > wide + 1 && !e.closest('.scroll, .sr, .skip')) out.push(e.tagName + '.' + (e.className.baseVal ?? e.className) + '#' + e.id + ' ' + Math.round(r.right));
		}
		return out.slice(0, 5);
	})()`
	if got := ask[[]string](x, beyond); len(got) > 0 {
		x.t.Errorf("at %d pixels: beyond the edge: %v", width, got)
	}
	const crowded = `[...document.querySelectorAll('svg.plot')].flatMap((s) => {
		const ticks = [...s.querySelectorAll('.tick')].map((e) => ({text: e.textContent, y: e.getAttribute('y'), r: e.getBoundingClientRect()})).sort((a, b) => a.r.left - b.r.left);
		return ticks.filter((a, i) => ticks.slice(i + 1).some((b) => b.y === a.y && b.r.left < a.r.right)).map((a) => s.parentElement.parentElement.id + ' ' + a.text);
	})`
	if got := ask[[]string](x, crowded); len(got) > 0 {
		x.t.Errorf("at %d pixels: labels on one another: %v", width, got)
	}
	if high := ask[int](x, `document.querySelector('.brand').offsetHeight`); high > 32 {
		x.t.Errorf("at %d pixels: the name has %d pixels, more than a line", width, high)
	}
	const cut = `[...document.querySelectorAll('h1, h2, button, dt, dd, .chip, .headline, .big')]
		.filter((e) => e.checkVisibility() && !e.closest('.copy, .scroll') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
		.map((e) => e.tagName + ' ' + e.textContent.slice(0, 40))`
	if got := ask[[]string](x, cut); len(got) > 0 {
		x.t.Errorf("at %d pixels: cut off: %v", width, got)
	}
}

// TestAxe: axe-core finds nothing in any state, light or dark, small or large.
func TestAxe(t *testing.T) {
	for name, reach := range states() {
		for view, look := range map[string]Look{
			"desk": desk(), "phone": phone(),
			"dark": {Width: 1440, Height: 900, Dark: true},
		} {
			t.Run(name+" "+view, func(t *testing.T) {
				look.Still = true
				s, x := stage(t, look)
				x.live()
				reach(s, x)
				x.isAccessible()
			})
		}
	}
}

// isAccessible fails for what axe-core finds in the page.
func (x *tab) isAccessible() {
	x.t.Helper()
	x.run(shared.axe)
	type violation struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	found := ask[[]violation](x, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => ({ID: v.id, Impact: v.impact, Help: v.help,
		Nodes: v.nodes.slice(0, 3).map((n) => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`)
	for _, v := range found {
		x.t.Errorf("axe finds a %s violation of %s: %s; it is at %v", v.Impact, v.ID, v.Help, v.Nodes)
	}
}
