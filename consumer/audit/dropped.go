package audit

import (
	"fmt"
	"maps"
	"slices"
)

// Where duplicates are dropped, they are in no output: that is how it has to be for those that the journal has judged so.
// What it judged before the snapshot may have been one, so that it cannot be called lost. The topic of verdicts has a
// record about each document, also about those that are dropped.

// drops says that pass i has judged a duplicate that is written nowhere.
func (g *group) drops(i int) bool {
	j, judged := g.judged[i]
	return judged && g.stream.aimed.duplicate == "" && g.stream.outputDue(i, g.offset) && !j.verdict.Unique()
}

// mayDrop says that the verdict of pass i is not known, and may have been one of a duplicate that is written nowhere.
func (g *group) mayDrop(i int) bool {
	_, judged := g.judged[i]
	return !judged && g.open(i) && g.stream.aimed.duplicate == "" && g.stream.outputDue(i, g.offset)
}

// due says that pass i must have an output.
func (g *group) due(i int) bool {
	return g.stream.outputDue(i, g.offset) && !g.drops(i) && !g.mayDrop(i)
}

// unsure says that nobody can tell whether pass i owed an output.
func (g *group) unsure(i int) bool { return g.stream.unsure(i, g.offset) || g.mayDrop(i) }

// pairDropped takes the records of verdicts about duplicates that were dropped from those that are left, and reports
// what is wrong with them. Due is as for compareVerdicts.
func (a *audit) pairDropped(g *group, left []*claim, due bool) []*claim {
	for i, c := range g.out {
		must, may := g.stream.verdictDue(i, g.offset)
		if c != nil || !may || !g.drops(i) && !g.mayDrop(i) {
			continue
		}
		what := ""
		at := slices.IndexFunc(left, func(t *claim) bool {
			what = g.notOfDropped(a, i, t)
			return what == ""
		})
		switch {
		case at >= 0:
			left = slices.Concat(left[:at], left[at+1:])
		case !due || g.mayDrop(i):
		case len(left) > 0:
			a.report.found(Finding{Different, g.source, left[len(left)-1].at(), what})
			left = left[:len(left)-1]
		case must:
			a.report.found(Finding{Lost, g.source, "", "it is a duplicate that was dropped, and no verdict is in " +
				g.stream.aimed.verdicts})
		}
	}
	return left
}

// notOfDropped returns why a record of verdicts is none about the dropped duplicate of pass i, or "".
func (g *group) notOfDropped(a *audit, i int, t *claim) string {
	if t.malformed != "" {
		return t.malformed
	}
	got := maps.Clone(t.headers)
	at, inForm := instant(g.was.timestamp)
	if said, has := got[timeField]; has != inForm || inForm && string(said) != at {
		return fmt.Sprintf("%s is %s, the timestamp was %s", timeField, quote(said), at)
	}
	delete(got, timeField)
	if j, judged := g.judged[i]; judged {
		return a.unlike(got, g.source, &j.verdict)
	}
	return a.anyVerdict(got, g.source)
}
