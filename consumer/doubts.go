package consumer

import (
	"time"

	"github.com/unecho/unecho/index"
)

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

// sayDoubts logs that most duplicates of the last ten minutes are so near to the threshold that their estimate decides
// nothing.
func (p *process) sayDoubts() {
	if time.Since(p.doubt.at) < cutsEvery {
		return
	}
	now := p.replica.Reading().Index
	if doubtful, most := p.doubt.since(&now); most {
		p.setup.Logger.Warn().Uint64("documents", doubtful).Float64("within", p.setup.Index.Similarity.Doubt()).
			Msg("most duplicates were estimated so near to the threshold that an estimate may be off by as much: where documents are of " +
				"one template, many of these are no copies; similarity.verify: jaccard compares exactly")
	}
	p.doubt = doubts{stats: now, at: time.Now()}
}

// sayLimits logs what a choice of the settings does not promise.
func (s *Service) sayLimits() {
	p := s.setup.Index.Similarity
	if p.EstimatedBy() == index.Hamming {
		s.setup.Logger.Warn().Int("distance", p.Distance).
			Msg("similarity.sketch: simhash finds documents that differ in up to so many bits, and of those at similarity.threshold only a " +
				"part: `unecho tune --sketch minhash,simhash` says how many of yours")
	}
	if doubt := p.Doubt(); doubt > 0 {
		s.setup.Logger.Info().Float64("within", doubt).
			Msg("similarity.verify: estimate may be off by so much; unecho_window_doubtful_total counts duplicates as near to the threshold")
	}
}
