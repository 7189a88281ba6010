package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// attacker sends documents by the load generator.
type attacker struct {
	vegeta string
	dir    string
	group  *group
	sent   int // documents so far
}

// target is a request, as the load generator reads it.
type target struct {
	Method string              `json:"method"`
	URL    string              `json:"url"`
	Header map[string][]string `json:"header"`
	Body   []byte              `json:"body"`
}

// report is what the load generator says.
type report struct {
	Latencies struct {
		P50 int64 `json:"50th"`
		P99 int64 `json:"99th"`
	}
	Requests uint64
	Success  float64
	Codes    map[string]int `json:"status_codes"`
}

// others are the answers that are no success.
func (r *report) others() (n int) {
	for code, of := range r.Codes {
		if code != "200" && code != "202" {
			n += of
		}
	}
	return n
}

// targets makes n requests with documents that nobody has sent, to the members by turns.
func (a *attacker) targets(to []*member, wait bool, n int) ([]target, error) {
	p := synthetic.DefaultParams()
	p.Documents, p.Seed = n, uint64(a.sent+1)
	articles, err := synthetic.NewArticles(p)
	if err != nil {
		return nil, err
	}
	all := make([]target, 0, n)
	for doc, more := articles.Next(); more; doc, more = articles.Next() {
		url := "http://" + to[len(all)%len(to)].address + "/api/v1/documents"
		if wait {
			url += "?wait=verdict&timeout=15s"
		}
		all = append(all, target{http.MethodPost, url, map[string][]string{
			"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token},
			"Idempotency-Key": {"k" + strconv.Itoa(a.sent)},
		}, bytes.Clone(doc.Value())})
		a.sent++
	}
	return all, nil
}

// attack keeps a rate for a while.
func (a *attacker) attack(ctx context.Context, to []*member, wait bool, rate int, each time.Duration) (*report, error) {
	targets, err := a.targets(to, wait, rate*int(each.Seconds()))
	if err != nil {
		return nil, err
	}
	results, err := a.send(ctx, targets, rate, each)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, a.vegeta, "report", "-type=json", results).Output()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var r report
	return &r, json.Unmarshal(out, &r)
}

// send has the load generator send requests, and returns the file of what became of them.
func (a *attacker) send(ctx context.Context, targets []target, rate int, each time.Duration) (string, error) {
	name := filepath.Join(a.dir, "results")
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	for i := range targets {
		if err := to.Encode(&targets[i]); err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, a.vegeta, "attack", "-format=json", "-rate="+strconv.Itoa(rate),
		"-duration="+each.String(), "-timeout=30s", "-max-connections=2000", "-output="+name)
	cmd.Stdin, cmd.Stderr = &lines, os.Stderr
	return name, cmd.Run()
}

// kill has one member get requests, kills it in the middle, and sends what it has not answered to the other one.
func (a *attacker) kill(ctx context.Context) error {
	const rate, seconds = 200, 10
	victim, other := a.group.members[0], a.group.members[1]
	targets, err := a.targets([]*member{victim}, true, rate*seconds)
	if err != nil {
		return err
	}
	killed := time.AfterFunc(seconds/2*time.Second, func() { _ = victim.cmd.Process.Kill() })
	defer killed.Stop()
	results, err := a.send(ctx, targets, rate, seconds*time.Second)
	if err != nil {
		return err
	}
	answered, err := a.answered(ctx, results)
	if err != nil {
		return err
	}
	began, repeated, failed := time.Now(), 0, 0
	for i := range targets {
		if answered[uint64(i)] {
			continue
		}
		came, err := again(ctx, &targets[i], other)
		if err != nil {
			failed++
		}
		if came {
			repeated++
		}
	}
	fmt.Printf("\nkilled in the middle of %d requests at %d/s: %d were answered, %d were not\n", len(targets), rate,
		len(answered), len(targets)-len(answered))
	fmt.Printf("sent again to the other member, one by one, in %.1f s: %d had come to the source before, %d have no verdict\n",
		time.Since(began).Seconds(), repeated, failed)
	out, err := exec.CommandContext(ctx, a.group.unecho, "audit", "--config", other.config).CombinedOutput()
	fmt.Printf("%s", out)
	fmt.Printf("%d documents were sent\n", a.sent)
	return err
}

// answered returns the numbers of the requests that got a verdict.
func (a *attacker) answered(ctx context.Context, results string) (map[uint64]bool, error) {
	out, err := exec.CommandContext(ctx, a.vegeta, "encode", "-to=json", results).Output()
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	all := map[uint64]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			Seq  uint64
			Code int
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		if r.Code == http.StatusOK {
			all[r.Seq] = true
		}
	}
	return all, lines.Err()
}

// again sends a request to another member, until it has the verdict, and says whether the document had come before.
func again(ctx context.Context, t *target, to *member) (came bool, err error) {
	for range 20 {
		req, err := http.NewRequestWithContext(ctx, t.Method,
			"http://"+to.address+"/api/v1/documents?wait=verdict&timeout=15s", bytes.NewReader(t.Body))
		if err != nil {
			return false, err
		}
		req.Header = t.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, err
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var answer struct{ Documents []struct{ Repeated bool } }
		if err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(data, &answer) == nil {
			return answer.Documents[0].Repeated, nil
		}
	}
	return false, fmt.Errorf("no verdict from %s", to.address)
}
