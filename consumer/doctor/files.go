package doctor

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
)

// oldDocuments checks the directory for old documents of a member on this machine.
func oldDocuments(ctx context.Context, p *target) ([]Finding, error) {
	remember := p.in.Index.Duplicates.Remember
	if remember.Directory == "" {
		return nil, nil
	}
	of := files.Owner{Group: p.in.Params.Group}
	if p.topic[p.in.Journal.Topic] == there {
		topics, err := p.topics.Describe(ctx, p.in.Journal.Topic)
		if err != nil {
			return nil, err
		}
		of.Journal = topics[0].ID
	}
	look, err := files.Examine(files.PathOf(remember.Directory, of.Group), of)
	if err != nil {
		return []Finding{problem(err.Error(), "no member starts with this directory",
			"what the message says, or leave duplicates.remember.directory out")}, nil
	}
	free := setting.Bytes(look.Free &^ (1<<20 - 1)) // whole MiB
	if may := look.Free + look.Bytes; may < int64(remember.Memory) {
		return []Finding{note(fmt.Sprintf("%s has %v free, and old documents may take nearly duplicates.remember.memory, %v",
			remember.Directory, free, remember.Memory), "when the disk is full, judging waits",
			"make room there, name a larger disk, or lower duplicates.remember.memory")}, nil
	}
	return []Finding{fine(fmt.Sprintf("%s holds %s, and has %v free", remember.Directory,
		several(look.Segments, "segment"), free))}, nil
}
