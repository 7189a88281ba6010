package pagetest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	x.says("#lookup .found", "A duplicate: 91 % similar to wire-7.")
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
	x.says("#lookup .found", "Unique, and 65 % similar to wire-7.")
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

// TestRecent: the list can be filtered, paused and walked by keyboard. A text that cannot be read holds up no other, and is
// asked for again after a minute; where too many ask at a time, after a second.
func TestRecent(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	var busy time.Time
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case strings.HasSuffix(r.URL.Path, "/document/news/1/5"):
				fail(w, http.StatusBadGateway, "Kafka does not give the record now", "ask again")
			case strings.HasSuffix(r.URL.Path, "/document/news/1/4") && busy.IsZero():
				busy = time.Now()
				fail(w, http.StatusTooManyRequests, "too many texts at a time", "ask again in a second")
			default:
				if rest := time.Since(busy); strings.HasSuffix(r.URL.Path, "/document/news/1/4") && rest > 5*time.Second {
					t.Errorf("a text is asked for again after %v, want a second", rest)
				}
				return false
			}
			return true
		}
	})
	for i := range 5 {
		s.Add(fmt.Sprintf("wire-%d", i), 0.9, harbour, edited)
	}
	x.until(`document.querySelectorAll('.copies li').length === 5`)
	x.run(`document.querySelector('.copies').scrollIntoView()`)
	x.says(".copies li + li", "The Harbour Bridge was closed on Tuesday, after inspectors found cracks in two of its main cables.wire-3, copy 2 of")
	x.until(`[...document.querySelectorAll('.copies li + li')].every((e) => e.textContent.includes('The Harbour Bridge'))`)
	s.Set(func(s *Stage) { s.answer = nil })
	x.run(`Date.now = ((now) => () => now() + 60_000)(Date.now)`)
	x.until(`[...document.querySelectorAll('.copies li')].every((e) => e.textContent.includes('The Harbour Bridge'))`)
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
	x.until(`document.querySelector('#recent .slider output').textContent === '95\u202f%'`)
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

// TestLink: the address has the filter and the pair that is open, and who opens it sees the same, also when the list has
// the pair no more.
func TestLink(t *testing.T) {
	s, x := stage(t, desk(), func(s *Stage) {
		s.texts["news/0/70"], s.texts["news/1/70"] = harbour, edited
		s.status["settings"] = s.status["settings"].([]JSON)[1:] // without scopes
		members := s.status["members"].(JSON)
		members["sessions"] = append(members["sessions"].([]JSON), JSON{"client_id": "unecho-2", "host": "/10.0.9.9", "partitions": []JSON{}})
	})
	x.live()
	x.run(`location.hash = 'topic=news&min=0.9&pair=news/1/70,news/0/70'`)
	for range 2 {
		x.says("dialog[open] .side + .side", "Tuesday")
		x.says("dialog[open] h2", "Two documents")
		x.until(`document.getElementById('filter-topic').value === 'news' && document.querySelector('#recent .slider output').textContent === '90\u202f%'`)
		x.run(`document.querySelector('dialog').remove(); location.reload()`)
	}
	x.says("dialog[open] .side + .side", "Tuesday")
	x.press(kb.Escape)
	x.until(`location.hash === '#topic=news&min=0.9'`)
	s.Add("wire-1", 0.9, harbour, edited)
	x.click(".copies button")
	x.until(`location.hash === '#topic=news&min=0.9&pair=news/1/1,news/0/1'`)
	x.press(kb.Escape)
	x.write("#filter-topic", "")
	x.until(`location.hash === '#min=0.9'`)
	x.until(`!document.getElementById('filter-scope').checkVisibility()`)
	x.run(`location.hash = 'scope=x'`)
	x.until(`document.getElementById('filter-scope').checkVisibility()`)
	x.write("#filter-scope", "")
	x.until(`location.hash === ''`)
	asked := ask[int](x, `performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/status')).length`)
	x.until(fmt.Sprintf(`performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/status')).length > %d`, asked+1))
	x.until(`document.getElementById('filter-scope').checkVisibility()`)
	x.run(`document.activeElement.blur()`)
	x.until(`!document.getElementById('filter-scope').checkVisibility()`)
	x.run(`location.hash = 'pair=../1/1,<b>/0/1&min=x'`)
	x.until(`document.querySelector('#recent .slider output').textContent === 'any'`)
	x.says("#members", "unecho-2")
	if got := ask[string](x, `[...document.querySelectorAll('#members a')].map((a) => a.href).join()`); got != "http://10.0.4.12:9464/,http://10.0.4.13:9464/" {
		t.Errorf("the members lead to %s", got)
	}
}

