package audit

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// The topic of clusters (outputs.clusters) has one record for each copy. It is compacted: of a key only the last record has
// to be there. A key is an original and a source partition, of which copies come in the order of their offsets. So a
// record that is not there must have been replaced by that of a later copy, in a later pass or at a greater offset.

// Fields of a record of clusters.
const (
	fieldOriginal      = "original"
	fieldCopies        = "copies"
	fieldFirst         = "first"
	fieldLast          = "last"
	fieldNewest        = "newest"
	fieldJournal       = "journal"
	fieldJournalOffset = "journal_offset"
	fieldJournalEntry  = "journal_entry"
)

func clusterNames() []string {
	return []string{
		fieldOriginal, fieldCopies, fieldFirst, fieldLast, fieldNewest, fieldJournal, fieldJournalOffset, fieldJournalEntry,
	}
}

// clusterFields reads the object in a record of clusters. What could be read is returned with an error, too.
func clusterFields(r *kgo.Record) (got headers, wrong error) {
	got = headers{}
	wrong = fieldsOf(r, func(name string, value json.Token) error {
		_, number := value.(json.Number)
		_, text := value.(string)
		_, twice := got[name]
		switch {
		case twice:
			return fmt.Errorf("field %s stands twice", quote([]byte(name)))
		case !number && !text, number != slices.Contains([]string{fieldCopies, fieldJournalOffset, fieldJournalEntry}, name):
			return fmt.Errorf("field %s is %v, which is of another type", quote([]byte(name)), value)
		}
		got[name] = fmt.Append(nil, value)
		return nil
	})
	if id, err := base64.RawURLEncoding.Strict().DecodeString(string(got[fieldJournal])); wrong == nil && (err != nil || len(id) != 16) {
		wrong = fmt.Errorf("field %s is %s, which is no id of a topic", fieldJournal, quote(got[fieldJournal]))
	}
	return got, wrong
}

// clusters are the records of clusters, as an audit finds them.
type clusters struct {
	audit    *audit
	topics   map[string]bool
	replaced map[string]replaced // by the original, in the stream that is compared
	gone     []gone              // records that nothing is known to have replaced
}

func newClusters(a *audit) *clusters {
	return &clusters{audit: a, topics: map[string]bool{}, replaced: map[string]replaced{}}
}

// note notes a record of a topic of clusters, if the source record that it names may exist. One of another journal is not
// judged: it may have replaced those of its key that are about earlier copies, and no more is known of it.
func (k *clusters) note(r *kgo.Record) error {
	k.audit.report.Clusters++
	got, malformed := clusterFields(r)
	other := malformed == nil && k.other(got)
	if other {
		k.audit.report.Earlier++
	}
	newest := string(got[fieldNewest])
	p, offset, ok := parse(newest)
	s := k.audit.streams[p]
	switch {
	case other && (s == nil || string(r.Key) != clusterKey(string(got[fieldOriginal]), p)):
		return nil
	case !ok || s == nil:
		k.audit.report.found(Finding{
			Invented, quote([]byte(newest)), coordinates(r.Topic, r.Partition, r.Offset),
			"its newest copy is of no audited source partition",
		})
		return nil
	case offset < s.first:
		return nil
	case malformed == nil && string(r.Key) != clusterKey(string(got[fieldOriginal]), p):
		malformed = fmt.Errorf("the key is %s, and it is about %s", quote(r.Key), clusterKey(string(got[fieldOriginal]), p))
	case malformed == nil && !other && r.Partition != p.Partition:
		malformed = fmt.Errorf("it stands in partition %d, its copy came from %d", r.Partition, p.Partition)
	case malformed == nil && !other && r.Topic != k.audit.in.Clusters(p.Topic):
		malformed = fmt.Errorf("the clusters of %s belong to %s", p.Topic, k.audit.in.Clusters(p.Topic))
	}
	return k.audit.noteClaim(r, s.number, offset, factClusterRecord, claim{headers: got}, malformed)
}

func clusterKey(original string, p entry.PartitionName) string {
	return fmt.Sprintf("%s %s/%d", original, p.Topic, p.Partition)
}

// other says that a record is of another journal. A copy of the journal has another id, so that it tells nothing there.
func (k *clusters) other(got headers) bool {
	return !k.audit.in.ProducerTime && string(got[fieldJournal]) != k.journalName()
}

