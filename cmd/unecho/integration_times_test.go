package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/doctor"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

const timestampLimit = "message.timestamp.before.max.ms"

// Outputs on real Kafka take no documents older than an hour, and a backlog is of yesterday: what an output refuses for
// its time goes to rejected, where that refuses it too with the present time and its own in a header; all else goes
// where it belongs. So it is when the limits are there at the start, and when they come later.
func TestTimestampsThatOutputsRefuse(t *testing.T) {
	t.Parallel()
	outputs := []string{sink.Unique, sink.Duplicate, sink.Rejected}
	for _, c := range []struct {
		name    string
		limited []string
		late    bool // the limits come when the service is at work
		all     bool // no old document has an output but rejected
	}{
		{"all outputs", outputs, false, true},
		{"all outputs later", outputs, true, true},
		{"unique", outputs[:1], false, false},
		{"unique and rejected later", []string{sink.Unique, sink.Rejected}, true, false},
		{"duplicate and rejected", outputs[1:], false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 2)
			s.configure(s.inDirectory(), s.consumer(""), noOps)
			var p *process
			if c.late {
				p = s.run()
				p.says(`"ready"`)
			}
			for _, output := range outputs {
				if !c.late {
					s.create(s.source+"."+output, 2, nil)
				}
				if slices.Contains(c.limited, output) {
					s.alter(s.source+"."+output, timestampLimit, "3600000") // an hour
				}
			}
			s.doctorTells(c.limited[0])
			yesterday := time.Now().Add(-24 * time.Hour)
			s.aged(40, yesterday, 1)
			s.aged(40, time.Now(), 2)
			s.aged(10, time.UnixMilli(-1), 3) // without a timestamp, which topics take whatever their limits
			if !c.late {
				p = s.run()
				p.says("an output topic limits timestamps")
			}
			s.settled()
			stopAll(t, patience, p)
			t.Logf("%d refusals", strings.Count(p.log.String(), "INVALID_TIMESTAMP"))
			report := s.audited(s.name + ".journal")
			if c.all && report.Rejected != 40 || report.Rejected == 0 || report.Rejected > 40 {
				t.Errorf("%d of 40 old documents are rejected", report.Rejected)
			}
			s.read(s.source+".rejected", func(r *topic.Record) {
				own, retimed := r.Header("unecho-timestamp"), slices.Contains(c.limited, sink.Rejected)
				switch {
				case r.Header("unecho-reason") != string(sink.OutputRefused):
					t.Errorf("rejected as %s", r.Header("unecho-reason"))
				case retimed && (own != strconv.FormatInt(yesterday.UnixMilli(), 10) || time.Since(r.Time) > time.Hour):
					t.Errorf("its own time is told as %q, and in rejected it has %v", own, r.Time)
				case !retimed && (own != "" || r.Time.UnixMilli() != yesterday.UnixMilli()):
					t.Errorf("its time is %v, and %q is told", r.Time, own)
				}
			})
		})
	}
}

// aged sends n documents of that time: about a third are copies of others.
func (s *scene) aged(n int, at time.Time, seed uint64) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(seed, 13))
	var texts []string
	var records []*kgo.Record
	for i := range n {
		text := words(r, 40)
		if i > 0 && r.IntN(3) == 0 {
			text = texts[r.IntN(len(texts))]
		}
		texts = append(texts, text)
		records = append(records, &kgo.Record{
			Partition: int32(i % 2), Value: []byte(text), Timestamp: at,
			Key: fmt.Appendf(nil, "k%d", i),
		})
	}
	s.send(records...)
}

// doctorTells has the doctor look until it names an output and its remedy: a broker shows a changed setting a moment
// later.
func (s *scene) doctorTells(output string) {
	s.t.Helper()
	ctx, name := s.bounded(), s.source+"."+output
	for {
		var looked doctor.Report
		check(s.t, json.Unmarshal([]byte(s.exec("doctor", "--json")), &looked))
		for _, f := range looked.Findings {
			if f.Level == doctor.Note && strings.HasPrefix(f.What, "topic "+name+": "+timestampLimit+" is 1h0m0s, "+s.source+
				" has no limit") {
				if !strings.Contains(f.Remedy, "--entity-name "+name+" --add-config "+timestampLimit+"=9223372036854775807") {
					s.t.Errorf("the remedy is %q", f.Remedy)
				}
				return
			}
		}
		if ctx.Err() != nil {
			s.t.Fatalf("the doctor does not tell of %s:\n%s", name, saysOf(&looked))
		}
	}
}
