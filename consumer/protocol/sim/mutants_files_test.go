package sim_test

// filesMutants break what is said of old documents in files, in the code that the service runs.
var filesMutants = []mutant{
	{
		rule: "what is restored beside files lies in one", file: "index/snapshot/restore.go",
		old: "err = files.Put(ctx, s.Name, data)", new: "return data, nil",
	},
	{
		rule: "what is not read is wanted", file: "index/window/old.go",
		old: "\t\th.want(w)\n", new: "\t\tif h.files[w.File] == nil {\n\t\t\th.want(w)\n\t\t}\n",
	},
	{
		rule: "a page is what was written", file: "index/window/away.go",
		old: "crc32.Checksum(data, castagnoli) == f.sums[page]", new: "crc32.Checksum(data, castagnoli) != 0",
	},
	{
		rule: "what is erased is in no file", file: "index/window/erase.go",
		old: "\tw.files.forget(s) // what lies in the file is out of date\n", new: "",
	},
	{
		rule: "a file of before an erase is of no use", file: "index/window/away.go",
		old: "if s == nil || s.edits != f.edits {", new: "if s == nil {",
	},
	{
		rule: "a file has the content of its name", file: "index/files/read.go",
		old: "if err == nil && snapshot.SegmentName(data) != name {", new: "if err == nil && len(data) == 0 {",
	},
	{
		rule: "a file that is needed is kept", file: "index/window/away.go",
		old: "names[name] = true", new: "names[name] = len(names)%8 > 0",
	},
	{
		rule: "a snapshot that lacks a segment is not published", file: "index/snapshot/writer.go",
		old: "data[:0]); err != nil {\n\t\t\t\treturn done, err", new: "data[:0]); err != nil {\n\t\t\t\tcontinue",
	},
	{
		rule: "what is fed has its verdict", file: "index/feed.go",
		old: "if _, held := p.find(e.Offset); !held &&",
		new: "p.fed = Fed{Through: e.Offset + 1, Place: e.At}\n\t\tif _, held := p.find(e.Offset); !held &&",
	},
	{
		rule: "the newest block is asked", file: "index/window/old.go",
		old: "for k := len(h.blocks) - 1;", new: "for k := len(h.blocks) - 2;",
	},
	{
		rule: "the oldest block is asked", file: "index/window/old.go",
		old: "k >= 0 && most > 0 &&", new: "k >= 1 && most > 0 &&",
	},
	{
		rule: "what a search says of a block is said of that block", file: "index/window/old.go",
		old: "MayAll(x.keys, 1<<k, e.mays)", new: "MayAll(x.keys, 1<<(k/2), e.mays)",
	},
	{
		rule: "a block of which a search says nothing is asked", file: "index/window/old.go",
		old: "(k >= asked || may>>k&1 == 1)", new: "(x.may == nil || k < 2 && may>>k&1 == 1)", // a word of two bits
	},
	{
		rule: "the tail begins where the blocks end", file: "index/window/window.go",
		old: "w.files.tail()), end:", new: "w.files.tail()+1), end:",
	},
	{
		rule: "a document is met in one block", file: "index/window/block.go",
		old: "[]*Block{b}, h.blocks[covers:])", new: "[]*Block{b}, h.blocks[at:])",
	},
	{
		rule: "a block does not find what has left", file: "index/window/old.go",
		old: "if r < x.of.oldest {", new: "if r < x.of.firstRef() {",
	},
	{
		rule: "a page of a block that was not read is wanted", file: "index/window/old.go",
		old: "\t\th.want(w)\n", new: "\t\tif h.files[w.File] != nil {\n\t\t\th.want(w)\n\t\t}\n",
	},
	{
		rule: "a page of a block is what was written", file: "index/window/away.go",
		old: "if !by.Sound(to.Page, data) {", new: "if h.BlockOf(to.File) == nil && !by.Sound(to.Page, data) {",
	},
	{
		rule: "a merge has all of its parts", file: "index/block/merge.go",
		old: "to.merge(i, parts) })", new: "to.merge(i, parts[:1]) })",
	},
	{
		rule: "a merge shifts the places of its parts", file: "index/block/merge.go",
		old: ".At += r.part.Shift", new: ".At += 0 * r.part.Shift",
	},
	{
		rule: "the filter of a block has each key", file: "index/block/write.go",
		old: "n == 0 || w.distinct[n-1]", new: "n == 0 && w.held > 0 || n > 0 && w.distinct[n-1]",
	},
	{
		rule: "a block is of these segments", file: "index/window/block.go",
		old: " && slices.Equal(rest, names[at:at+len(rest)])", new: "",
	},
	{
		rule: "a block keeps no file of before an erase", file: "index/window/away.go",
		old: "names[b.file] = true\n", new: "names[b.file] = true\n\t\tfor _, name := range b.run.Names {\n\t\t\tnames[name] = true\n\t\t}\n",
	},
	{
		rule: "a segment that comes back has its keys", file: "index/window/away.go",
		old: "copy(fixed[atBytes+copy(fixed[atBytes:], s.keys(i)):s.fixed], s.digest(i))", new: "_ = i",
	},
	{
		rule: "where documents lie is in no hash", file: "index/replica.go",
		old: "\tr.hash = h\n}", new: "\tr.hash = h.mix(uint64(r.find.window.Stats().Filed))\n}",
	},
	{
		rule: "of a key no more are met than its bound", file: "index/window/old.go",
		old: "\t\t\tmost--\n", new: "\t\t\t_ = most\n",
	},
	{
		rule: "what a search says is of the blocks that stand", file: "index/window/old.go",
		old: "if h.old == nil || h.old != h.searched {", new: "if h.searched == nil {",
	},
	{
		rule: "a search takes what was written", file: "index/window/old.go",
		old: "if w := wanted[i]; by[i].Sound(w.Page, data) {", new: "if w := wanted[i]; by[i] != nil && data != nil {",
	},
	{
		rule: "a segment has its keys until a block finds it", file: "index/window/away.go",
		old: "if s.first < h.tail() {", new: "if s.first <= h.tail() {",
	},
	{
		rule: "what lies in no file waits to be written", file: "index/window/away.go",
		old: "if s.sealed && s.filed == nil {", new: "if s.sealed && s.filed == nil && s.number%2 == 0 {",
	},
	{
		rule: "what no block finds waits for one", file: "index/window/block.go",
		old: "return max(0, len(h.of.segments)-1-h.covered())", new: "return max(0, h.covered()-len(h.of.segments))",
	},
	{
		rule: "what waits for a block gets one", file: "index/window/block.go",
		old: "if k >= n {", new: "if k >= n || k > 2 {",
	},
}

// equalHashes has keys of unlike documents have an equal hash, by which blocks find documents that have all keys: half of
// them have.
var equalHashes = mutant{
	file: "index/window/block.go", old: "return uint32(xxhash.Sum64(keys))", new: "return uint32(xxhash.Sum64(keys)) & 1",
}

// hashMutants break what is said of documents whose keys have an equal hash.
var hashMutants = []mutant{{
	rule: "who has only the hash of all keys is not met", file: "index/window/old.go",
	old: "return read && bytes.Equal(own, x.probed.keys), read", new: "return read && len(own) > 0, read",
}}