// setAside removes the records of other journals from a group. What a successor forwards is behind what this journal has
// forwarded, so that only records about earlier copies may have been replaced. Those are all that were missed so far.
func (k *clusters) setAside(g *group) {
	g.copied = slices.DeleteFunc(g.copied, func(c *claim) bool {
		if c.malformed != "" || !k.other(c.headers) {
			return false
		}
		original := string(c.headers[fieldOriginal])
		if r, missed := k.replaced[original]; missed {
			k.replaced[original] = replaced{there: r.there}
		}
		return true
	})
}

func (k *clusters) journalName() string {
	return base64.RawURLEncoding.EncodeToString(k.audit.journalID[:])
}

// of returns what a record of clusters about the document of pass i says, as far as that is known; nil if it has none: it
// is no copy, or a request that was sent again. Where the output is not here, it was dropped or went elsewhere.
func (k *clusters) of(g *group, i int) headers {
	want := headers{fieldLast: []byte(nearest(g.was.timestamp)), fieldNewest: []byte(g.source)}
	if !k.audit.in.ProducerTime {
		want[fieldJournal] = []byte(k.journalName())
	}
	j, judged := g.judged[i]
	if judged {
		want[fieldJournalOffset] = strconv.AppendInt(nil, j.verdict.Position.Offset, 10)
		want[fieldJournalEntry] = strconv.AppendInt(nil, int64(j.verdict.Position.Entry), 10)
	}
	m := &j.verdict.Match
	match, first, copied, resent := matchCoordinates(m), nearest(m.Time), m.Copy, m.Method == compare.Resent
	matched := j.verdict.Matched()
	switch c := g.out[i]; {
	case c != nil:
		_, matched = c.headers[headerMatch]
		match, first = string(c.headers[headerMatch]), string(c.headers[headerMatchTime])
		copied, _ = strconv.ParseUint(string(c.headers[headerCopy]), 10, 64) // what is no number is found elsewhere
		resent = string(c.headers[headerMethod]) == methods()[compare.Resent]
	case !judged && g.open(i) && (g.stream.aimed.duplicate == "" || g.stream.sentAway(i, g.offset)):
		return want
	}
	if !matched || resent {
		return nil
	}
	want[fieldOriginal], want[fieldFirst] = []byte(match), []byte(first)
	want[fieldCopies] = strconv.AppendUint(nil, copied-1, 10)
	return want
}

// notOf returns why a record of clusters does not say what it must, or "". What is not known may be anything.
func (c *claim) notOf(want headers) string {
	full := maps.Clone(want)
	for _, name := range clusterNames() {
		if full[name] == nil {
			full[name] = c.headers[name]
		}
	}
	return cmp.Or(c.malformed, differs(c.headers, full, "its output or the journal says"))
}

// compare holds the records of clusters about a source record against its outputs. Due says that the group has
// committed it.
func (k *clusters) compare(g *group, due bool) {
	if g.stream.aimed.clusters == "" {
		return
	}
	left, lacks := k.pair(g)
	if !due {
		return
	}
	for _, i := range slices.Sorted(maps.Keys(lacks)) {
		want, at := lacks[i], mark{i, g.offset}
		switch must, _ := g.stream.sideDue(i, g.offset, ofClusters); {
		case len(left) > 0:
			k.audit.report.found(Finding{Different, g.source, left[0].at(), left[0].notOf(want)})
			k.replace(g.stream, cmp.Or(string(want[fieldOriginal]), string(left[0].headers[fieldOriginal])), at)
			left = left[1:]
		case must && (g.out[i] != nil || g.drops(i)):
			k.misses(string(want[fieldOriginal]), at)
		}
	}
	for _, c := range left {
		switch {
		case c.malformed != "":
			k.audit.report.found(Finding{Different, g.source, c.at(), c.malformed})
		case g.offset >= g.stream.began():
			k.audit.report.found(Finding{Doubled, g.source, c.at(), "a copy has one record of clusters, and what is none has none"})
		}
	}
}