// TestDifferences: they are counted, a key leads from one to the next, and what is equal between them is folded on both sides
// until it is clicked.
func TestDifferences(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	middle := strings.Repeat(" and nothing else was said about it", 30)
	s.Add("wire-1", 0.9, "One"+middle+" two three", "Eins"+middle+" zwei three")
	x.click(".copies button")
	x.says("dialog[open] .head", "2 differences")
	x.says("dialog .side + .side .text", "Eins and nothing else was said about it and nothing else")
	for _, at := range []string{"1 of 2", "2 of 2", "1 of 2"} {
		x.press("n")
		x.says("dialog[open] .head", at)
	}
	x.press("p")
	x.says("dialog[open] .head", "2 of 2")
	x.until(`[...document.querySelectorAll('dialog .here')].map((e) => e.textContent).join() === 'two,zwei'`)
	x.until(`document.querySelectorAll('dialog .fold').length === 2`)
	x.says("dialog .fold", "190 equal words")
	x.click("dialog .fold")
	x.until(`document.querySelectorAll('dialog .fold').length === 0`)
	x.press("n")
	x.says("dialog[open] .head", "1 of 2")
	if got := ask[string](x, `document.querySelectorAll('dialog .text')[1].textContent`); got != "Eins"+middle+" zwei three" {
		t.Errorf("the whole text is %q", got)
	}
}

// TestLabels: what a person says of pairs is a file that unecho tune takes.
func TestLabels(t *testing.T) {
	look := desk()
	look.Before = `window.saved = ''; URL.createObjectURL = ((make) => (b) => { b.text().then((text) => { saved = text; }); return make(b); })(URL.createObjectURL);`
	s, x := stage(t, look)
	x.live()
	s.Add("wire-1", 0.9, harbour, edited)
	s.Add("wire-2", 0.8, harbour, edited)
	x.until(`document.querySelectorAll('.copies li').length === 2`)
	x.click(".copies button")
	x.click(".judge button + button")
	x.says(".judge", "Download 1 label of newsLabel some as copies, too")
	x.press(kb.ArrowRight)
	x.says("dialog .side + .side", "wire-1")
	x.click(".judge button")
	x.until(`document.querySelector('.judge button').ariaPressed === 'true'`)
	x.run(`location.reload()`)
	x.until(`document.querySelector('.judge button')?.ariaPressed === 'true'`)
	x.says(".judge", "Download 2 labels of newsDelete")
	x.click(".judge .row button")
	x.until(`saved !== ''`)
	dir := t.TempDir()
	labels, documents := filepath.Join(dir, "labels.tsv"), filepath.Join(dir, "wires.jsonl")
	lines := ""
	for id, text := range map[string]string{"original of wire-1": harbour + harbour, "wire-1": harbour + harbour + " More.", "original of wire-2": edited, "wire-2": "Another text, of other words."} {
		lines += fmt.Sprintf("{%q: %q, %q: %q}\n", "id", id, "text", text)
	}
	if err := errors.Join(os.WriteFile(labels, []byte(ask[string](x, `saved`)), 0o600), os.WriteFile(documents, []byte(lines), 0o600)); err != nil {
		t.Fatal(err)
	}
	if said := written(t, "tune", "--pairs", labels, "--slots", "64", documents); !strings.Contains(said, "1 labelled pair") {
		t.Errorf("unecho tune says:\n%s", said)
	}
}

// TestLabelsOfTwoTabs: what one tab labels or deletes, the other shows. Labels that the browser does not keep are not lost,
// and the page says so.
func TestLabelsOfTwoTabs(t *testing.T) {
	s, x := stage(t, desk())
	x.live()
	s.Add("wire-1", 0.9, harbour, edited)
	s.Add("wire-2", 0.9, harbour, edited)
	x.until(`document.querySelectorAll('.copies li').length === 2`)
	x.click(".copies button")
	x.click(".judge button")
	x.says(".judge", "Download 1 label of news")
	y := open(t, s.URL, desk())
	y.live()
	y.click(".copies li + li button")
	y.click(".judge button")
	for _, tab := range []*tab{x, y} {
		tab.says(".judge", "Download 2 labels of news")
	}
	y.run(`confirm = (asks) => { window.asks = asks; return true; }`)
	y.click(".judge [aria-label]")
	if got := ask[string](y, `asks`); got != "Delete 2 labels?" {
		t.Errorf("it asks %q", got)
	}
	x.until(`document.querySelectorAll('.judge button').length === 2`)
	x.run(`Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }`)
	x.click(".judge button")
	x.says(".judge", "does not keep the labels")
	x.press(kb.ArrowRight)
	x.says("dialog .side + .side", "wire-1")
	x.click(".judge button")
	x.says(".judge", "Download 2 labels of news")
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
