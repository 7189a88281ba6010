package api

import (
	"fmt"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

func replicaConditions() []condition {
	return []condition{
		{
			"UnechoJournalStalls", 2 * time.Minute,
			func(s *seen) bool {
				const stalled = 5 * time.Minute
				before, ok := s.back(stalled)
				return ok && s.old(stalled) && s.JournalNext >= 0 && s.JournalEnd > s.JournalNext && before.next == s.JournalNext
			},
			func(s *seen) string {
				return fmt.Sprintf("the journal has %d records that this member has not applied, and the last one it applied is "+
					"from %s", s.JournalEnd-s.JournalNext, shape.At(s.AppliedTime))
			},
			"look at the broker that leads the journal's partition, and at this member's machine",
		},
		{
			"UnechoMemberWithdraws", 0,
			func(s *seen) bool { return s.rose(time.Hour, func(r *reading) uint64 { return r.withdrawals }) > 0 },
			constant("this member left its group for a while, because its replica lagged behind the journal"),
			"its machine, or its way to the journal's broker, is too slow",
		},
		{
			"UnechoClockOff", 5 * time.Minute, func(s *seen) bool { return s.ClockKnown && s.ClockAhead.Abs() > time.Minute },
			func(s *seen) string {
				return fmt.Sprintf("the clocks of this machine and of the journal's broker differ by %v", s.ClockAhead.Abs().Round(time.Second))
			},
			"set this machine's clock if only this member says so, else that of the broker",
		},
		{
			"UnechoReplicasDiffer", 0,
			func(s *seen) bool { return s.rose(time.Hour, func(r *reading) uint64 { return r.divergence }) > 0 },
			constant("the index of this member differs from that of another member"), "the log says who was wrong",
		},
		{
			"UnechoStrayRecords", 0,
			func(s *seen) bool { return s.rose(time.Hour, func(r *reading) uint64 { return r.strays }) > 0 },
			constant("the journal holds records of other writers"),
			"find out who may write to the journal's topic, and remove that right",
		},
		{
			"UnechoWindowShort", quarter, windowShort,
			func(s *seen) string {
				return fmt.Sprintf("the window is full and remembers %v of %v", s.Index.Age().Round(time.Second), s.Bounds.Age)
			},
			"raise duplicates.remember.memory or duplicates.remember.documents; unecho plan says what memory that takes",
		},
		{
			"UnechoMissesCopies", quarter,
			func(s *seen) bool {
				cut := s.rose(quarter, func(r *reading) uint64 { return r.uniqueCut })
				return cut > 0 && 100*cut > s.rose(quarter, func(r *reading) uint64 { return r.unique })
			},
			constant("more than 1 % of the unique documents may be copies, because something was left out of their comparison"),
			"raise duplicates.max_candidates, or take what documents have in common out of them before",
		},
	}
}

func storeConditions() []condition {
	return []condition{
		{
			"UnechoSnapshotsFail", 0, func(s *seen) bool {
				return unwritten(s) >= 3 || s.rose(quarter, func(r *reading) uint64 { return r.trimErrs }) >= 3
			},
			func(s *seen) string {
				switch {
				case unwritten(s) < 3:
					return "this member cannot trim the journal, which grows: the log has the error"
				case s.SnapshotErr == nil:
					return "this member failed to write snapshots in the last quarter of an hour, and can again"
				}
				return "this member cannot write snapshots: " + s.SnapshotErr.Err.Error()
			},
			"look at the snapshot store; for a trim, at the right Delete on the journal",
		},
		{
			"UnechoFilesFail", 5 * time.Minute,
			func(s *seen) bool { return s.rose(5*time.Minute, func(r *reading) uint64 { return r.fileErrs }) > 0 },
			func(s *seen) string {
				if s.FileErr == nil {
					return "files with old documents were unreadable or not written, and are whole again"
				}
				return "files with old documents fail: " + s.FileErr.Err.Error()
			},
			"make room in duplicates.remember.directory, or look at its disk; damaged files come again from the snapshot store",
		},
		{
			"UnechoFilesSlow", 5 * time.Minute,
			func(s *seen) bool { return s.Index.Blocks.Uncovered > manySegments || waited(s) > mostWaited },
			func(s *seen) string {
				return fmt.Sprintf("the disk with old documents is nearly too slow: %d segments wait for a block, and judging waited %v "+
					"of the last quarter of an hour for files", s.Index.Blocks.Uncovered, waited(s).Round(time.Second))
			},
			"name a faster disk in duplicates.remember.directory, or see what else uses this one",
		},
		{
			"UnechoSnapshotsOld", 5 * time.Minute,
			func(s *seen) bool {
				return s.SnapshotTime > 0 && s.now.at.UnixMilli()-s.SnapshotTime > quarter.Milliseconds() &&
					s.rose(quarter, func(r *reading) uint64 { return r.documents }) > 0
			},
			func(s *seen) string {
				return "the newest snapshot that this member knows is from " + shape.At(s.SnapshotTime).String() +
					": restarts take longer, and the journal is not trimmed"
			},
			"look at the snapshot store, and at snapshots.every",
		},
	}
}

// unwritten returns how many snapshots have failed in the last quarter of an hour.
func unwritten(s *seen) uint64 {
	return s.rose(quarter, func(r *reading) uint64 { return r.snapshotErrs })
}

// Files of old documents count as slow, as in the alert, from half of the segments on at which judging waits for blocks, or if
// it waited for files most of a quarter of an hour.
const (
	manySegments = 80
	mostWaited   = 12 * time.Minute
)

// waited returns for how long judging has waited for files in the last quarter of an hour.
func waited(s *seen) time.Duration {
	return time.Duration(s.rose(quarter, func(r *reading) uint64 { return r.fileWait })) * time.Millisecond
}

// windowShort: documents leave for want of room, and long before duplicates.remember.age.
func windowShort(s *seen) bool {
	b := s.Bounds
	full := b.Bytes > 0 && float64(s.Index.WindowBytes) >= nearBound*float64(b.Bytes) ||
		b.Documents > 0 && float64(s.Index.Documents) >= nearBound*float64(b.Documents)
	return full && b.Age > 0 && 2*s.Index.Age() < b.Age
}
