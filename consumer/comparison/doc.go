// Package comparison shows how the verdicts of a shadow differ from those of the group that it follows. It only reads:
//
//	the shadow's journal ──▶ replica ──▶ its verdicts ─┐
//	                                                   ├──▶ by source record: counts, histograms, examples
//	the old group's outputs ──▶ headers ───────────────┘
//
// It compares the newest documents that both groups have committed. What it keeps of a document takes 48 bytes, and
// what it keeps of those before them 100 MB at most. While the journal is replayed, the replica takes as much
// memory as that of a member.
//
// The two groups judge the partitions in another order. So of two copies that came in two partitions, one group may
// take the one for the original, and the other group the other. That is no difference between their settings. Such
// documents are told apart as far as what the groups said of both copies is known (Report.OtherFirst).
package comparison
