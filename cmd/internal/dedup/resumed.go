package dedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/setting"
)

// checkpoint opens the checkpoint that the command line asks for; nil if there is none.
func (r *dedupRun) checkpoint(args []string) (*Checkpoint, error) {
	dir := cmdline.Text(r.cmd, "checkpoint")
	if dir == "" {
		return nil, nil
	}
	every := cmdline.Duration(r.cmd, "checkpoint-every")
	if every < time.Second {
		return nil, exit.Usage(fmt.Errorf("--checkpoint-every %v: write 1s or more", every))
	}
	if err := r.checkCheckpoint(); err != nil {
		return nil, err
	}
	asked, err := r.asked(args)
	if err != nil {
		return nil, err
	}
	return OpenCheckpoint(dir, every, asked)
}

// checkCheckpoint refuses what is known only when all documents are, and is not kept in a checkpoint.
func (r *dedupRun) checkCheckpoint() error {
	switch {
	case r.All || r.Representative != First:
		return exit.Usage(errors.New("--checkpoint keeps verdicts that do not change: leave out --matches all, --representative and a " +
			"--distance beyond blocks"))
	case r.cmd.Flag("clusters").Changed || r.cmd.Flag("groups").Changed:
		return exit.Usage(errors.New("--checkpoint does not keep clusters: take them from the `cluster` of --duplicates in place of " +
			"--clusters and --groups"))
	case len(r.Old) > 0 || r.Load != "":
		return exit.Usage(errors.New("--checkpoint is for one run over FILE...: leave out --index and --index-file"))
	case r.HTML != "":
		return exit.Usage(errors.New("--checkpoint does not keep what a page shows: leave out --html"))
	case r.Verbose:
		return exit.Usage(errors.New("--checkpoint does not keep sketches: leave out --verbose"))
	}
	for _, name := range OutputNames() {
		if path := r.outputs().Paths[name]; outfile.IsTable(path) { // its last bytes say where everything is
			return exit.Usage(fmt.Errorf("--checkpoint: --%s %s is Parquet, which cannot be continued after a "+
				"stop: use another name, such as .jsonl", name, path))
		}
	}
	return nil
}

// asked returns what a run must ask for alike to go on. Settings of verdicts are compared with those of the index; those of
// documents are in no index.
func (r *dedupRun) asked(args []string) (map[string]string, error) {
	free := map[string]bool{
		"checkpoint": true, "checkpoint-every": true, "directory": true, "workers": true, "memory": true, "json": true, "config": true, "set": true,
		"fields": true, "log-format": true, "log-level": true,
	}
	others := map[string]bool{"text": true, "id": true} // they have flags of their own for files
	p, err := cmdline.FileParams(r.cmd, r.Config)
	if err != nil {
		return nil, err
	}
	asked := map[string]string{
		"FILE...": strings.Join(args, " "), "--fields": strings.Join(p.Fields, ","),
	}
	for _, f := range setting.Fields(p.Document) {
		if text := f.Text(); f.Verdict && text != "" && !others[f.Key] {
			asked["sources."+f.Key] = text
		}
	}
	r.cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { // Visit passes over all of them: they were set in another set of flags
		if f.Changed && !free[f.Name] && f.Annotations[cmdline.SettingAnnotation] == nil {
			asked["--"+f.Name] = f.Value.String()
		}
	})
	return asked, nil
}

// resumable checks the outputs, and says where a run goes on.
func (r *dedupRun) resumable(c *Checkpoint) error {
	if c == nil {
		return nil
	}
	if err := r.out.Resumable(); err != nil {
		return err
	}
	if _, resumes := c.resumed(); !resumes {
		return nil
	}
	fmt.Fprintf(r.cmd.ErrOrStderr(), "unecho: going on behind %s, which are read again and not judged\n",
		terminal.Several(int(c.saved), "document"))
	return nil
}

// errChanged is returned if documents that are read again are not those that were read before.
var errChanged = errors.New("the files, or their order, were changed")

// Resumed are documents that were judged in an earlier run of the same files.
type Resumed struct {
	Documents int64  `json:"documents"`
	Front     uint64 `json:"front"` // hash of them all, as Add makes it
}

// Add adds a document, by its Sum.
func (r *Resumed) Add(sum uint64) {
	var both [16]byte
	binary.LittleEndian.PutUint64(both[:8], r.Front)
	binary.LittleEndian.PutUint64(both[8:], sum)
	r.Front = xxhash.Sum64(both[:])
	r.Documents++
}

// skipJudged reads the documents that were judged before, without judging them, and checks that they are the same. Where
// the last of them is not the last of its chunk, the job has the rest, and left is true.
func (j *job) skipJudged(ctx context.Context, r *corpus.Reader) (left bool, err error) {
	var now Resumed
	p, before := j.params, j.params.Before
	for now.Documents < before.Documents && !left {
		err := r.Next(ctx, &j.chunk)
		if errors.Is(err, io.EOF) {
			return false, fmt.Errorf("%s judged before, and now there are only %d: %w", were(int(before.Documents), "document"),
				now.Documents, errChanged)
		}
		if err != nil {
			return false, err
		}
		j.skip = 0
		err = j.parser.Each(&j.chunk, func(rec *corpus.Record) bool {
			if left = now.Documents == before.Documents; left {
				return false
			}
			if p.Skipped != nil {
				p.Skipped(now.Documents, rec)
			}
			now.Add(j.sum(rec))
			j.skip++
			return true
		})
		if err != nil {
			return false, err
		}
		if p.Passing != nil {
			p.Passing()
		}
	}
	if now.Front != before.Front {
		return false, fmt.Errorf("the first %s are not those that were judged before: %w",
			terminal.Several(int(now.Documents), "document"), errChanged)
	}
	if !left {
		j.skip = 0
	}
	return left, nil
}
