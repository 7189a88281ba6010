package sim_test

// primeMutants break what is said of primings (design 4, rule 16, decisions 46 and 47), in the code that the service
// runs.
var primeMutants = []mutant{
	{
		"a record of history leaves no entries out", "index/history.go",
		"h.First > p.Entries || !r.primable(h)", "!r.primable(h)",
	},
	{
		"what history brought before is passed over", "index/history.go",
		"if h.First+uint64(i) < p.Entries {\n\t\t\tcontinue\n\t\t}", "",
	},
	{
		"a record of history leaves no offsets out", "index/history.go",
		"h.Parts[i].From > next[i] {", "h.Parts[i].From > next[i]+1000 {",
	},
	{
		"a record of history says from which offset", "consumer/protocol/feeding/prime.go",
		"From: p.From, Through: p.Through", "Through: p.Through",
	},
	{
		"records of an earlier priming change nothing", "index/history.go",
		"h.Number != p.Number || h.First", "h.First",
	},
	{
		"of two primings that begin at once the first counts", "index/history.go",
		"if h.Number != r.Primed().Number+1 {", "if h.Number < r.Primed().Number {",
	},
	{
		"the group judges its own documents", "index/history.go",
		"case own.Epoch > 0 && e.Offset >= own.Start:", "case own.Epoch > 0 && e.Offset >= own.Start+1000:",
	},
	{
		"history knows what is like it", "index/history.go",
		"if best, ok, _ := r.best(&e.Entry); ok {", "if best, ok, _ := r.best(&e.Entry); ok && e.Offset < 0 {",
	},
	{
		"history comes in the order of time", "index/history.go",
		"case r.window.old(r.clocks.now(), applied), applied < p.last:", "case r.window.old(r.clocks.now(), applied):",
	},
	{
		"what is judged lets history leave first", "index/room.go",
		"\tif r.history != nil {\n\t\tr.historyRoom(documents, bytes)\n\t}\n", "",
	},
	{
		"a snapshot has how far history is brought", "index/capture.go",
		"flag(r.priming != nil))\n\tif r.priming != nil {",
		"flag(r.priming != nil && r.fed > 0))\n\tif r.priming != nil && r.fed > 0 {",
	},
	{
		"a primer goes on where others were", "consumer/protocol/feeding/prime.go",
		"index.FeedPart{Source: of.Source, Through: part.Through}", "index.FeedPart{Source: of.Source}",
	},
	{
		"a primer knows the latest time of others", "consumer/protocol/feeding/prime.go",
		"append(now.Places, part.Place)", "append(now.Places, protocol.NoPlace)",
	},
	{
		"a primer goes on with what others rejected", "consumer/protocol/feeding/prime.go",
		"append(now.Rejected, part.Rejected)", "append(now.Rejected, 0)",
	},
	{
		"history begins with what is left", "consumer/protocol/feeding/state.go",
		"return min(max(known, s.Left[i]), r.To), known", "return known, known",
	},
}
