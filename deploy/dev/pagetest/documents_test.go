package pagetest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

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
	x.says("#lookup .gauge", "threshold 0.8")
	x.says("#lookup .reasons", "By jaccard, that reaches the threshold of 0.8.")
	x.says("#lookup .reasons", "45 of the 49 shingles that either has are in both.")
	x.says("#lookup .reasons", "They were compared because they share 3 of 18 bands.")
	x.says("#lookup .found", "news/1/7, 26 min")
	x.click("#lookup .matches button")
	x.says("dialog[open]", "Your text")
	x.until(`document.querySelector('dialog[open] ins')`)
	x.press(kb.Escape)
	x.write("#lookup-text", "The harbour was closed.")
	x.click("#lookup button.main")
	x.says("#lookup .found", "Unique, and 0.6561 like wire-7.")
	x.says("#lookup .reasons", "229 of the 349 shingles that either has are in both; 28 more would make it a duplicate.")
	x.says("#lookup .reasons", "Documents that share none of its 18 bands were not compared: one may be nearer.")
	x.click("#lookup .matches button")
	x.says("dialog[open]", "Your text")
	x.press(kb.Escape)
	x.write("#lookup-text", "Something else.")
	x.click("#lookup button.main")
	x.says("#lookup .found", "Unique: nothing similar enough was found.")
	x.says("#lookup .reasons", "3 documents of the window were alike enough to be compared, and none reaches the "+
		"threshold of 0.8.")
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				fail(w, http.StatusTooManyRequests, "too many lookups at a time", "ask again in a second")
			}
			return r.Method == http.MethodPost
		}
	})
	x.click("#lookup button.main")
	x.says("#lookup .found", "No answer: too many lookups at a time.")
	x.says("#lookup .found", "Ask again in a second.")
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
	err := s.Until(func(s *Stage) bool {
		found := map[string]bool{}
		for _, r := range s.asked {
			if r.FormValue("topic") == "news" && r.FormValue("scope") == "tenant-a" && r.FormValue("min_similarity") == "0.95" {
				found[r.URL.Path] = true
			}
		}
		return found["/api/v1/recent"] && found["/api/v1/events"]
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHidden: a page that nobody sees keeps no connection, because a browser has six of them for all its tabs; and it
// misses nothing.
func TestHidden(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	turn := func(hidden bool, streams int) {
		x.run(fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %v, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))`, hidden))
		if err := s.Until(func(s *Stage) bool { return s.open == streams }); err != nil {
			t.Fatal(err)
		}
	}
	turn(false, 1)
	for n := 0; n < 4; n += 2 { // at first no event was seen after which the stream could go on
		turn(true, 0)
		s.Add(fmt.Sprintf("hidden-%d", n), 0.9, harbour, edited)
		turn(false, 1)
		x.until(fmt.Sprintf(`document.querySelectorAll('.copies li').length === %d`, n+1))
		s.Add(fmt.Sprintf("seen-%d", n), 0.9, harbour, edited)
		x.until(fmt.Sprintf(`document.querySelectorAll('.copies li').length === %d`, n+2))
	}
}
