package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/preview"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/sink"
)

// newestOutputs is about how many of the newest documents of an output are looked at.
const newestOutputs = 20

// writers warns of other groups that have written the newest unique documents. A group whose name alone was changed
// begins anew, and writes to the outputs of the old one.
func (p *target) writers(ctx context.Context) (findings []Finding, err error) {
	var uniques []string
	for _, source := range p.sources[:min(len(p.sources), preview.Topics)] {
		unique, _, _ := p.in.Sink.Topics(source)
		uniques = append(uniques, unique)
	}
	slices.Sort(uniques)
	most := int(p.in.Params.MaxBatchBytes)
	u := unpack.New(unpack.Limits{Batch: most, Held: 2 * most})
	for _, name := range p.existing(slices.Compact(uniques)...) {
		records, err := p.topics.Newest(ctx, u, name, newestOutputs)
		switch others := others(records, p.in.Params.Group, p.in.Params.Succeeds); {
		case forbidden(err): // a member need not read it
		case err != nil:
			findings = append(findings, unseen(err))
		case len(others) > 0:
			findings = append(findings, note("topic "+name+": some of its newest documents are of group "+strings.Join(others, " and of group "),
				"two groups that read the same sources into one output write each document twice; a group of which only the name was changed "+
					"begins anew, and all that the source holds comes out once more",
				"write the other name as group, or name outputs of this group's own; nothing, if the other group has ended and "+
					"this one is to begin anew"))
		}
	}
	if len(findings) == 0 {
		findings = append(findings, fine("no newest unique document that can be read is of another group"))
	}
	return findings, nil
}

// others returns the groups that wrote records, but those that may.
func others(records []*kgo.Record, may ...string) (names []string) {
	for _, r := range records {
		for _, h := range r.Headers {
			if name := string(h.Value); h.Key == sink.HeaderIndex && !slices.Contains(may, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
