package sim_test

// filesMutants break what is said of old documents in files, in the code that the service runs.
var filesMutants = []mutant{
	{
		rule: "what is restored beside files lies in one", file: "index/snapshot/restore.go",
		old: "err = b.files.Put(ctx, name, data)", new: "return data, nil",
	},
	{
		rule: "what is not read is wanted", file: "index/window/away.go",
		old: "\t\t\tf.of.want(Want{f.name, page})\n", new: "",
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
		old: "if s == nil || s.erased != f.erased {", new: "if s == nil {",
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
}
