package watch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

func idle() {}

// working starts a member that has committed documents.
func (s *scene) working(settings ...string) *member {
	s.t.Helper()
	m := s.start("one", settings...)
	s.produce(20)
	s.settled(m)
	return m
}

func (s *scene) fault(f kfake.Fault) {
	f.Count = -1
	s.kafka.Fault(f)
}

// removed is two groups at work, of which one ends.
func removed(s *scene) ([]*member, func()) {
	other := s.start("other", "group=other", "snapshots.directory.path="+filepath.Join(s.dir, "other"),
		"outputs.unique.topic=other.unique", "outputs.duplicate.topic=other.duplicate", "outputs.rejected.topic=other.rejected")
	other.job = "unecho-other"
	m, steps := s.working(), 0
	s.until("the other group is there", func() bool { _, is := other.get("/ready"); return is })
	return []*member{m, other}, func() {
		if steps++; steps == 2 { // it was scraped once
			other.stop()
		}
	}
}

func killed(s *scene) ([]*member, func()) {
	m := s.working()
	check(s.t, m.process.Process.Kill())
	<-m.ended
	return []*member{m}, idle
}

// The group has offsets, and its journal is gone: the new one knows nothing of them.
func unready(s *scene) ([]*member, func()) {
	s.working().stop()
	journal := kmsg.NewDeleteTopicsRequestTopic()
	journal.Topic = new("news-filter.journal")
	gone := kmsg.NewPtrDeleteTopicsRequest()
	gone.Topics = append(gone.Topics, journal)
	told, err := gone.RequestWith(s.t.Context(), s.client)
	check(s.t, err)
	check(s.t, kerr.ErrorForCode(told.Topics[0].ErrorCode))
	return []*member{s.start("one", "snapshots.directory.path="+filepath.Join(s.dir, "other"))}, idle
}

func outputsClosed(s *scene) ([]*member, func()) {
	m := s.working()
	s.fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "news.unique", Err: kerr.NotEnoughReplicas})
	return []*member{m}, func() { s.produce(1) }
}

func offsetsHidden(s *scene) ([]*member, func()) {
	m := s.working()
	s.fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news", Err: kerr.UnknownServerError})
	return []*member{m}, idle
}

func deleted(s *scene) ([]*member, func()) {
	s.working().stop()
	s.produce(40)
	for p := range int32(partitions) {
		check(s.t, s.kafka.DeleteRecords("news", p, s.kafka.PartitionInfo("news", p).HighWatermark))
	}
	return []*member{s.start("one")}, idle
}

func skipped(s *scene) ([]*member, func()) {
	s.working().stop()
	s.produce(40)
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = "news-filter", -1
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = "news", s.kafka.TopicInfo("news").TopicID
	for p := range int32(partitions) {
		to := kmsg.NewOffsetCommitRequestTopicPartition()
		to.Partition, to.Offset = p, s.kafka.PartitionInfo("news", p).HighWatermark
		topic.Partitions = append(topic.Partitions, to)
	}
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(s.t.Context(), s.client)
	check(s.t, err)
	check(s.t, kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode))
	return []*member{s.start("one")}, idle
}

// Kafka itself refuses a batch that nobody can read. It comes from a broker whose disk is damaged.
func unreadable(s *scene) ([]*member, func()) {
	m := s.working()
	noise := unpacktest.Batch(7, kgo.CodecZstd, []byte(strings.Repeat("\xa5", 200)))
	_, err := unpacktest.Drop(s.t.Context(), s.client, "news", 0, noise)
	check(s.t, err)
	return []*member{m}, idle
}

// A topic comes that sources.pattern fits, and an output of it is there already, as somebody else made it.
func untaken(s *scene) ([]*member, func()) {
	check(s.t, s.kafka.CreateTopic("blogs.a", partitions, nil))
	check(s.t, s.kafka.CreateTopic("blogs.a.unique", partitions, map[string]string{"max.message.bytes": "1000"}))
	return []*member{s.working(`sources.pattern=blogs\.[a-z]`)}, idle
}

func leaderless(s *scene) ([]*member, func()) {
	m := s.working()
	s.fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch}, Topic: "news", Partitions: []int32{1},
		Err: kerr.LeaderNotAvailable,
	})
	return []*member{m}, idle
}

func transactionsFail(s *scene) ([]*member, func()) {
	m := s.working()
	s.fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.InvalidProducerEpoch})
	s.produce(10)
	return []*member{m}, idle
}

func journalClosed(s *scene) ([]*member, func()) {
	hasty := filepath.Join(s.dir, "hasty")
	overlay, err := plant(s.dir, "consumer/session/params.go", "MaxLag: 30 * time.Second", "MaxLag: time.Second")
	check(s.t, err)
	check(s.t, build(hasty, "-overlay", overlay))
	m := s.startProgram(hasty, "one")
	s.produce(20)
	s.settled(m)
	s.fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "news-filter.journal", Err: kerr.KafkaStorageError})
	s.produce(10)
	return []*member{m}, idle
}

// One member tells the others a wrong hash of its state, as one with bad memory would.
func different(s *scene) ([]*member, func()) {
	wrong := filepath.Join(s.dir, "wrong")
	overlay, err := plant(s.dir, "consumer/member/keeper.go", "Hash: c.Hash,", "Hash: c.Hash ^ 1,")
	check(s.t, err)
	check(s.t, build(wrong, "-overlay", overlay))
	right := s.start("right", "snapshots.every=1h")
	s.produce(20)
	s.settled(right)
	s.startProgram(wrong, "wrong")
	return []*member{right}, func() { s.produce(1) }
}

