// Package dedup judges documents from files with the same core that the service runs. It signs them on all cores and
// applies them in their order to one replica, whose window holds them all.
//
//	corpus.Reader ──chunks──▶ parse and sign ──▶ judge ──▶ Outcome ──lines──▶ outfile.File
//	one goroutine,            one for each core  in order, in the             one for each file that is written
//	which decompresses                           goroutine that called Run
//
// A chunk, its parser, its signer and the signed entries are one job. There is a fixed number of jobs, which bounds the
// memory beside the index, and how far reading is ahead.
//
// There are two judges. Index is the replica: it gives each document's matches at once, and can be saved and loaded.
// EachPair gathers the sketches of all documents, compares each with each, and answers at the end: for distances of
// SimHashes that no band key guarantees.
//
// A Checkpoint is where a run goes on after it was stopped. What does not fit into memory lies in the files of a directory. An
// Estimate says before that it will not fit.
//
// A Pass is one run over files. Outputs are the files that its verdicts are written to, Groups the clusters that some
// of them wait for, and a Summary is its result.
package dedup
