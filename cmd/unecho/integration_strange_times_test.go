package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/checks"
	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/sink"
)

// strangeTimes are timestamps that producers write by mistake, and those at which arithmetic breaks.
func strangeTimes() []int64 {
	return []int64{
		-1, 0, 1, -2, math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1,
		-62135596800000,               // .NET's MinValue
		253402300799999,               // the last of the year 9999
		time.Now().UnixMicro(),        // microseconds
		time.Now().UnixNano(),         // nanoseconds
		-9223372036854, 9223372036854, // what can be written ends here
		-9223372036855, 9223372036855,
		1 << 58, -1 << 58, 1<<58 - 1,
	}
}

// Documents of any timestamp, alone and together in a batch, compressed and not, come out with theirs as it was written,
// or in rejected with the true one in a header, on real Kafka: read from the brokers batch by batch. So it is with
// outputs that the service makes, and with such as take less. The audit counts them.
func TestStrangeTimestamps(t *testing.T) {
	t.Parallel()
	hour := "3600000"
	for _, c := range []struct {
		name    string
		limited bool // the outputs take nothing that is more than an hour away
		more    []string
	}{
		{"outputs of ours", false, nil},
		{"outputs that take less", true, nil},
		{"and verdicts in a topic", false, []string{"sink: {metadata: topic}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 0)
			s.create(s.source, 1, map[string]*string{
				"message.timestamp.after.max.ms": kadm.StringPtr(strconv.FormatInt(math.MaxInt64, 10)),
				"retention.ms":                   kadm.StringPtr("-1"),
			})
			s.configure(append(c.more, s.inDirectory(), s.consumer(""), noOps)...)
			if c.limited {
				for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
					s.create(s.source+"."+output, 1, map[string]*string{
						"message.timestamp.after.max.ms": &hour, "message.timestamp.before.max.ms": &hour, "retention.ms": kadm.StringPtr("-1"),
					})
				}
			}
			p := s.run()
			p.says(`"ready"`)
			sent := s.strange(append(strangeTimes(), time.Now().UnixMilli()))
			s.settled()
			stopAll(t, patience, p)
			came := s.rawOutputs()
			retimed := 0
			for offset, ms := range sent {
				got := came[fmt.Sprintf("%s/0/%d", s.source, offset)]
				if len(got) != 1 {
					t.Errorf("document %d of %d ms came out %d times", offset, ms, len(got))
					continue
				}
				if s.asPromised(got[0], ms, c.limited) {
					retimed++
				}
			}
			a := start(t, s.dir, "audit", "--config", s.file, "--json")
			code := a.exits(patience)
			var report checks.AuditLine
			check(t, json.Unmarshal([]byte(a.out.String()), &report))
			if code != 0 || report.Records != len(sent) || report.Retimed != retimed || retimed == 0 || report.Altered != 0 {
				t.Errorf("the audit ends with %d: %d retimed of %d documents, want %d of %d: %s%s", code, report.Retimed,
					report.Records, retimed, len(sent), a.log, a.out)
			}
		})
	}
}

// strange writes documents of these timestamps: each alone, and all together in batches. It returns the times by offset.
func (s *scene) strange(times []int64) (sent []int64) {
	s.t.Helper()
	drop := func(codec kgo.CompressionCodecType, times ...int64) {
		documents := make([]unpacktest.Document, len(times))
		for i, ms := range times {
			documents[i] = unpacktest.Document{
				Time: ms, Key: strconv.AppendInt(nil, ms, 10), Value: fmt.Appendf(nil, "document %d says in its own words that it is of %d ms", len(sent), ms),
				Headers: []kgo.RecordHeader{{Key: "own", Value: []byte("header")}},
			}
			sent = append(sent, ms)
		}
		batch, err := unpacktest.Timed(codec, documents...)
		check(s.t, err)
		_, err = unpacktest.Drop(s.bounded(), s.client, s.source, 0, batch)
		check(s.t, err)
	}
	for _, ms := range times {
		drop(kgo.CodecNone, ms)
	}
	for _, codec := range []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecZstd, kgo.CodecGzip} {
		drop(codec, times...)
	}
	s.sent[0] = int64(len(sent))
	return sent
}

// rawOutput is an output record as it lies in its topic.
type rawOutput struct {
	unpacktest.Raw

	topic string
	ours  map[string]string
}

// rawOutputs returns the output records by the source record that they name.
func (s *scene) rawOutputs() map[string][]rawOutput {
	s.t.Helper()
	came := map[string][]rawOutput{}
	for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
		all, err := unpacktest.Read(s.bounded(), s.client, s.source+"."+output, 0)
		check(s.t, err)
		for _, r := range all {
			o := rawOutput{Raw: r, topic: output, ours: map[string]string{}}
			for _, h := range r.Headers {
				o.ours[h.Key] = string(h.Value)
			}
			came[o.ours[sink.HeaderSource]] = append(came[o.ours[sink.HeaderSource]], o)
		}
	}
	return came
}

// asPromised checks the output of a document of that time, and says whether it has another.
func (s *scene) asPromised(o rawOutput, ms int64, limited bool) (retimed bool) {
	s.t.Helper()
	own, retimed := o.ours[sink.HeaderTimestamp]
	writable := ms >= -9223372036854 && ms <= 9223372036854
	near := math.Abs(float64(ms)-float64(time.Now().UnixMilli())) < float64(time.Hour.Milliseconds()) || ms == -1
	switch {
	case string(o.Key) != strconv.FormatInt(ms, 10) || !strings.HasSuffix(string(o.Value), fmt.Sprintf(" of %d ms", ms)) ||
		o.ours["own"] != "header":
		s.t.Errorf("the document of %d ms has key %s and value %s", ms, o.Key, o.Value)
	case retimed != (!writable || limited && !near):
		s.t.Errorf("the document of %d ms is retimed: %v; %v", ms, retimed, o.ours)
	case !retimed && o.Time != ms:
		s.t.Errorf("the document of %d ms has %d in %s", ms, o.Time, o.topic)
	case retimed && (own != strconv.FormatInt(ms, 10) || o.topic != sink.Rejected ||
		time.Since(time.UnixMilli(o.Time)).Abs() > time.Hour):
		s.t.Errorf("the document of %d ms stands in %s with %d, and %q is told", ms, o.topic, o.Time, own)
	case retimed && (o.ours[sink.HeaderReason] == string(sink.BadTimestamp)) == writable:
		s.t.Errorf("the document of %d ms is rejected as %s: %s", ms, o.ours[sink.HeaderReason], o.ours[sink.HeaderDetail])
	}
	return retimed
}