func stray(s *scene) ([]*member, func()) {
	m := s.working()
	check(s.t, s.client.ProduceSync(s.t.Context(), &kgo.Record{Topic: "news-filter.journal", Value: []byte("hello")}).FirstErr())
	return []*member{m}, idle
}

func windowFull(s *scene) ([]*member, func()) {
	m := s.working("duplicates.remember.documents=100")
	s.produce(1000)
	s.settled(m)
	return []*member{m}, idle
}

func cut(s *scene) ([]*member, func()) {
	s.common = strings.Repeat("this is said at the beginning of each letter of ours ",
		1) + strings.Join(strings.Fields(alphabet), " ")
	return []*member{s.working("duplicates.threshold=0.73", "duplicates.max_candidates=1")}, func() { s.produce(5) }
}

const alphabet = `alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra
tango uniform victor whiskey xray yankee zulu one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty red orange yellow green blue indigo violet black white grey brown pink cyan
spring summer autumn winter north east south west monday tuesday wednesday thursday friday saturday sunday january february march
april may june july august september october november december mercury venus earth mars jupiter saturn uranus neptune`

func notJSON(s *scene) ([]*member, func()) {
	return []*member{s.working("sources.format=json", "--accept-rejected=news")}, func() { s.produce(1) }
}

func unchecked(s *scene) ([]*member, func()) {
	return []*member{s.working("sources.when.header=lang", "sources.when.exists=true")}, func() { s.produce(1) }
}

func copiesCease(s *scene) ([]*member, func()) {
	left := 20
	return []*member{s.working()}, func() {
		if s.produce(1); left > 0 {
			left--
			s.copies(3)
		}
	}
}

func onlyCopies(s *scene) ([]*member, func()) {
	return []*member{s.working()}, func() { s.copies(5) }
}

// A store that is not known to be shared trims nothing.
func untrimmed(s *scene) ([]*member, func()) {
	return []*member{s.working("duplicates.remember.age=1m")}, func() { s.produce(1) }
}

func journalAway(s *scene) ([]*member, func()) {
	m := s.working("advanced.pass_after=1s")
	s.fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "news-filter.journal", Err: kerr.KafkaStorageError})
	return []*member{m}, func() { s.produce(1) }
}

// The broker of the test does not stamp the journal's records. This member reads that they are of 1970.
func clockOff(s *scene) ([]*member, func()) {
	old := filepath.Join(s.dir, "old")
	overlay, err := plant(s.dir, "consumer/member/follower.go", "\tif at.LogAppendTime > 0 {\n",
		"\tf.Log.Stamped(at.Offset, 1)\n\tif at.LogAppendTime > 0 {\n")
	check(s.t, err)
	check(s.t, build(old, "-overlay", overlay))
	m := s.startProgram(old, "one")
	s.produce(20)
	s.settled(m)
	return []*member{m}, idle
}

func restarted(s *scene) ([]*member, func()) {
	targets := []*member{s.start("one")}
	return targets, func() {
		check(s.t, targets[0].process.Process.Kill())
		<-targets[0].ended
		targets[0] = s.start("one")
		s.until("it answers", func() bool { _, ok := targets[0].scrape(); return ok })
	}
}

func nearLimit(s *scene) ([]*member, func()) {
	s.env = append(s.env, "GOMEMLIMIT=32MiB")
	return []*member{s.working()}, idle
}

// expired is a member whose certificate has ended. Whoever scrapes it does not check that.
func expired(s *scene) ([]*member, func()) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(s.t, err)
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(-time.Minute),
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	check(s.t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	check(s.t, err)
	cert, key := filepath.Join(s.dir, "tls.crt"), filepath.Join(s.dir, "tls.key")
	check(s.t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(s.t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return []*member{s.working("http.tls.cert_file="+cert, "http.tls.key_file="+key)}, idle
}

func storeGone(s *scene) ([]*member, func()) {
	m := s.working()
	s.until("there is a snapshot", func() bool {
		text, _ := m.scrape()
		return strings.Contains(string(text), "\nunecho_snapshot_timestamp_seconds ")
	})
	check(s.t, os.RemoveAll(s.store()))
	check(s.t, os.WriteFile(s.store(), nil, 0o600))
	return []*member{m}, func() { s.produce(1) }
}

// filesFail is a member on whose disk nothing can be written.
func filesFail(s *scene) ([]*member, func()) {
	full := filepath.Join(s.dir, "full")
	overlay, err := plant(s.dir, "index/files/directory.go", "if err = d.usable(); err == nil {", "if err = ErrFull; err == nil {")
	check(s.t, err)
	check(s.t, build(full, "-overlay", overlay))
	m := s.startProgram(full, "one", "duplicates.remember.directory="+filepath.Join(s.dir, "old"))
	s.produce(20)
	s.settled(m)
	return []*member{m}, func() { s.produce(1) }
}

// filesSlow is a member whose disk does not get done with a block.
func filesSlow(s *scene) ([]*member, func()) {
	slow := filepath.Join(s.dir, "slow")
	const begin = "\tvar parts []io.ReaderAt\n"
	overlay, err := plant(s.dir, "index/files/block.go", begin, "\t<-ctx.Done()\n"+begin)
	check(s.t, err)
	check(s.t, build(slow, "-overlay", overlay))
	m := s.startProgram(slow, "one", "duplicates.remember.documents=32000", // 256 in a segment
		"duplicates.remember.directory="+filepath.Join(s.dir, "old"))
	for range 22 {
		s.produce(1000)
	}
	s.settled(m)
	return []*member{m}, idle
}
