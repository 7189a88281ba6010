package audit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
)

// Real Kafka has control records, last stable offsets and log append times of its own.
func TestOnRealKafka(t *testing.T) {
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" {
		t.Skip("needs Kafka: set UNECHO_TEST_KAFKA to host:port, or run make test")
	}
	s := sceneOn(t, fmt.Sprintf("audit-%d-", time.Now().UnixNano()), strings.Split(brokers, ",")...).tell()
	all := s.outputs
	s.transaction(kgo.TryAbort, all...)
	s.transaction(kgo.TryCommit, all[1:]...)
	s.transaction(kgo.TryAbort, all...)
	s.outputs = all[:1]
	if got, want := s.audit(), (audit.Report{
		Records: 5, Unique: 2, Duplicate: 2, Rejected: 1,
		Misordered: 1,
	}); !sameCounts(got, want) {
		t.Errorf("got %s\nwant %s", got.String(), want.String())
	}
	s.outputs = all[4:]
	if got, want := s.audit(), (audit.Report{
		Records: 5, Unique: 2, Duplicate: 2, Rejected: 2, Misordered: 1,
		Doubled: 1,
	}); !sameCounts(got, want) {
		t.Errorf("got %s\nwant %s", got.String(), want.String())
	}
}
