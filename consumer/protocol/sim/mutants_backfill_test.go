package sim_test

// backfillMutants break what is said of backfills (design 4, rule 15, and decision 45), in the code that the service
// runs.
var backfillMutants = []mutant{
	{
		"a session forwards only what was fed", "consumer/protocol/backfill.go",
		"return max(a.Base, min(r.Fed(a.Source).Through, a.Range.To))", "return max(a.Base, a.Range.To)",
	},
	{
		"a commit ends where the reach does", "consumer/protocol/batch.go",
		"g.End, g.Beyond = max(g.End, reach), true", "g.End, g.Beyond = offset+1, true",
	},
	{
		"a session forwards nothing beyond the range", "consumer/protocol/backfill.go",
		"return max(a.Base, a.Range.To)\n}", "return max(a.Base, a.Range.To+1)\n}",
	},
	{
		"a partition begins where its range does", "consumer/protocol/backfill.go",
		"return r.From", "return f.Begin + 0*r.From",
	},
	{
		"a feeder counts what was fed before it", "consumer/protocol/feeding/merge.go",
		"m.record.First = from.Entries", "m.record.First = 0",
	},
	{
		"a feeder goes on where others were", "consumer/protocol/feeding/state.go",
		"known = min(max(r.From, s.Parts[i].Through), r.To)", "known = r.From",
	},
	{
		"a feeder knows the latest time of others", "consumer/protocol/feeding/merge.go",
		"place: from.Places[i]", "place: protocol.NoPlace",
	},
	{
		"the merge waits for what it has not read", "consumer/protocol/feeding/merge.go",
		"for m.dry == 0 && len(m.first) > 0 {", "for len(m.first) > 0 {",
	},
	{
		"an exhausted range holds nothing up", "consumer/protocol/feeding/lane.go",
		"func (l *lane) dry() bool { return !l.queued && l.position < l.to }",
		"func (l *lane) dry() bool { return !l.queued }",
	},
	{
		"of equal times the first range comes first", "consumer/protocol/feeding/heap.go",
		"x < y || x == y && a < b", "x < y || x == y && a > b",
	},
	{
		"a partition's places never fall", "consumer/protocol/plan.go",
		"return max(last, time)", "return time",
	},
	{
		"a time of the future tells nothing", "consumer/protocol/plan.go",
		"case time > 0 && time <= p.Fixed:", "case time > 0:",
	},
	{
		"a feed leaves no entries out", "index/feed.go",
		"(f.First > r.fed || ", "(",
	},
	{
		"what was fed before is passed over", "index/feed.go",
		"\t\tif f.First+uint64(i) < r.fed {\n\t\t\tcontinue\n\t\t}\n\t\te := &f.Entries[i]", "\t\te := &f.Entries[i]",
	},
	{
		"other entries at the place of those that were fed change nothing", "index/feed.go",
		"if again := first+uint64(i) < brought; again != (e.Offset < next[e.Part]) {",
		"if again := first+uint64(i) < brought; again && false {",
	},
	{
		"a snapshot has how far partitions are fed", "index/capture.go",
		"binary.AppendVarint(dst, p.fed.Through), p.fed.Place)", "binary.AppendVarint(dst, 0*p.fed.Through), 0*p.fed.Place)",
	},
	{
		"a commit that was refused counts nothing", "consumer/protocol/batch.go",
		"groups[i].Bypasses, groups[i].Pending = false, Tally{}", "groups[i].Bypasses = false",
	},
	{
		"counts go on from what is committed", "consumer/protocol/decide.go",
		" Tally: c.Tally,", "",
	},
	{
		"what outputs refuse counts as rejected", "consumer/protocol/refusal.go",
		"return a.Level(d.Entry.Offset) > Whole || !d.Judged", "return !d.Judged",
	},
	{
		"what was not checked is counted as that", "consumer/protocol/backfill.go",
		"\tcase !d.Judged:\n", "\tcase !d.Judged && d.Rejected && d.Withheld:\n",
	},
	{
		"verdicts are recalled after a takeover", "consumer/protocol/judge.go",
		"d.Rejected = !d.Judged", "d.Judged = d.Judged && a.Tally.Documents() == 0\n\t\t\td.Rejected = !d.Judged",
	},
	{
		"a backfill knows one epoch", "consumer/protocol/backfill.go",
		"\tcase d.Action == Begin:\n\t\treturn Decision{Action: Refuse, Reason: d.Reason}\n",
		"\tcase d.Action == Begin && d.Reason == 99:\n\t\treturn Decision{Action: Refuse, Reason: d.Reason}\n",
	},
	{
		"deletion behind a finished range ends nothing", "consumer/protocol/backfill.go",
		"d.Reason == Deleted && f.Committed.Offset >= r.To:", "d.Reason == Deleted && f.Committed.Offset > r.To:",
	},
	{
		"what was appended is looked for in the replica", "consumer/protocol/feeding/ledger.go",
		"\tswitch fed := r.FedEntries(); {",
		"\tif l.pending = l.pending[1:]; len(l.pending) >= 0 {\n\t\treturn nil\n\t}\n\tswitch fed := r.FedEntries(); {",
	},
	{
		"a finished range is not overtaken", "consumer/protocol/backfill.go",
		"begin > a.Base && a.Base < a.Range.To", "begin > a.Base",
	},
	{
		"the feeder waits while many verdicts are held", "consumer/protocol/feeding/ledger.go",
		"case int64(held)+under < int64(most):", "case int64(held)+0*under < int64(most):",
	},
	{
		"entries of a range that wait are bounded", "consumer/protocol/feeding/merge.go",
		"l.bytes > q.Range || rested", "rested",
	},
	{
		"entries of all ranges that wait are bounded", "consumer/protocol/feeding/merge.go",
		"l.bytes > q.Range || rested && l.bytes > q.Range/2 || m.bytes > q.All && l.queued", "false",
	},
	{
		"a range whose next entry is not known is read", "consumer/protocol/feeding/merge.go",
		"m.bytes > q.All && l.queued", "m.bytes > q.All",
	},
	{
		"sessions poll before the feeder waits for them", "consumer/protocol/backfill.go",
		"max(1, min(records, held/(2*max(1, len(m.plan.Ranges)))))", "max(1, records)",
	},
	{
		"the end of a range is worth a poll", "consumer/protocol/backfill.go",
		"(reach == a.Range.To || reach-a.Base", "(reach-a.Base",
	},
	{
		"a feed leaves no offsets out", "index/feed.go",
		"f.Parts[i].From > next[i] {", "f.Parts[i].From > next[i]+1000 {",
	},
	{
		"a range without entries is fed to its end", "consumer/protocol/feeding/merge.go",
		"if l.part < 0 && l.through() > l.sent &&", "if l.part < 0 && l.through() < 0 &&",
	},
	{
		"a range is not fed through what is queued", "consumer/protocol/feeding/lane.go",
		"\tif l.queued {\n\t\treturn l.next.Offset\n\t}\n\treturn l.position", "\treturn l.position",
	},
	{
		"what is rejected is not fed", "consumer/protocol/feeding/merge.go",
		"if d.Rejected {", "if d.Rejected && false {",
	},
	{
		"what was fed stays in the window when it is refused", "index/forget.go",
		"; !rows[d.Source].wasFed(d.Entry.Offset) {", "; d.Source < 1<<30 {",
	},
	{
		"a copy that was fed and let through stays so when it is refused", "index/forget.go",
		"if v.Forgotten = true; !p.wasFed(v.Offset) {", "if v.Forgotten = true; len(p.held) > 0 {",
	},
	{
		"a backfill is finished when all is committed", "consumer/protocol/plan.go",
		"if !c.Ours || c.Offset < r.To {", "if !c.Ours {",
	},
	{
		"what holds no document up to the end of its range is committed", "consumer/protocol/member.go",
		"a.Committed(a.Range.To)", "a.Committed(a.Base)",
	},
	{
		"what was deleted before it was read ends the session", "consumer/protocol/member.go",
		"g.Mode.Overtaken(g.Assignment, g.Begins)", "g.Mode.Overtaken(g.Assignment, -1)",
	},
}
