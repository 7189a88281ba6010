package consumer

import "time"

// cutsEvery is how often the log may say that documents were cut. In a stream with much common text most documents are.
const cutsEvery = 10 * time.Minute

// cuts has the numbers that the log last gave: unique documents for which candidates were left out.
type cuts struct {
	documents uint64
	said      time.Time
}

// sayCuts logs how many documents were cut since it last logged that.
func (p *process) sayCuts() {
	last := p.replica.Reading()
	if last.Index.UniqueCut <= p.cut.documents || time.Since(p.cut.said) < cutsEvery {
		return
	}
	p.setup.Logger.Warn().Uint64("documents", last.Index.UniqueCut-p.cut.documents).
		Uint64("candidates_left_out", last.Index.Unverified).
		Uint64("keys_full", last.Index.Full).Msg("unique documents were not compared with all candidates and may be copies " +
		"(their header unecho-cut says so): they share much of their text with many others; " +
		"similarity.max_references, .max_candidates and .max_work bound what is compared")
	p.cut = cuts{documents: last.Index.UniqueCut, said: time.Now()}
}
