// Package member is this process's replica of the index. It follows the journal, restores from snapshots and takes
// them, trims the journal, and finds out whether the replica differs from those of other members.
//
//	Restore ── Follower   one goroutine applies the journal to the replica, and answers lookups between two records
//	           Keeper     writes snapshots and checkpoints, and trims the journal
//
// Others look at the replica, and wait for it to pass an offset of the journal.
package member
