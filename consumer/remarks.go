package consumer

import (
	"cmp"
	"context"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/preview"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// remarks logs what the counts of the replica say of the settings.
type remarks struct {
	setup  *Setup
	cut    uint64    // unique documents for which candidates were left out, as the log last said
	said   time.Time // when
	doubts doubts
}

// Run looks at the counts as often as the lags are read, until ctx is done.
func (r *remarks) Run(ctx context.Context, replica *member.Follower) {
	for {
		now := replica.Reading().Index
		r.logCuts(&now)
		r.logDoubts(&now)
		if retry.Pause(ctx, r.setup.readsLag()) != nil {
			return
		}
	}
}

// cutsEvery is how often the log may say that documents were cut. In a stream with much common text most documents are.
const cutsEvery = 10 * time.Minute

// logCuts logs how many documents were cut since it last logged that.
func (r *remarks) logCuts(now *index.Stats) {
	if now.UniqueCut <= r.cut || time.Since(r.said) < cutsEvery {
		return
	}
	r.setup.Logger.Warn().Uint64("documents", now.UniqueCut-r.cut).
		Uint64("candidates_left_out", now.Unverified).
		Uint64("keys_full", now.Full).Msg("unique documents were not compared with all candidates and may be copies " +
		"(their header unecho-cut says so): they share much of their text with many others; " +
		"duplicates.max_candidates and the cost of one document bound the comparison")
	r.cut, r.said = now.UniqueCut, time.Now()
}

// doubts has what was counted when doubts were last looked at.
type doubts struct {
	stats index.Stats
	at    time.Time
}

// fewDoubts is how many doubtful duplicates say nothing of the others.
const fewDoubts = 100

// since returns how many duplicates were doubtful since then, and whether most were. Counts begin anew with a replica.
func (d *doubts) since(now *index.Stats) (doubtful uint64, most bool) {
	if now.Judged < d.stats.Judged {
		return 0, false
	}
	doubtful = now.Doubtful - d.stats.Doubtful
	return doubtful, doubtful >= fewDoubts && 2*doubtful > now.Duplicate-d.stats.Duplicate
}

// logDoubts logs that most duplicates of the last ten minutes are so near to the threshold that their estimate decides
// nothing.
func (r *remarks) logDoubts(now *index.Stats) {
	if time.Since(r.doubts.at) < cutsEvery {
		return
	}
	if doubtful, most := r.doubts.since(now); most {
		r.setup.Logger.Warn().Uint64("documents", doubtful).Float64("within", r.setup.Index.Duplicates.Doubt()).
			Msg("most duplicates were estimated so near to the threshold that an estimate may be off by as much: where documents are of " +
				"one template, many of these are no copies; duplicates.verify: jaccard compares exactly")
	}
	r.doubts = doubts{stats: *now, at: time.Now()}
}

// logLimits logs what a choice of the settings does not promise.
func (s *Setup) logLimits() {
	p := s.Index.Duplicates
	if p.EstimatedBy() == compare.Hamming {
		s.Logger.Warn().Int("distance", p.Distance).
			Msg("duplicates.method: simhash finds documents that differ in up to so many bits, and of those at duplicates.threshold only a " +
				"part: `unecho tune --method minhash,simhash` says how many of yours")
	}
	if doubt := p.Doubt(); doubt > 0 {
		s.Logger.Info().Float64("within", doubt).
			Msg("duplicates.verify: estimate may be off by so much; unecho_window_doubtful_total counts duplicates as near to the threshold")
	}
}

// previewFor is how long a start may be held up by previews.
const previewFor = 5 * time.Second

// preview logs what this configuration makes of the newest documents of each source, before a session reads any. It ends no
// start: what cannot be read, or not in time, is left out, and the log tells.
func (r *reached) preview(ctx context.Context, sources []string) {
	s := r.setup
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.previewFor, previewFor))
	defer cancel()
	setup := &preview.Setup{
		Reader: r.reader, Index: s.Index, Encoder: r.encoder(), MaxEntryBytes: int(s.Journal.MaxEntryBytes),
		MaxBatchBytes: int(s.Params.MaxBatchBytes),
	}
	topics := broker.NewTopics(r.cluster.Client, s.Logger)
	done := 0
	for _, topic := range sources[:min(len(sources), preview.Topics)] {
		seen, err := setup.Of(ctx, topics, topic)
		if ctx.Err() != nil {
			break
		}
		if done++; err != nil {
			s.Logger.Warn().Err(err).Str("topic", topic).Msg("the newest documents of a source cannot be read: the start goes on")
			continue
		}
		if seen.Trouble() == nil {
			s.Logger.Info().EmbedObject(seen).Msg("the newest documents of a source, as they are read")
		} else {
			s.Logger.Warn().EmbedObject(seen).Msg("the newest documents of a source may not be read as they are meant")
		}
	}
	if left := len(sources) - done; left > 0 {
		s.Logger.Info().Int("sources", left).Msg("the newest documents of further sources were not looked at: the start goes on")
	}
}
