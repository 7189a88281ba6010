// Package eval measures how good verdicts are: it finds the exact truth about a corpus, and compares with it what an
// index found.
//
//	sets of shingle hashes ──Join──▶ every pair at or above a threshold, exactly      (the truth)
//	verdicts, pairs or clusters true ──Copies──▶ standing of each document ──Count──▶ precision, recall, F1
//	pairs ──Clusters──▶ a cluster for each document ──AdjustedRand──▶ agreement of two clusterings
//
// The join never compares two documents that cannot be similar. It is an exact set-similarity join by prefix filtering
// (Bayardo, Ma and Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007) with the length and position filters of
// PPJoin (Xiao, Wang, Lin and Yu, "Efficient Similarity Joins for Near Duplicate Detection", WWW 2008).
// It is tested against comparing each with each.
//
// Like all of the core it uses no file, clock or goroutine. A Join is read only once it is made, so callers may probe
// it from several goroutines, each with a Probe of its own.
package eval
