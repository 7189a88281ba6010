package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/report"
)

// What is forgotten by the verb or through the API matches nothing any more, while the members go on, and after a
// restart from a snapshot in PostgreSQL too. What was not named is remembered.
func TestForgetOnKafka(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	ops := freeAddress(t)
	s.configure(s.inPostgres(), s.consumer(""), "http: {listen: '"+ops+"', token: 'a secret of some length'}")
	r := rand.New(rand.NewPCG(7, 7))
	var texts [4]string
	for i := range texts {
		texts[i] = words(r, 30)
	}
	again := func() {
		t.Helper()
		var records []*kgo.Record
		for i, text := range texts {
			records = append(records, &kgo.Record{Partition: int32(i % 2), Value: []byte(text)})
		}
		s.send(records...)
		s.settled()
	}
	of := func(partition, offset int) string { return fmt.Sprintf("%s/%d/%d", s.source, partition, offset) }
	journal := s.copyJournal()
	one := s.run()
	one.says(`"message":"ready"`)
	again() // four unique ones: offsets 0 and 1 of both partitions
	s.forgets(of(0, 0))
	if report := s.asksToForget(ops, fmt.Sprintf(`{"documents":[%q,"nobody"],"dry_run":true}`,
		of(1, 0))); len(report.Documents) != 1 || len(report.Unknown) != 1 || report.Offset != 0 {
		t.Errorf("a dry run: %+v", report)
	}
	if report := s.asksToForget(ops, fmt.Sprintf(`{"documents":[%q]}`, of(1, 0))); len(report.Documents) != 1 ||
		report.Offset == 0 || report.Still.Journal != s.name+".journal" {
		t.Errorf("forgotten by the API: %+v", report)
	}
	again() // two unique ones, whose places are 0/2 and 1/2, and two copies
	if unique, duplicate := s.sum(".news.unique"), s.sum(".news.duplicate"); unique != 6 || duplicate != 2 {
		t.Errorf("while it goes on there are %d unique ones and %d duplicates, want 6 and 2", unique, duplicate)
	}
	s.forgets(of(0, 2))
	s.asksToForget(ops, fmt.Sprintf(`{"documents":[%q]}`, of(1, 2)))
	stopAll(t, startBound, one)
	if s.snapshots(s.bounded()) == 0 {
		t.Error("there is no snapshot")
	}
	two := s.run()
	two.says(`"message":"ready"`)
	if !two.restored() {
		t.Error("it restored no snapshot")
	}
	again()
	stopAll(t, startBound, two)
	journal.upToDate()
	if report := s.audited(journal.topic); !report.OK() || report.Unique != 8 || report.Duplicate != 4 {
		t.Error(report.String())
	}
}

// forgets has documents forgotten by the verb.
func (s *scene) forgets(names ...string) {
	s.t.Helper()
	p := start(s.t, s.dir, append([]string{"forget", "--config", s.file, "--json"}, names...)...)
	if code := p.exits(patience); code != 0 {
		s.t.Fatalf("forget %v ends with %d", names, code)
	}
	var report report.Forgotten
	check(s.t, json.Unmarshal([]byte(p.out.String()), &report))
	if len(report.Documents) != len(names) || report.Offset == 0 {
		s.t.Errorf("forget %v: %+v", names, report)
	}
}

// asksToForget asks a member to do it.
func (s *scene) asksToForget(ops, body string) (report report.Forgotten) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.bounded(), http.MethodPost, "http://"+ops+"/api/v1/forget",
		strings.NewReader(body))
	check(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer a secret of some length")
	resp, err := http.DefaultClient.Do(req)
	check(s.t, err)
	defer resp.Body.Close()
	check(s.t, json.NewDecoder(resp.Body).Decode(&report))
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("POST /api/v1/forget of %s is answered %d; want %d", body, resp.StatusCode, http.StatusOK)
	}
	return report
}
