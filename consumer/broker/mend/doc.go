// Package mend makes the data of the embedded broker whole again after its process was killed.
//
// The broker, kfake, writes each batch before it acknowledges it, so nothing acknowledged is lost. But it takes several
// writes to end a transaction, and one process dies between any two of them. Left alone, that shows in three ways, each of
// which was seen and has its test here:
//
//   - A batch without its index entry counts as not transactional: readers see records of a transaction that never ended.
//     The entries behind it stand in the wrong place.
//   - A transaction that was open is aborted in memory, and no marker is written. When the same producer commits its next
//     one and the process is killed again, that commit is taken to cover the open one, too: aborted records come back.
//   - A commit writes its markers partition by partition and then the offsets of the group. Cut short, records are
//     visible and their offsets are not committed: they are read and forwarded a second time.
//
// So a Log notes, before each commit, whose it is and how long the broker's two logs were; while the file exists, the
// broker has not been closed:
//
//	┌──────────┬──────────┬───────┬──────────┬────────────┬──────────┬────────┐
//	│ magic    │ producer │ epoch │ pids.log │ groups.log │ time, ms │ crc32c │
//	│ 8        │ 8        │ 8     │ 8        │ 8          │ 8        │ 4      │
//	└──────────┴──────────┴───────┴──────────┴────────────┴──────────┴────────┘
//
// And Mend, before the broker is started again, takes back the commit that was cut short (the broker does one thing at a
// time, so its markers are the last batches of their partitions, and nobody was told of it), ends every open transaction
// with an abort marker, completes the index, and raises the epoch of every transactional producer, so that one that
// outlived the broker cannot go on with half of its transaction.
//
// It knows kfake's files as of the version that go.mod names; the tests fail if they change.
package mend
