package sink

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// The topic of clusters has a record for each copy, for a compacted topic:
//
//	key    news/1/17 news/3
//	value  {"original":"news/1/17","copies":3,"first":"2026-01-01T00:00:00.001Z","last":"2026-01-01T00:05:00.123Z",
//	        "newest":"news/3/42","journal":"w2uCPqBISrKkNDdMkbKNcg","journal_offset":52,"journal_entry":3}
//
// The key is the original and the partition that the copy came from. Copies of one partition are forwarded in the order
// in which they were judged, and those of two are not. So of each key the last record is the latest, and compaction takes
// away only earlier ones. Of the keys of an original the one with the greatest position in the journal counts.
//
// It has coordinates and times, and nothing of a document, not even an id: what is forgotten is not in it.

// MaxClusterBytes bounds the Size of a record of the clusters' topic.
const MaxClusterBytes = int(MinRecordBytes)

// WhyClusterBytes says to a person why a topic must take records of MaxClusterBytes.
const WhyClusterBytes = "a record of clusters may be as large (outputs.clusters)"

// HasClusterTopic says that there is a topic of clusters.
func (e *Encoder) HasClusterTopic() bool { return e.params.Clusters.Topic != "" }

// ClusterRecord fills dst with the record of the clusters' topic about the output record that was encoded last, which was
// that of src and was judged at a position of the journal. It is false where that is no copy that counts: a request that
// was sent again is the same document, and what it names as its match may be a copy. Like the output record it is valid
// until Reset. It has no timestamp yet.
func (b *Batch) ClusterRecord(dst, src *kgo.Record, at entry.Position) bool {
	t := &b.told
	if t.Match == nil || t.Match.Method == compare.Resent {
		return false
	}
	b.room(MaxClusterBytes)
	begin := len(b.bytes)
	to := append(appendMatch(b.bytes, t), ' ')
	to = strconv.AppendInt(append(append(to, src.Topic...), '/'), int64(src.Partition), 10)
	value := len(to)
	to = append(appendMatch(append(to, `{"original":"`...), t), `","copies":`...)
	to = append(strconv.AppendUint(to, t.Match.Copy-1, 10), `,"first":"`...)
	to = append(appendTime(to, t.Match.Time), `","last":"`...)
	to = append(appendTime(to, src.Timestamp.UnixMilli()), `","newest":"`...)
	to = append(append(append(appendSource(to, t), `","journal":"`...), b.enc.journal...), `","journal_offset":`...)
	to = append(strconv.AppendInt(to, at.Offset, 10), `,"journal_entry":`...)
	to = append(strconv.AppendInt(to, int64(at.Entry), 10), '}')
	b.bytes = to
	*dst = kgo.Record{
		Key: to[begin:value:value], Value: to[value:len(to):len(to)], Partition: src.Partition, Topic: b.clusters,
	}
	return true
}
