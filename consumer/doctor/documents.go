package doctor

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/preview"
	"github.com/unecho/unecho/sink"
)

// documents says what this configuration makes of the newest documents of each source.
func (p *target) documents(ctx context.Context) (findings []Finding, err error) {
	reader, err := document.NewSources(p.in.Sources)
	if err != nil {
		return nil, err
	}
	setup := &preview.Setup{
		Reader: reader, Index: p.in.Index, Encoder: sink.New(p.in.Sink, p.in.Params.Group, fmt.Sprintf("%s:%016x", p.in.Index.Algorithm(), 0)),
		MaxEntryBytes: int(p.in.Journal.MaxEntryBytes), MaxBatchBytes: int(p.in.Params.MaxBatchBytes),
	}
	sources := p.existing(p.sources...)
	for _, name := range sources[:min(len(sources), preview.Topics)] {
		if ctx.Err() != nil {
			return findings, ctx.Err()
		}
		found, err := previewOf(ctx, setup, p.topics, name)
		findings = append(findings, withUnseen(found, err)...)
	}
	if left := len(sources) - preview.Topics; left > 0 {
		findings = append(findings, fine(fmt.Sprintf("those of %s more were not looked at", several(left, "topic"))))
	}
	if len(findings) == 0 {
		findings = append(findings, fine("there are none yet"))
	}
	return findings, nil
}

func previewOf(ctx context.Context, setup *preview.Setup, topics *broker.Topics, topic string) ([]Finding, error) {
	seen, err := setup.Of(ctx, topics, topic)
	if err != nil {
		return nil, err
	}
	switch trouble := seen.Trouble(); {
	case trouble == nil:
		return []Finding{fine(seen.String())}, nil
	case trouble.Grave:
		return []Finding{problem(seen.String(), trouble.Why, trouble.Remedy)}, nil
	default:
		return []Finding{note(seen.String(), trouble.Why, trouble.Remedy)}, nil
	}
}
