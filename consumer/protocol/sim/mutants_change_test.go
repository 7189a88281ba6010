package sim_test

// narrow has segments of two documents and lets one document leave in a turn, so that few documents are enough to see
// what is else seen in windows of thousands.
var narrow = []mutant{
	{file: "index/bounds.go", old: "const MostLeaving = 1024", new: "const MostLeaving = 1"},
	{file: "index/segment.go", old: "segmentDocuments = 1 << 16", new: "segmentDocuments = 2"},
	{file: "index/segment.go", old: "max(p.Count/windowSegments, 1<<8)", new: "max(p.Count/windowSegments, 2)"},
}

// changeMutants break what is said of bounds that are changed (design 4, rule 9, decision 51), and of erasures (rule
// 11, decision 50), in the code that the service runs.
var changeMutants = []mutant{
	{
		rule: "a change is of the next number", file: "index/bounds.go",
		old: "if rec.Number != r.bounds.Number+1 {\n\t\treturn", new: "if rec.Number > r.bounds.Number+1 {\n\t\treturn",
	},
	{
		rule: "a change takes hold at its offset on every member", file: "index/bounds.go",
		old: "\tr.window.change(p, p.KeepsAll())\n",
		new: "\tif r.stats.Judged%2 == 0 {\n\t\tr.window.change(p, p.KeepsAll())\n\t}\n",
	},
	{
		rule: "a change is of the same settings", file: "index/replica.go",
		old: "\th := header(rec)\n\tif !r.inForce || h.Fingerprint != r.fingerprint {",
		new: "\th := header(rec)\n\t_, change := rec.(*SettingsChange)\n\tif !r.inForce || !change && h.Fingerprint != r.fingerprint {",
	},
	{
		rule: "a snapshot has the bounds", file: "index/capture.go",
		old: "flag(r.bounds.Number > 0))\n\tif r.bounds.Number > 0 {",
		new: "flag(r.bounds.Number > 1000))\n\tif r.bounds.Number > 1000 {",
	},
	{
		rule: "a snapshot has the number of the change", file: "index/restore.go",
		old: "to := Bounds{Number: uint32(rd.Uvarint()), Text: rd.Bytes()}",
		new: "to := Bounds{Number: min(uint32(rd.Uvarint()), 1), Text: rd.Bytes()}",
	},
	{
		rule: "a snapshot says that the window is narrowed", file: "index/capture.go",
		old: "|flag(r.narrowing)<<2", new: "",
	},
	{
		rule: "a snapshot says that representatives entered again", file: "index/capture.go",
		old: "|flag(r.window.refreshed)<<1", new: "",
	},
	{
		rule: "what narrower bounds have no room for leaves in turns", file: "index/bounds.go",
		old: "return r.narrowing && r.turn.left >= MostLeaving && r.turn.freed >= bytes", new: "return false",
	},
	{
		rule: "narrower bounds are kept in the end", file: "index/bounds.go",
		old: "\tr.narrowing = true\n", new: "\tr.narrowing = len(r.window.segments) > 2\n",
	},
	{
		rule: "the threshold in force decides", file: "index/bounds.go",
		old: "r.params, r.least, r.verify, r.reemitEvery = p, p.Similarity.Least(), verify,",
		new: "r.params, _, r.verify, r.reemitEvery = p, p.Similarity.Least(), verify,",
	},
	{
		rule: "the hash has the bounds", file: "index/replica.go",
		old: "h = h.mix(uint64(rec.Number)).mix(rec.hash())", new: "h = h.mix(uint64(rec.Number))",
	},
	{
		rule: "the hash has what was erased", file: "index/replica.go",
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
		rule: "what is erased is dead", file: "index/erase.go",
		old: "\ts.changes.kill(i)\n", new: "",
	},
	{
		rule: "what is erased is erased in the next snapshot too", file: "index/erase.go",
		old: "\ts.erased = offset + 1\n", new: "",
	},
	{
		rule: "what is erased is no longer in memory", file: "index/erase.go",
		old: "\tentry.Erase(s.entryOf(i))\n", new: "\t_ = entry.Erase\n",
	},
	{
		rule: "an erase that comes twice is one", file: "index/erase.go",
		old: "\ts.changes.kill(i)\n",
		new: "\tif s.changes.isDead(i) {\n\t\ts.changes.dead[i] = false\n\t} else {\n\t\ts.changes.kill(i)\n\t}\n",
	},
	{
		rule: "an erase passes over nobody", file: "index/replica.go",
		old: "\t\treturn r.applyErase(at, rec)\n",
		new: "\t\tif r.stats.Judged%2 == 1 {\n\t\t\treturn Effect{}\n\t\t}\n\t\treturn r.applyErase(at, rec)\n",
	},
	{
		rule: "an erase takes what it names", file: "index/erase.go",
		old: "if d.position != target {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tif d.judged == target {",
		new: "if d.position.Offset != target.Offset {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tif d.judged.Offset == target.Offset {",
	},
	{
		rule: "what entered again is erased as well", file: "index/erase.go",
		old: "\tif w.refreshed {\n", new: "\tif w.refreshed && w.count > 1000 {\n",
	},
	{
		rule: "the writer stores again what was erased", file: "index/snapshot/writer.go",
		old: "!ok || s.at < view.Erased", new: "!ok",
	},
}
