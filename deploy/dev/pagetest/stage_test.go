package pagetest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const (
	harbour = "The harbour bridge was closed on Monday after inspectors found cracks in two of its cables."
	edited  = "The Harbour Bridge was closed on Tuesday, after inspectors found cracks in two of its main cables."
)

// TestMarks: the words that differ are marked on their sides, those that differ in case or punctuation alone are
// marked apart.
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
		`document.getElementById('compare-title').textContent`:                                          "81\u202f% similar, by jaccard",
	} {
		if got := ask[string](x, script); got != want {
			t.Errorf("%s is %q, want %q", script, got, want)
		}
	}
	x.says("dialog .told > p", "3 of the 33 words of both differ; 2 pairs of words differ in case or punctuation alone.")
	x.says("dialog .side .facts", "duplicates.remember.memory")
}

// TestMarkupStaysText: wherever a string of the API is shown, markup in it is text.
func TestMarkupStaysText(t *testing.T) {
	evil := `<img src=x onerror=window.hacked=1><script>window.hacked=2</script>"'&amp;<b>`
	_, x := stage(t, desk(), func(s *Stage) {
		s.status = full()
		s.status["group"], s.status["version"], s.status["member"] = evil, evil, evil
		s.status["warnings"] = []JSON{{
			"code": evil, "text": evil, "remedy": evil, "runbook": `javascript:window.hacked=3`,
			"since": ago(0), "pending": false,
		}}
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

// TestPolicy: a script or a style that gets into the page all the same does nothing, and nothing can be made of a
// string.
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

// TestToken: the page asks for the token, keeps it in the tab, and sends it with every question, that for the stream
// too.
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
	for _, path := range []string{"/api/v1/status", "/api/v1/history", "/api/v1/recent", "/api/v1/events"} {
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
		fail(w, http.StatusForbidden, "the API is closed, because http.listen is not a loopback address and there is no token",
			"set http.token, or http.token_file")
		return true
	}
	s, x := stage(t, phone(), func(s *Stage) { s.answer = closed })
	x.says("#gate", "This page is closed")
	x.says("#gate", "set http.token, or http.token_file")
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
	x.says("#sentence", "Healthy:")
	s.Add("wire-1", 0.9, harbour, edited)
	s.Set(func(s *Stage) { clear(s.texts) })
	x.click(".copies button")
	x.says("dialog", "Set http.show_text: true and start the member again.")
}

// TestFirstFigures: the first figures are those of the member's last minute, and say so.
func TestFirstFigures(t *testing.T) {
	first := true
	_, x := stage(t, desk(), func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/api/v1/status" || first {
				first = first && r.URL.Path != "/api/v1/status"
				return false
			}
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
	})
	x.says("#sentence", "No good answer")
	x.until(`/1,234of the last 1\smin/.test(document.getElementById('figures').textContent)`)
}

// TestHistory: what the member keeps is there as soon as the page is, and is not the browser's to lose. A member that
// was started again has what there is since, and the page says since when. Without a history the rest of the page is there.
func TestHistory(t *testing.T) {
	s, x := stage(t, desk())
	label := `document.querySelector('#throughput svg').getAttribute('aria-label')`
	for range 2 {
		x.until(`/^Throughput, the last 15 minutes\. duplicates: now [0-9.]+, lowest 0, highest [0-9]+\. unique: now /.test(` + label + `)`)
		x.until(`document.querySelectorAll('#share .line').length === 2 && document.querySelectorAll('#latency .line').length === 4`)
		if note := ask[string](x, `document.querySelector('#throughput .head p').textContent`); note != "documents a second" {
			t.Errorf("a whole quarter of an hour is kept, and the page says %q", note)
		}
		x.run(`location.reload()`)
		x.live()
	}
	s.Set(func(s *Stage) { s.past = past(3) })
	x.until(label + `.startsWith('Throughput, the last 60 seconds.')`)
	x.until(`/^documents a second, kept since \d\d:\d\d:\d\d$/.test(document.querySelector('#throughput .head p').textContent)`)
	s.Set(func(s *Stage) { s.past = []JSON{} })
	x.says("#throughput .empty", "Nothing to show yet.")
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/history") {
				fail(w, http.StatusTooManyRequests, "too many questions", "ask again")
			}
			return strings.HasSuffix(r.URL.Path, "/history")
		}
	})
	x.run(`old = true; location.reload()`)
	x.until(`!window.old && document.body.dataset.phase === 'live'`)
}

// TestReasons: what was rejected, or went on unchecked, is told by reason, with a remedy and the last documents. One of
// them opens, and markup in it is text.
func TestReasons(t *testing.T) {
	evil := `{"text": "<b onclick=x>bold</b>`
	s, x := stage(t, phone(), func(s *Stage) { s.status = empty() })
	x.live()
	if ask[bool](x, `document.getElementById('reasons').checkVisibility()`) {
		t.Error("the panel is there, and there is nothing to show")
	}
	s.Set(func(s *Stage) {
		s.status = full()
		s.status["rejected"] = JSON{"invalid_json": JSON{
			"count": 10_000, "remedy": "compare sources.format with what producers write",
			"last": []JSON{{"topic": "a.b", "partition": 2, "offset": 88_120, "time": ago(0)}, {"topic": "news", "partition": 2, "offset": 7, "time": ago(0)}},
		}}
		s.status["unchecked"] = JSON{"condition": JSON{"count": 3, "remedy": "correct sources.when", "last": []JSON{}}}
		s.texts["a.b/2/88120"] = evil
	})
	x.says("#reasons li", "invalid_jsonrejected10,000Compare sources.format with what producers write.")
	x.says("#reasons li + li", "conditionunchecked3Correct sources.when.")
	x.click("#reasons a")
	x.says("#reasons .found", "a.b/2/88120: rejected, invalid_json")
	x.says("#reasons .text", evil)
	x.click("#reasons a + a")
	x.says("#reasons .text", "Set http.show_text: true")
	s.Set(func(s *Stage) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/document/") {
				fail(w, http.StatusBadGateway, "", "")
			}
			return strings.Contains(r.URL.Path, "/document/")
		}
	})
	x.click("#reasons a")
	x.says("#reasons .text", "The answer is 502.")
	if ask[bool](x, `document.querySelector('#reasons b') !== null || !document.querySelector('#reasons a').href.endsWith('/ops/unecho/api/v1/document/a.b/2/88120')`) {
		t.Error("a document became markup, or the link leads elsewhere")
	}
}

// TestFiles: a member with old documents in files says how many there are, how often it reads, and which part of the reads
// judging waited for. Of another one nothing is said.
func TestFiles(t *testing.T) {
	s, x := stage(t, desk())
	x.says("#window .facts", "In memory62,000 documents300 MiB")
	x.says("#window .facts", "In files450,000 documents1.2 GiB")
	x.says("#window .facts", "Reads of files3,456 a second")
	x.says("#window .facts", "Late, so judging waited1.3 % of the reads")
	s.Set(func(s *Stage) { delete(s.status["rate"].(JSON), "late_reads_per_s") })
	x.says("#window .facts", "Late, so judging waitednone")
	s.Set(func(s *Stage) { s.status["rate"] = nil })
	x.says("#window .facts", "Reads of files–Late, so judging waited–")
	s.Set(func(s *Stage) { delete(s.status["window"].(JSON), "files") })
	x.until(`!document.querySelector('#window .facts').checkVisibility()`)
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
			t.Errorf("a check of the page's modules fails: %s", what)
		}
	}
	slices.Sort(passed)
}
