package dedup

import "github.com/unecho/unecho/index/window"

// Shrink has small segments and blocks. If a directory is used at once, it is so from the first segment on.
func (x *Index) Shrink(atOnce bool) {
	if atOnce {
		x.paged, x.params.Memory = x.params.Directory != nil, 1<<30
	}
	x.replica.Reshape(16, 1<<14)
	x.replica.Files().BlocksOf(window.Sizes{Run: 2, Merge: 2, Parts: 4, Tail: 1})
}

// InFiles returns how many documents lie in files, and the blocks that find them.
func (x *Index) InFiles() (documents, blocks int) {
	return x.replica.Stats().Filed, len(x.replica.Files().Blocks())
}

// FileNames are those of the files that are needed.
func (x *Index) FileNames() map[string]bool { return x.replica.Files().Names() }

// Shown is what a page is made of, but for the texts.
func (r *Report) Shown() any { return []any{r.bins, r.rejected, r.clusters, r.sizes, r.count} }
