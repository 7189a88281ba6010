package consumer

import "time"

// cutsEvery is how often the log says that documents were cut: in a stream of much common text most are.
const cutsEvery = 10 * time.Minute

// cuts is what the log last said of unique documents for which candidates were left out.
type cuts struct {
	documents uint64
	said      time.Time
}

// sayCuts says how many there were since it last said so.
func (s *Service) sayCuts() {
	last := s.shared.follower.reading.Load()
	if last == nil || last.index.UniqueCut <= s.cut.documents || time.Since(s.cut.said) < cutsEvery {
		return
	}
	s.setup.Logger.Warn().Uint64("documents", last.index.UniqueCut-s.cut.documents).Uint64("candidates_left_out", last.index.Unverified).
		Uint64("keys_cut", last.index.Cut).Msg("unique documents were not compared with all candidates and may be copies " +
		"(their header unecho-cut says so): they share much of their text with many others; " +
		"similarity.max_references, .max_candidates and .max_work bound what is compared")
	s.cut = cuts{documents: last.index.UniqueCut, said: time.Now()}
}
