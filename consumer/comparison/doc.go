// Package comparison shows how the verdicts of a shadow differ from those of the group that it follows. It only reads:
//
//	the shadow's journal ──▶ replica ──▶ its verdicts ─┐
//	                                                   ├──▶ by source record: counts, histograms, examples
//	the old group's outputs ──▶ headers ───────────────┘
//
// It compares the newest documents that both groups have committed. What it keeps of a document takes 48 bytes, and
// what it keeps of the documents before them 96 MB at most. The replica takes as much memory as that of a member, while
// the journal is replayed.
//
// The two groups judge the partitions in another order. So of two copies that came in two partitions, one group may take
// the one for the original, and the other group the other. That is no difference between their settings. Such documents
// are told apart as far as what both groups said of the two copies is known (Report.OtherFirst).
package comparison
