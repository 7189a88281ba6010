package sim_test

// narrow has segments of two documents and lets one document leave in a turn, so that few documents are enough to see
// what is else seen in windows of thousands.
var narrow = []mutant{
	{file: "index/bounds.go", old: "const MostLeaving = 1024", new: "const MostLeaving = 1"},
	{file: "index/window/segment.go", old: "segmentDocuments = 1 << 16", new: "segmentDocuments = 2"},
	{file: "index/window/segment.go", old: "max(int(p.Count)/windowSegments, 1<<8)", new: "max(int(p.Count)/windowSegments, 2)"},
}

// changeMutants break what is said of bounds that are changed (design 4, rule 9, decision 51), and of erasures (rule
// 11, decision 50), in the code that the service runs.
var changeMutants = []mutant{
	{
		rule: "a change is of the next number", file: "index/bounds.go",
		old: "if rec.Number != r.bounds.Number+1 || !r.change", new: "if rec.Number > r.bounds.Number+1 || !r.change",
	},
	{
		rule: "a change takes hold at its offset on every member", file: "index/bounds.go",
		old: "\tr.find.window.Change(p.window(r.find.buckets.Bands()))\n",
		new: "\tif r.stats.Judged%2 == 0 {\n\t\tr.find.window.Change(p.window(r.find.buckets.Bands()))\n\t}\n",
	},
	{
		rule: "a change is of the same settings", file: "index/replica.go",
		old: "\tif _, begins := rec.(*Settings); !begins && (!r.inForce || rec.head()",
		new: "\t_, change := rec.(*SettingsChange)\n\tif _, begins := rec.(*Settings); !begins && (!r.inForce || !change && rec.head()",
	},
	{
		rule: "a snapshot has the bounds", file: "index/capture.go",
		old: "wire.Flag(r.bounds.Number > 0))\n\tif r.bounds.Number > 0 {",
		new: "wire.Flag(r.bounds.Number > 1000))\n\tif r.bounds.Number > 1000 {",
	},
	{
		rule: "a snapshot has the number of the change", file: "index/restore.go",
		old: "to := Bounds{Number: uint32(rd.Uvarint()), Text: rd.Bytes()}",
		new: "to := Bounds{Number: min(uint32(rd.Uvarint()), 1), Text: rd.Bytes()}",
	},
	{
		rule: "a snapshot says that the window is narrowed", file: "index/capture.go",
		old: "|wire.Flag(j.narrowing)<<2", new: "",
	},
	{
		rule: "a snapshot says that representatives entered again", file: "index/capture.go",
		old: "|wire.Flag(refreshed)<<1", new: "|0*wire.Flag(refreshed)",
	},
	{
		rule: "what narrower bounds have no room for leaves in turns", file: "index/bounds.go",
		old: "return j.narrowing && j.turn.left >= MostLeaving && j.turn.freed >= bytes", new: "return false",
	},
	{
		rule: "narrower bounds are kept in the end", file: "index/bounds.go",
		old: "\tr.judge.narrowing = true\n", new: "\tr.judge.narrowing = r.find.window.Visible() > 4\n",
	},
	{
		rule: "the threshold in force decides", file: "index/bounds.go",
		old: "verify, err := p.Duplicates.comparer(r.sketch)",
		new: "was := p.Duplicates\n\twas.Threshold = r.begun.Duplicates.Threshold\n\tverify, err := was.comparer(r.sketch)",
	},
	{
		rule: "the hash has the bounds", file: "index/bounds.go",
		old: "return h.mix(uint64(rec.Number)).mix(rec.hash())", new: "return h.mix(uint64(rec.Number))",
	},
	{
		rule: "the hash has what was erased", file: "index/erase.go",
		old: "h = h.mix(uint64(t.Offset)).mix(uint64(t.Entry))", new: "_ = t",
	},
	{
		rule: "of changes that were read early the next one counts", file: "index/bounds.go",
		old: "rec.Fingerprint == r.fingerprint && rec.Number == r.bounds.Number+1 {",
		new: "rec.Fingerprint == r.fingerprint && rec.Number > r.bounds.Number+1 {",
	},
	{
		rule: "a checkpoint has the bounds", file: "index/bounds.go",
		old: "if c.Bounds.Number > 0 {", new: "if c.Bounds.Number > 1000 {",
	},
	{
		rule: "what is erased is dead", file: "index/window/erase.go",
		old: "\ts.changes.kill(i)\n", new: "",
	},
	{
		rule: "what is erased is erased in the next snapshot too", file: "index/window/erase.go",
		old: "\ts.erased = offset + 1\n", new: "",
	},
	{
		rule: "what is erased is no longer in memory", file: "index/window/erase.go",
		old: "\tentry.Erase(s.entryOf(i))\n", new: "\t_ = entry.Erase\n",
	},
	{
		rule: "an erase that comes twice is one", file: "index/window/erase.go",
		old: "\ts.changes.kill(i)\n",
		new: "\tif s.changes.isDead(i) {\n\t\ts.changes.dead[i] = false\n\t} else {\n\t\ts.changes.kill(i)\n\t}\n",
	},
	{
		rule: "an erase passes over nobody", file: "index/erase.go",
		old: "\tif len(rec.Targets) > MostErased {\n",
		new: "\tif len(rec.Targets) > MostErased || r.stats.Judged%2 == 1 {\n",
	},
	{
		rule: "an erase takes what it names", file: "index/window/erase.go",
		old: "[]Ref(nil)\n", new: "[]Ref(nil)\n\t\ttarget.Entry /= 2\n",
	},
	{
		rule: "of what entered again an erase takes what it names", file: "index/window/again.go",
		old: "slices.Contains(judged, d.Judged)",
		new: "slices.Contains(judged, entry.Position{Offset: d.Judged.Offset, Entry: d.Judged.Entry / 2})",
	},
	{
		rule: "what entered again is erased as well", file: "index/window/erase.go",
		old: "\tif !w.refreshed {\n\t\treturn\n\t}\n\tif", new: "\tif !w.refreshed || w.count <= 1000 {\n\t\treturn\n\t}\n\tif",
	},
	{
		rule: "the writer stores again what was erased", file: "index/snapshot/writer.go",
		old: "!ok || s.at < view.Erased", new: "!ok",
	},
}