// pair gives each copy the record of clusters that says what it must. It returns the other records, and what those of the
// passes that have none must say.
func (k *clusters) pair(g *group) (left []*claim, lacks map[int]headers) {
	left, lacks = g.copied, map[int]headers{}
	wants := map[int]headers{}
	for i := range g.out {
		want := k.of(g, i)
		if _, may := g.stream.sideDue(i, g.offset, ofClusters); want != nil && may {
			wants[i] = want
		}
	}
	// Where most is known comes first. Of passes that say the same, the last has the record that is left.
	first := func(i, j int) int { return cmp.Or(cmp.Compare(len(wants[j]), len(wants[i])), cmp.Compare(j, i)) }
	for _, i := range slices.SortedFunc(maps.Keys(wants), first) {
		want := wants[i]
		n := slices.IndexFunc(left, func(c *claim) bool { return c.notOf(want) == "" })
		if n < 0 {
			lacks[i] = want
			continue
		}
		k.replace(g.stream, string(left[n].headers[fieldOriginal]), mark{i, g.offset})
		if g.out[i] != nil && !k.audit.ambiguous(g, i) {
			k.audit.order(g, i, left[n])
		}
		left = slices.Concat(left[:n], left[n+1:])
	}
	return left, lacks
}

// mark is where a copy stands among those of its source partition.
type mark struct {
	pass   int
	offset int64
}

func (m mark) before(n mark) bool {
	return m.pass < n.pass || m.pass == n.pass && m.offset < n.offset
}

// replaced is what is known of the records of one key: the greatest one that is there, and the greatest that is not.
type replaced struct{ there, missing *mark }

// replace notes that a record is there. In a stream of one pass all that comes before is settled by that.
func (k *clusters) replace(s *stream, original string, at mark) {
	r := k.replaced[original]
	if len(s.passes) == 1 {
		delete(k.replaced, original)
		return
	}
	if r.there == nil || r.there.before(at) {
		r.there = &at
	}
	k.replaced[original] = r
}

// misses notes that a record is not there.
func (k *clusters) misses(original string, at mark) {
	r := k.replaced[original]
	if r.missing == nil || r.missing.before(at) {
		r.missing = &at
	}
	k.replaced[original] = r
}

// gone is a record of clusters that nothing was found to have replaced.
type gone struct {
	source  string // of the copy
	key, in string
}

// close notes which records of a stream are gone, when all of it was compared.
func (k *clusters) close(s *stream) {
	for _, original := range slices.Sorted(maps.Keys(k.replaced)) {
		r := k.replaced[original]
		if r.missing != nil && (r.there == nil || r.there.before(*r.missing)) {
			k.gone = append(k.gone, gone{
				coordinates(s.Topic, s.Partition, r.missing.offset), clusterKey(original, s.PartitionName), s.aimed.clusters,
			})
		}
	}
	clear(k.replaced)
}

// compacted reports the records of clusters that are gone. While the members are at work, compaction may have taken one
// away for another that was written since the audit began: what was written since is read, as often as it may itself be
// replaced.
func (k *clusters) compacted(ctx context.Context, read topic.Range) error {
	for try := 0; try < overtakenTries && len(k.gone) > 0; try++ {
		since, err := k.audit.ends(ctx, slices.Sorted(maps.Keys(k.topics)))
		if err != nil {
			return err
		}
		for p, part := range since {
			since[p] = topic.Part{From: max(part.From, read[p].To), To: part.To}
		}
		later := map[[2]string]bool{} // whether there is one, by topic and key
		for _, g := range k.gone {
			later[[2]string{g.in, g.key}] = false
		}
		if err := k.audit.each(ctx, StageOutputs, since, k.audit.unpacker, func(r *kgo.Record) error {
			key := [2]string{r.Topic, string(r.Key)}
			if _, missed := later[key]; missed {
				later[key] = true
			}
			return nil
		}); err != nil {
			return err
		}
		k.gone = slices.DeleteFunc(k.gone, func(g gone) bool { return later[[2]string{g.in, g.key}] })
	}
	for _, g := range k.gone {
		k.audit.report.found(Finding{
			Lost, g.source, "", fmt.Sprintf("it is a copy, and neither its record nor a later one of key %s is in %s, which must "+
				"have cleanup.policy compact alone", quote([]byte(g.key)), g.in),
		})
	}
	return nil
}
