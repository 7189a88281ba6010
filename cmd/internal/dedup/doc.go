// Package dedup judges documents from files with the very core that the service runs: it signs them on all cores and applies
// them in their order to one replica, whose window holds them all.
//
//	corpus.Reader ──chunks──▶ parse and sign ──▶ judge ──▶ Outcome
//	one goroutine             one for each core  in order, in the goroutine that called Run
//
// A chunk, its parser, its signer and what was signed are one job, and there is a fixed number of jobs, which bounds the
// memory beside the index.
//
// There are two judges. Index is the replica: it says at once what a document is like, and can be saved and loaded. Rotations
// gathers the sketches of all documents and answers at the end, for distances of SimHashes that no band key guarantees.
//
// A Pass is one run over files: Outputs are the files that its verdicts go to, Groups the clusters that some of them wait for, and a
// Summary is what it came to.
package dedup
