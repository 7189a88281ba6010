package sim_test

// fillMutants break what is said of fills (design 4, rule 16, decision 76), in the code that the service runs.
var fillMutants = []mutant{
	{
		"a record of a fill leaves no entries out", "index/fill.go",
		"f.First > now.Entries || !f.continues(r)", "!f.continues(r)",
	},
	{
		"what was brought before is passed over", "index/fill.go",
		"if f.First+uint64(i) < now.Entries {\n\t\t\tcontinue\n\t\t}", "",
	},
	{
		"a record of a fill leaves no offsets out", "index/fill.go",
		"f.Parts[i].From > next[i] {", "f.Parts[i].From > next[i]+1000 {",
	},
	{
		"a record of a fill says from which offset", "consumer/protocol/feeding/fill.go",
		"From: p.From, Through: p.Through", "Through: p.Through",
	},
	{
		"records of an earlier fill change nothing", "index/fill.go",
		"f.Number != now.Number || f.First", "f.First",
	},
	{
		"of two fills that begin at once the first counts", "index/fill.go",
		"if f.Number != r.filling.Number+1 {", "if f.Number < r.filling.Number {",
	},
	{
		"nothing is filled once the group judges", "index/fill.go",
		"\tcase r.Judges():\n", "\tcase r.Judges() && f.Number == 0:\n",
	},
	{
		"what is filled has the age of its own time", "index/fill.go",
		"applied := max(f.last, min(e.At, now))", "applied := now",
	},
	{
		"what is filled is remembered as it stands", "index/fill.go",
		"\tcase e.Empty():\n", "\tcase e.Empty(), f.last == e.At:\n",
	},
	{
		"a snapshot has how far fills are brought", "index/capture.go",
		"binary.AppendVarint(binary.AppendVarint(dst, p.filled.Through), p.filled.Place)",
		"binary.AppendVarint(binary.AppendVarint(dst, 0), p.filled.Place)",
	},
	{
		"a group begins when all is filled", "consumer/protocol/duty.go",
		"if r.FilledPart(d.Fill[i].Source).Through < d.Fill[i].Offset {", "if r.FilledPart(d.Fill[i].Source).Through < 0 {",
	},
	{
		"who forwards finds what was committed in an earlier life", "consumer/protocol/decide.go",
		"case !f.Known && f.earlier():", "case !f.Known && f.earlier() && f.Begin < 0:",
	},
	{
		"an earlier life may have ended where the group begins", "consumer/protocol/decide.go",
		"tookOver && c.Offset <= from &&", "tookOver && c.Offset < from &&",
	},
	{
		"an epoch of an earlier life is none of this one's", "consumer/protocol/decide.go",
		"c.Epoch != 1 || c.Start != from)", "c.Epoch != 1)",
	},
	{
		"no epoch begins below where the group does", "consumer/protocol/decide.go",
		"max(offset, f.Duty.Begins(f.Source))", "offset",
	},
	{
		"a feeder goes on where others were", "consumer/protocol/feeding/fill.go",
		"index.FeedPart{Source: of.Source, Through: part.Through}", "index.FeedPart{Source: of.Source}",
	},
	{
		"a feeder knows the latest time of others", "consumer/protocol/feeding/fill.go",
		"append(now.Places, part.Place)", "append(now.Places, protocol.NoPlace)",
	},
	{
		"a feeder goes on with what others rejected", "consumer/protocol/feeding/fill.go",
		"append(now.Rejected, part.Rejected)", "append(now.Rejected, 0)",
	},
	{
		"a feeder ends when the group judges", "consumer/protocol/feeding/fill.go",
		"return now, f.Number == number && !r.Judges()", "return now, f.Number == number",
	},
	{
		"what is filled begins with what is left", "consumer/protocol/feeding/state.go",
		"return min(max(known, s.Left[i]), r.To), s", "return known, s",
	},
	{
		"a range of which nothing is left is told", "consumer/protocol/feeding/state.go",
		"r.To), s.Parts[i].Through", "r.To), known",
	},
}

// successionMutants break what is said of takeovers (design 4, rule 17), in the code that the service runs.
var successionMutants = []mutant{
	{
		"a takeover remembers what is in unique", "consumer/protocol/handover.go",
		"h.duty.Fill = together(unique, h.Old.Duty.Fill)", "h.duty.Fill = h.Old.Duty.Fill",
	},
	{
		"a takeover remembers what the old group had to", "consumer/protocol/handover.go",
		"h.duty.Fill = together(unique, h.Old.Duty.Fill)", "h.duty.Fill = unique",
	},
	{
		"what was made void is not completed", "consumer/protocol/handover.go",
		"case h.voided():\n\t\th.refuse", "case h.voided() && h.Back:\n\t\th.refuse",
	},
	{
		"nothing below where the old group began is forwarded", "consumer/protocol/handover.go",
		"begins := max(p.Old, h.Old.Duty.Begins(p.Source))", "begins := p.Old",
	},
	{
		"an earlier life is none of this one's", "consumer/protocol/decide.go",
		"case !f.Known && f.earlier():", "case !f.Known && f.earlier() && f.Begin < 0:",
	},
	{
		"a takeover leaves no hole", "consumer/protocol/handover.go",
		"begins := max(p.Old, h.Old.Duty.Begins(p.Source))", "begins := max(p.Old+1, h.Old.Duty.Begins(p.Source))",
	},
	{
		"a takeover begins where the old group ends", "consumer/protocol/handover.go",
		"begins := max(p.Old, h.Old.Duty.Begins(p.Source))", "begins := max(p.Old-1, h.Old.Duty.Begins(p.Source))",
	},
	{
		"nobody is in the old group when its offsets are read", "consumer/protocol/handover.go",
		"case h.drained != h.Old.Number:", "case h.drained != h.Old.Number && h.Back:",
	},
	{
		"a successor begins when all is filled", "consumer/protocol/duty.go",
		"if r.FilledPart(d.Fill[i].Source).Through < d.Fill[i].Offset {", "if r.FilledPart(d.Fill[i].Source).Through < 0 {",
	},
}
