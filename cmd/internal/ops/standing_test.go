package ops

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Each line covers its own period, and says how the service stands at its end. There is no line before the service is
// ready.
func TestStandingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		stats := func() consumer.Stats {
			minutes := uint64(time.Since(began) / time.Minute)
			return consumer.Stats{
				Ready: minutes >= 2, Unique: 600 * minutes, Duplicate: 150 * minutes, Unchecked: 20 * minutes,
				Rejected:    map[sink.Reason]uint64{sink.TooLarge: 50 * minutes},
				UncheckedBy: map[sink.UncheckedReason]uint64{sink.InOutage: 20 * minutes},
				SourceLag:   7, Index: index.Stats{Documents: 12, WindowBytes: 3400, OldestApplied: 1000, Now: 61_000},
			}
		}
		var out strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+time.Second)
		defer cancel()
		LogStanding(ctx, time.Minute, stats, zerolog.New(&out))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 {
			t.Fatalf("in 3 minutes, ready from the second minute on, the log has the lines %q; want 2 lines", lines)
		}
		const want = `{"level":"info","documents":820,"documents_per_s":13.7,"duplicate_share":0.1829,"rejected":50,"unchecked_outage":20,"lag":7,"window_documents":12,"window_bytes":3400,"window_age_ms":60000,"message":"at work"}`
		for _, line := range lines {
			if line != want {
				t.Errorf("got  %s\nwant %s", line, want)
			}
		}
	})
}

// Unknown values are left out.
func TestStandingOfAServiceThatIdles(t *testing.T) {
	var out strings.Builder
	logStanding(zerolog.New(&out), &consumer.Stats{}, &consumer.Stats{SourceLag: -1}, time.Second)
	var line map[string]any
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil {
		t.Fatal(err)
	}
	_, share := line["duplicate_share"]
	_, lag := line["lag"]
	if share || lag || line["documents_per_s"] != 0.0 {
		t.Errorf("a service that idles logs %s; want 0 documents each second, and neither a share of duplicates nor a lag", out.String())
	}
}

func TestStandingIsNotSaidTo(t *testing.T) {
	stats := func() consumer.Stats { t.Error("it is asked for"); return consumer.Stats{} }
	LogStanding(t.Context(), 0, stats, zerolog.New(&strings.Builder{}))
	LogStanding(t.Context(), time.Minute, stats, zerolog.New(&strings.Builder{}).Level(zerolog.WarnLevel))
}
