package dedup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// passState is where a run in several passes is: in which, and how far. Matches that its documents have in earlier passes
// are in a file of the checkpoint's directory, and those of the documents behind its share in another one.
type passState struct {
	Pass   int     `json:"pass"` // from 1
	Begins int64   `json:"begins"`
	Read   Resumed `json:"read"` // documents that were judged, or compared with them
	Full   bool    `json:"full"` // the share has ended where judging has
	All    Resumed `json:"all"`  // all documents, from the second pass on
	Before int64   `json:"before"`
	After  int64   `json:"after"` // lengths of the files
}

// begun says whether the pass has an index.
func (s *passState) begun() bool { return s.Read.Documents > s.Begins }

// matchesName is what the names of files with matches begin with. The number of the pass that writes it follows.
const matchesName = "dedup.matches-"

// matches returns the file that a pass writes; empty if it is a temporary one.
func (c *Checkpoint) matches(pass int) string {
	if c == nil {
		return ""
	}
	return filepath.Join(filepath.Dir(c.path), matchesName+strconv.Itoa(pass))
}

// removeMatches removes the files that a pass does not need: all if it is none.
func (c *Checkpoint) removeMatches(pass int) error {
	files, err := os.ReadDir(filepath.Dir(c.path))
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	for _, f := range files {
		number, matches := strings.CutPrefix(f.Name(), matchesName)
		n, wrong := strconv.Atoi(number)
		if needed := pass > 0 && (n == pass || n == pass-1); matches && wrong == nil && !needed && f.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(c.path), f.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}

// checkpoint takes one, unless it would be that which there is.
func (p *Pass) checkpoint(ctx context.Context) error {
	at := progress{documents: p.judged.Documents}
	if p.inPasses {
		at = progress{p.pass, p.read.Documents}
	}
	if at == p.Checkpoint.saved || at.documents == 0 {
		return nil
	}
	s := checkpointState{
		Version: checkpointVersion, Documents: p.judged.Documents, Front: p.judged.Front,
		Cuts: p.allCuts(), Window: p.index.Stats().WindowBytes,
	}
	x := p.index
	if p.inPasses {
		after, err := p.share.after.sync()
		if err != nil {
			return err
		}
		s.Passes = &passState{
			Pass: p.pass, Begins: p.share.begins, Read: p.read, Full: p.share.end >= 0, All: p.all, Before: p.share.before.len(), After: after,
		}
		if !s.Passes.begun() {
			x = nil
		}
	}
	if at.documents != p.index.Next() {
		return fmt.Errorf("write a checkpoint: %d documents were judged, and %d written: this is a bug", p.index.Next(), at.documents)
	}
	return p.Checkpoint.save(ctx, x, p.Out, s, at)
}

// resumePasses makes the share of the run that goes on. One that was stopped before it needed passes is in the first.
func (p *Pass) resumePasses(of Passes, s *checkpointState) error {
	now := s.Passes
	p.judged = Resumed{s.Documents, s.Front}
	if now == nil {
		now = &passState{Pass: 1, Read: p.judged}
	}
	p.pass, p.read, p.all, p.cuts = now.Pass, now.Read, now.All, s.Cuts
	x, err := p.Checkpoint.Index(of.Index)
	if err != nil {
		return err
	}
	share := newShare(x, now.Begins, nil, nil)
	x.reach(now.Read.Documents)
	p.take(share)
	if now.Full {
		share.end = p.judged.Documents
	}
	if now.Pass > 1 {
		if share.before, err = openEarlier(p.Checkpoint.matches(now.Pass-1), now.Before); err == nil {
			err = share.before.begin()
		}
	}
	switch path := p.Checkpoint.matches(now.Pass); {
	case err != nil:
	case now.After > 0:
		share.after, err = openEarlier(path, now.After)
	default:
		share.after, err = newEarlier(path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go on from %s: %w: remove it to begin anew", p.Checkpoint.path, err), share.close())
	}
	if err := p.Out.resume(s); err != nil {
		return errors.Join(err, share.close())
	}
	return nil
}
