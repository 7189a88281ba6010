package index

import (
	"fmt"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// CheckBounds reports what speaks against putting bounds in force in a journal that was begun with these settings.
func (p Params) CheckBounds(settings, bounds []byte) ([]setting.Mistake, error) {
	begun, err := p.begunWith(settings)
	if err != nil {
		return nil, err
	}
	if begun, err = begun.AsBegun(settings); err != nil {
		return nil, err
	}
	q, err := begun.With(bounds)
	return q.checkChange(), err
}

// checkChange reports what speaks against putting the bounds of p in force. p is what With returned, for the settings
// that the journal was begun with.
func (p Params) checkChange() []setting.Mistake {
	if wrong := p.Duplicates.Remember.validate(); len(wrong) > 0 {
		return setting.Under("duplicates.remember", wrong)
	}
	s := p.Duplicates
	refuse := func(bad bool, key string, value any, problem, remedy string) []setting.Mistake {
		if !bad {
			return nil
		}
		return []setting.Mistake{setting.Wrong("duplicates."+key, value, problem, remedy)}
	}
	if wrong := refuse(s.Threshold <= 0 || s.Threshold > 1 ||
		!fourDecimals(s.Threshold), "threshold", s.Threshold, "is not a similarity of up to four decimals",
		"write a number above 0, up to 1, such as 0.8"); wrong != nil {
		return wrong
	}
	if wrong := refuse(s.MaxCandidates < 1, "max_candidates", s.MaxCandidates, "finds nothing",
		"write 1 or more, such as 8"); wrong != nil {
		return wrong
	}
	begun := s.asSigned()
	if wrong := refuse(s.Verify != begun.Verify && !s.mayVerify(), "verify", s.Verify,
		"needs other evidence than what is kept of the documents for "+begun.Verify,
		"keep "+begun.Verify+"; "+succession); wrong != nil {
		return wrong
	}
	return s.checkRecall()
}

// succession is the remedy for what needs other entries than those that are remembered.
const succession = "for other entries let a second group take over (unecho takeover), as \"Change a setting that decides\" in " +
	"deploy/docs/change.md says"

// mayVerify says whether the evidence that is kept serves another verification. Only the text serves two.
func (p DuplicatesParams) mayVerify() bool {
	begun := p.asSigned()
	return p.Verify != verifyEstimate && begun.Verify != verifyEstimate &&
		(begun.Verify == verifyLevenshtein || begun.Evidence == evidenceText)
}

// checkRecall refuses a threshold at which the bands that the journal was begun with do not find duplicates.recall of
// the pairs. Bands that did not find it at the threshold before either, and those planned by area, promise none. Those
// of a sketch by distance do not depend on the threshold.
func (p DuplicatesParams) checkRecall() []setting.Mistake {
	if p.Signed == (Signed{}) || p.byDistance() || p.Plan == planArea {
		return nil
	}
	banding, err := p.Banding()
	if err == nil && !p.asSigned().promises(banding) {
		return nil
	}
	shared, _, ok := p.SharedAt(p.Threshold)
	if err != nil || !ok {
		return []setting.Mistake{setting.Wrong("duplicates.verify", p.Verify, "says nothing of the words of "+p.Shingle,
			"keep "+p.Signed.Verify)}
	}
	if found := banding.Probability(shared); found < p.Recall {
		return []setting.Mistake{setting.Wrong("duplicates.threshold", p.Threshold, fmt.Sprintf(
			"is less than the bands in force can find: they were planned for %v, and %v find %.1f %% of the pairs at %v, less "+
				"than duplicates.recall (%v)",
			p.Signed.Threshold, banding, 100*found, p.Threshold, p.Recall),
			fmt.Sprintf("write %v or more; %s", p.leastThreshold(banding), succession))}
	}
	return nil
}

// promises says whether a banding finds duplicates.recall of the pairs at the threshold.
func (p DuplicatesParams) promises(b sketch.Banding) bool {
	shared, _, ok := p.SharedAt(p.Threshold)
	return ok && b.Probability(shared) >= p.Recall
}

// leastThreshold returns the least threshold, in hundredths, at which bands keep recall.
func (p DuplicatesParams) leastThreshold(banding sketch.Banding) float64 {
	const steps = 100
	for i := range steps {
		at := float64(i+1) / steps
		if shared, _, ok := p.SharedAt(at); ok && banding.Probability(shared) >= p.Recall {
			return at
		}
	}
	return 1
}
