package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/window"
)

// oldDocuments checks the directory for old documents of a member on this machine.
func (p *target) oldDocuments(ctx context.Context) ([]Finding, error) {
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
	look, err := asked(ctx, func() (files.Look, error) {
		return files.Examine(files.PathOf(remember.Directory, of.Group), of)
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []Finding{silent(remember.Directory)}, nil
	case err != nil:
		return []Finding{problem(err.Error(), "no member starts with this directory",
			"what the message says, or leave duplicates.remember.directory out")}, nil
	}
	all, err := speed(ctx, &p.in)
	if err != nil {
		return nil, err
	}
	free := setting.Bytes(look.Free &^ (1<<20 - 1)) // whole MiB
	if may := look.Free + look.Bytes; may < int64(remember.Memory) {
		return append(all, note(fmt.Sprintf("%s has %v free, and old documents may take nearly duplicates.remember.memory, %v",
			remember.Directory, free, remember.Memory), "when the disk is full, judging waits",
			"make room there, name a larger disk, or lower duplicates.remember.memory")), nil
	}
	return append(all, fine(fmt.Sprintf("%s holds %s, and has %v free", remember.Directory,
		several(look.Segments, "segment"), free))), nil
}

// fewDocuments a second are so few that a disk that carries no more is worth a word.
const fewDocuments = 1000

// speed measures the disk of the directory for old documents, if that is asked for, and says what rate of documents it
// carries.
func speed(ctx context.Context, in *Inputs) ([]Finding, error) {
	if in.Disk == nil {
		return nil, nil
	}
	directory := in.Index.Duplicates.Remember.Directory
	sizing, err := index.UsualSizing(in.Index)
	if err != nil {
		return nil, err
	}
	var over atomic.Bool
	defer over.Store(true)
	s, err := asked(ctx, func() (files.Speed, error) {
		return files.Measure(ctx, files.PathOf(directory, in.Params.Group), files.Trial{
			Readers: paging.ReadAtOnce, Now: time.Now, Done: func(share float64) {
				if !over.Load() {
					in.Disk(share)
				}
			},
		})
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []Finding{silent(directory)}, nil
	case err != nil:
		return []Finding{note(err.Error(), "the disk was not measured", "what the message says")}, nil
	}
	return measured(&sizing, &s, directory), nil
}

// measured says what a disk is and carries.
func measured(sizing *window.Sizing, s *files.Speed, directory string) (all []Finding) {
	if absent(directory, s.At) {
		all = append(all, note(fmt.Sprintf("%s is not there: %s was measured", directory, s.At),
			"a start makes it there", "nothing, if that is meant; else mount the volume that belongs there"))
	}
	if s.Kind != "" {
		all = append(all, note(s.At+" lies on "+s.Kind, "judging waits for reads of old documents, and each start for what is not there",
			"name a directory on a disk of this machine that stays, in duplicates.remember.directory"))
	}
	return append(all, carried(sizing, s, directory))
}

// asked asks a disk, and returns the cause of ctx if it does not answer: then nobody waits for it.
func asked[T any](ctx context.Context, disk func() (T, error)) (none T, err error) {
	answered := make(chan func() (T, error), 1)
	go func() {
		answer, err := disk()
		answered <- func() (T, error) { return answer, err }
	}()
	select {
	case answer := <-answered:
		return answer()
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// silent is the finding that the disk of a directory does not answer.
func silent(directory string) Finding {
	return problem(fmt.Sprintf("the disk of %s does not answer within %v", directory, checkBound),
		"judging would wait for it", "look at the disk, or name another directory in duplicates.remember.directory")
}

// absent says whether a directory is missing, so that one above it was measured.
func absent(directory, measured string) bool {
	path, err := filepath.Abs(directory)
	return err == nil && len(measured) < len(path)
}

// carried says what rate of documents a disk carries.
func carried(sizing *window.Sizing, s *files.Speed, directory string) Finding {
	rate := sizing.Carried(s.Pages, s.Bytes)
	what := fmt.Sprintf("the disk of %s gives %.0f random reads of 4 KiB a second, and writes %v: enough for %.0f documents/s, of %.1f "+
		"reads and %d bytes each", directory, s.Pages, setting.Bytes(int64(s.Bytes)&^(1<<20-1)), rate, sizing.Reads(), sizing.Written)
	if s.Cached {
		what += "; it was read through the system's cache, as its file system has no direct reads, so it may be slower"
	}
	if rate < fewDocuments {
		return note(what, "judging waits for the disk where more come", "name a directory on a faster disk; unecho plan --disk-reads "+
			"says what a disk carries")
	}
	return fine(what)
}
