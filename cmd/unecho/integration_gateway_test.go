package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const gatewayToken = "a token for the gateway"

// posted is the answer to one document.
type posted struct {
	Partition int32
	Offset    int64
	Verdict   string
	Repeated  bool
}

// post sends a document with its key to a member, and returns what became of it; ok is false if there is no verdict.
func post(ctx context.Context, ops, key, body string) (p posted, ok bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+ops+"/api/v1/documents?wait=verdict&timeout=10s", strings.NewReader(body))
	if err != nil {
		return p, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("Authorization", "Bearer "+gatewayToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return p, false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	var answer struct{ Documents []posted }
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(data, &answer) != nil || len(answer.Documents) != 1 {
		return p, false
	}
	return answer.Documents[0], true
}

// TestGatewayUnderKills: clients that repeat their requests by the key, at whatever member lives, get one verdict each,
// and of each request one document comes to unique.
func TestGatewayUnderKills(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	addresses := [2]string{freeAddress(t), freeAddress(t)}
	files := [2]string{}
	for i, ops := range addresses {
		s.configure(s.inDirectory(), "group: "+s.name, "duplicates: {remember: {keys: 1h}}",
			"http: {listen: '"+ops+"', token: "+gatewayToken+", ingest: {enabled: true, rate: 5000}}")
		text, err := os.ReadFile(s.file)
		check(t, err)
		files[i] = s.written(fmt.Sprintf("member-%d.yaml", i), string(text))
	}
	members := [2]*process{}
	for i := range members {
		members[i] = start(t, s.dir, "run", "--config", files[i])
	}
	for _, ops := range addresses {
		s.until("a member is ready", func(ctx context.Context) bool { return s.ready(ctx, ops) == "ready\n" })
	}
	const clients, each = 8, 40
	var mu sync.Mutex
	var finished atomic.Int64
	first, repeats := map[string]posted{}, 0
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			s.sends(c, each, addresses, func(key string, got, again posted) {
				mu.Lock()
				defer mu.Unlock()
				if first[key] = got; again.Verdict != got.Verdict || again.Offset != got.Offset || !again.Repeated {
					t.Errorf("%s is %+v, and then %+v", key, got, again)
				}
				if got.Repeated {
					repeats++
				}
				finished.Add(1)
			})
		})
	}
	for _, n := range []int64{60, 140, 220} {
		s.until("requests are answered", func(context.Context) bool { return finished.Load() >= n })
		members[1].kill()
		members[1] = start(t, s.dir, "run", "--config", files[1])
	}
	all.Wait()
	t.Logf("%d of %d requests had their verdict from a repeat", repeats, clients*each)
	for _, m := range members {
		stopAll(t, startBound, m)
	}
	s.gatewayWhole(first)
}

// sends sends n documents of a client, one after the other, to the members by turns, until there is a verdict, and then
// once more to the first member. It calls told with both answers.
func (s *scene) sends(client, n int, to [2]string, told func(key string, got, again posted)) {
	pace := time.NewTicker(100 * time.Millisecond) // as a client tries again
	defer pace.Stop()
	until := func(key, body string, first int) posted {
		for try := first; s.t.Context().Err() == nil; try++ {
			if got, ok := post(s.bounded(), to[try%2], key, body); ok {
				return got
			}
			select {
			case <-pace.C:
			case <-s.t.Context().Done():
			}
		}
		return posted{}
	}
	for i := range n {
		key := fmt.Sprintf("%d-%d", client, i)
		body := fmt.Sprintf(`{"text":"number %d of client %d: %x %x %x"}`, i, client, (i+1)*7919*(client+3), i<<20+client,
			i*i*i+client<<9)
		if i%10 == 9 {
			body = fmt.Sprintf(`{"text":"what all send: number %d"}`, i)
		}
		got := until(key, body, client+i)
		told(key, got, until(key, body, 0))
	}
}

// gatewayWhole: each verdict unique is one record in unique, and no other is there.
func (s *scene) gatewayWhole(first map[string]posted) {
	s.t.Helper()
	unique := map[string]bool{}
	for key, p := range first {
		if p.Verdict == "unique" {
			unique[fmt.Sprintf("%d/%d", p.Partition, p.Offset)] = true
		} else if p.Verdict != "duplicate" {
			s.t.Errorf("%s is %+v", key, p)
		}
	}
	report := s.audit(s.name + ".journal")
	if report.Unique != len(unique) || len(unique) == 0 {
		s.t.Errorf("%d records in unique, and %d were told", report.Unique, len(unique))
	}
}
