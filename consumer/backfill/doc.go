// Package backfill is the job of replaying a range of topics: its name, its range, what the journal says of it, how far
// it is, and how it is removed. The work itself is that of package consumer, with a protocol.Plan.
//
// A job has a consumer group of its own, and everything that it leaves behind is named after that group:
//
//	unecho-backfill.NAME           the group, and the index that its snapshots are of
//	unecho-backfill.NAME.journal   the journal, whose routing carries the plan
//	unecho-backfill.NAME.files     documents of files, if it replays those
//
// So the job is found again by its name alone, by the process that goes on with it as by the one that removes it.
package backfill
