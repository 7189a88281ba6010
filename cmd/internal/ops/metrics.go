package ops

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/sink"
)

// A value that is not known yet is absent, never zero or -1: a rule on it then sees no data instead of a good figure.

// metrics lists all of unecho's own, in the order in which a document meets them.
func metrics() []metric {
	return slices.Concat(documentMetrics(), gatewayMetrics(), stageMetrics(), sourceMetrics(), journalMetrics(), windowMetrics(),
		fileMetrics(), snapshotMetrics(), processMetrics())
}

func counter(name, help string, value func(*state) uint64) metric {
	return metric{name: name, help: help, kind: prometheus.CounterValue, values: func(s *state, emit emitter) {
		emit(float64(value(s)))
	}}
}

// byReason is a counter with a label for each reason of a closed set.
func byReason[R ~string](name, help string, reasons []R, counts func(*state) map[R]uint64) metric {
	return metric{name: name, help: help, kind: prometheus.CounterValue, labels: []string{"reason"}, values: func(s *state, emit emitter) {
		for _, r := range reasons {
			emit(float64(counts(s)[r]), string(r))
		}
	}}
}

// gauge is a metric that is absent if value returns false.
func gauge(name, help string, value func(*state) (float64, bool)) metric {
	return metric{name: name, help: help, kind: prometheus.GaugeValue, values: func(s *state, emit emitter) {
		if v, ok := value(s); ok {
			emit(v)
		}
	}}
}

func documentMetrics() []metric {
	return []metric{
		{
			name: "unecho_documents_total", kind: prometheus.CounterValue, labels: []string{"topic", "verdict"},
			help: "Documents committed by this process, by topic of the source and verdict. The main rate; add all members up.",
			values: func(s *state, emit emitter) {
				for _, v := range s.Topics {
					emit(float64(v.Unique), v.Topic, "unique")
					emit(float64(v.Duplicate), v.Topic, "duplicate")
					emit(float64(v.Rejected), v.Topic, "rejected")
					emit(float64(v.Unchecked), v.Topic, "unchecked")
				}
			},
		},
		{
			name: "unecho_match_similarity", help: "How similar the matches of committed documents were, from 0 to 1. Many just above duplicates.threshold: look at some of them, the threshold may be too low; identical texts are above 0.9999.",
			histograms: func(s *state, emit histogramEmitter) { emit(s.Similarity) },
		},
		{
			name: "unecho_commit_delay_seconds", help: "Time from a document's timestamp to the commit of its verdict. Where the source's producers set the timestamps, their delays and clocks count too; a replay of old documents shows their age.",
			histograms: func(s *state, emit histogramEmitter) { emit(s.Delay) },
		},
		counter("unecho_reemitted_total", "Copies committed to the unique topic, because nothing of their kind came through for duplicates.remember.reemit_every. They count as unique, too.",
			func(s *state) uint64 { return s.Reemitted }),
		counter("unecho_documents_by_bytes_total", "Committed documents compared by their bytes: more than 5 % of each is not UTF-8 or cannot be read. Have them converted to UTF-8, or rejected by sources.reject.",
			func(s *state) uint64 { return s.ByBytes }),
		byReason("unecho_rejected_total", "Documents committed to the rejected topic, by reason. When it rises, read unecho-detail on the records there.",
			sink.Reasons(), func(s *state) map[sink.Reason]uint64 { return s.Rejected }),
		byReason("unecho_unchecked_total", "Documents committed to the unique topic without being judged, by reason, as unecho-unchecked has it.",
			sink.UncheckedReasons(), func(s *state) map[sink.UncheckedReason]uint64 { return s.UncheckedBy }),
		counter("unecho_commits_total", "Transactions committed. None for long while there is source lag: the stream is stuck.",
			func(s *state) uint64 { return s.Commits }),
		counter("unecho_session_rebuilds_total", "Sessions closed and opened again, to be safe. A few are normal when members or brokers come and go; if it keeps rising, the log says why.",
			func(s *state) uint64 { return s.Rebuilds }),
		gauge("unecho_session_rebuilds_in_a_row", "Rebuilds of one session without a commit between them, the most of any. From 5 on the process is not ready: /ready says why.",
			func(s *state) (float64, bool) { return float64(s.Standing.InARow), true }),
		counter("unecho_journal_outages_total", "Outages of the journal in which a session passed documents on unchecked (advanced.pass_after).",
			func(s *state) uint64 { return s.Outages }),
		gauge("unecho_journal_away", "1 while documents are passed on unchecked, because the journal does not answer.",
			func(s *state) (float64, bool) {
				if s.Outage {
					return 1, true
				}
				return 0, true
			}),
		counter("unecho_documents_recorded_total", "Documents passed on unchecked, and brought to the journal since, without those rejected meanwhile.",
			func(s *state) uint64 { return s.Recorded }),
	}
}

// gatewayMetrics are absent where no documents are taken over HTTP.
func gatewayMetrics() []metric {
	open := func(name, help string, value func(*gateway.Stats) uint64) metric {
		return metric{name: name, help: help, kind: prometheus.CounterValue, values: func(s *state, emit emitter) {
			if s.Gateway.Open {
				emit(float64(value(&s.Gateway)))
			}
		}}
	}
	return []metric{
		{
			name: "unecho_gateway_requests_total", kind: prometheus.CounterValue, labels: []string{"outcome"},
			help: "Requests with documents (POST /api/v1/documents) by outcome: verdict and taken are answered as asked, pending without a verdict in time. Much busy (429): raise http.ingest.rate, or ask more members; away (503) and failed (502): look at the broker. Callers without the token, and requests beyond those that are answered in a second, are not counted.",
			values: func(s *state, emit emitter) {
				for i, n := range s.Gateway.Requests {
					emit(float64(n), gateway.Outcome(i).String())
				}
			},
		},
		open("unecho_gateway_documents_total", "Documents brought to the source over HTTP.",
			func(s *gateway.Stats) uint64 { return s.Documents }),
		open("unecho_gateway_repeated_total", "Documents over HTTP, recognised by their idempotency keys and not brought to the source again.",
			func(s *gateway.Stats) uint64 { return s.Repeated }),
		open("unecho_gateway_bytes_total", "Bytes of the documents brought to the source over HTTP, unpacked.",
			func(s *gateway.Stats) uint64 { return s.Bytes }),
		{
			name: "unecho_gateway_verdict_seconds", help: "How long requests with wait=verdict took until all verdicts were known. Those that are pending are not in it.",
			histograms: func(s *state, emit histogramEmitter) {
				if s.Gateway.Open {
					emit(s.Gateway.Verdict)
				}
			},
		},
	}
}

// stageMetrics follow the verbs of the design: appending and applying are seen from the session that waits for them, as
// judge.
func stageMetrics() []metric {
	each := func(s *state, emit histogramEmitter) {
		emit(s.Latency.Sign, "sign")
		emit(s.Latency.Judge, "judge")
		emit(s.Latency.Forward, "forward")
	}
	return []metric{
		{
			name: "unecho_stage_seconds_total", kind: prometheus.CounterValue, labels: []string{"stage"},
			help: "Time that sessions have spent in each stage. Where it grows fastest is the bottleneck: sign is CPU, judge is the journal, forward is the outputs and the commit.",
			values: func(s *state, emit emitter) {
				each(s, func(h consumer.Histogram, labels ...string) { emit(h.Sum, labels...) })
			},
		},
		{
			name: "unecho_batch_seconds", labels: []string{"stage"}, histograms: each,
			help: "How long a batch took in each stage, aborted ones included. The slowest ones show a broker or a disk in trouble.",
		},
	}
}

func sourceMetrics() []metric {
	return []metric{
		gauge("unecho_assigned_partitions", "Source partitions that this process works on. Members should have about equally many; the sum is all there are.",
			func(s *state) (float64, bool) { return float64(s.Partitions), true }),
		gauge("unecho_source_lag_documents", "Source offsets that can be read and are not committed yet, of the whole group: take the maximum over members. Rising: add members or find the slow stage. Absent when it cannot be read.",
			func(s *state) (float64, bool) { return float64(s.SourceLag), s.SourceLag >= 0 }),
		{
			name: "unecho_source_partition_lag_documents", kind: prometheus.GaugeValue, labels: []string{"topic", "partition"},
			help: "Source offsets that can be read and are not committed yet, of each partition that this process reads, 1000 at most. One that lags alone has more documents, larger ones, or a slow broker. Absent when it cannot be read.",
			values: func(s *state, emit emitter) {
				for _, l := range s.Lags {
					emit(float64(l.Documents), l.Topic, strconv.Itoa(int(l.Partition)))
				}
			},
		},
		{
			name: "unecho_source_partition_lag_seconds", kind: prometheus.GaugeValue, labels: []string{"topic", "partition"},
			help: "How long the partition's oldest document that is not committed has waited, at most; 0 without lag. By the timestamp of the last one that is, and by when the partition was last read to its end. Absent until one of them is known.",
			values: func(s *state, emit emitter) {
				for _, l := range s.Lags {
					if l.Seconds >= 0 {
						emit(l.Seconds, l.Topic, strconv.Itoa(int(l.Partition)))
					}
				}
			},
		},
		gauge("unecho_source_waiting_partitions", "Partitions of this process that wait for a person at a batch that cannot be unpacked. The log names them, the offset and what to do; the others go on.",
			func(s *state) (float64, bool) { return float64(len(s.Waiting)), true }),
		gauge("unecho_source_untaken_topics", "Topics that sources.pattern fits, not read because their outputs are missing or wrong. The log names them and what to do; the others go on.",
			func(s *state) (float64, bool) { return float64(len(s.Untaken)), true }),
		counter("unecho_source_deleted_total", "Source offsets that retention deleted before the group read them: at most so many documents, each counted by one process. Nobody judges them: keep them longer, or add members.",
			func(s *state) uint64 { return s.Deleted }),
		counter("unecho_source_skipped_total", "Source offsets that the group left out because somebody else has committed beyond them: at most so many documents, each counted by one process. For those that nobody judged, unecho audit has the command.",
			func(s *state) uint64 { return s.Skipped }),
		gauge("unecho_source_leaderless_partitions", "Partitions of the source that have no leader, of the whole group. Their documents wait, the others go on: look at the brokers. Absent when it cannot be read.",
			func(s *state) (float64, bool) { return float64(s.Leaderless), s.SourceLag >= 0 }),
	}
}

func journalMetrics() []metric {
	return []metric{
		counter("unecho_journal_appended_bytes_total", "Bytes this process has appended to the journal, before the broker's framing. Per document, it is what the protocol costs.",
			func(s *state) uint64 { return s.Journal.Bytes }),
		counter("unecho_journal_appended_records_total", "Records this process has appended to the journal. Few documents per record: batches are small.",
			func(s *state) uint64 { return s.Journal.Records }),
		gauge("unecho_journal_next_offset", "The journal offset this process applies next. All members should be close to each other. Absent until the replica is restored.",
			func(s *state) (float64, bool) { return float64(s.JournalNext), restored(s) }),
		gauge("unecho_journal_start_offset", "The first journal offset that is kept. It rises when snapshots are taken and all members share their store; else the journal grows for ever. Absent when it cannot be read.",
			func(s *state) (float64, bool) { return float64(s.JournalStart), s.JournalStart >= 0 }),
		gauge("unecho_journal_start_timestamp_seconds", "When the oldest record that the journal keeps was appended. Absent when it cannot be read, and while the journal is empty.",
			func(s *state) (float64, bool) { return seconds(s.StartTime), s.StartTime > 0 }),
		gauge("unecho_journal_kept_records", "Records that the journal keeps. It falls when the journal is trimmed. Absent when it cannot be read.",
			func(s *state) (float64, bool) {
				return float64(s.JournalEnd - s.JournalStart), s.JournalStart >= 0 && s.JournalEnd >= s.JournalStart
			}),
		gauge("unecho_journal_kept_bytes", "Bytes of the journal's records, before compression and replication, estimated from those that this process has read. Absent when it cannot be read.",
			func(s *state) (float64, bool) {
				n, ok := s.JournalKeptBytes()
				return float64(n), ok
			}),
		gauge("unecho_journal_lag_records", "Journal records not applied yet, by an end that is read every ten seconds. It should be near 0; otherwise this member judges late. Absent when it cannot be read.",
			func(s *state) (float64, bool) {
				return float64(max(0, s.JournalEnd-s.JournalNext)), restored(s) && s.JournalEnd >= 0
			}),
		gauge("unecho_journal_applied_timestamp_seconds", "When the record applied last was appended to the journal. Old while there is journal lag: the replica is stuck. Absent until the first.",
			func(s *state) (float64, bool) { return seconds(s.AppliedTime), s.AppliedTime > 0 }),
		gauge("unecho_journal_clock_ahead_seconds", "By how much this machine's clock is at least ahead of that of the journal's broker; below 0: behind. If one process differs, its machine is off; if all do, the broker is. Absent until this process has appended.",
			func(s *state) (float64, bool) { return s.ClockAhead.Seconds(), s.ClockKnown }),
		byReason("unecho_journal_stray_records_total", "Records read from the journal that are none of this group's, by reason. They change nothing. It should be 0: somebody else writes to the topic, or (damaged) a member's memory is bad.",
			journal.Reasons(), func(s *state) map[journal.Reason]uint64 { return s.Strays }),
		gauge("unecho_replica_confirmed_offset", "Journal offset up to which a checkpoint, a member's own too, has last confirmed this replica. It rises with each snapshot; if it stands while unecho_snapshot_offset rises, replicas are not compared. Absent until there is one.",
			func(s *state) (float64, bool) {
				return float64(s.Index.Confirmed), restored(s) && s.Index.Confirmed >= 0
			}),
		gauge("unecho_replica_confirmed_timestamp_seconds", "When the checkpoint of unecho_replica_confirmed_offset was appended to the journal. Members take turns: alert on the newest of all. Absent until there is one.",
			func(s *state) (float64, bool) { return seconds(s.ConfirmedTime), s.ConfirmedTime > 0 }),
		counter("unecho_replica_withdrawals_total", "Times this process left its group because its replica lagged by more than 30 s. When it rises, this machine or its way to the journal is too slow.",
			func(s *state) uint64 { return s.Withdrawals }),
		counter("unecho_replica_divergences_total", "Times this replica differed from another member's and was restored. It should be 0: the log says who was wrong.",
			func(s *state) uint64 { return s.Divergences }),
		counter("unecho_replica_accusations_total", "Times another member differed from this replica, was found wrong and told to stop.",
			func(s *state) uint64 { return s.Accusations }),
	}
}

func windowMetrics() []metric {
	ofReplica := func(value func(*state) float64) func(*state) (float64, bool) {
		return func(s *state) (float64, bool) { return value(s), restored(s) }
	}
	return []metric{
		gauge("unecho_window_documents", "Documents in the window. Copies of other documents are not found.",
			ofReplica(func(s *state) float64 { return float64(s.Index.Documents) })),
		gauge("unecho_window_bytes", "Bytes of the window, as duplicates.remember.memory counts them. At that bound the oldest documents go before duplicates.remember.age.",
			ofReplica(func(s *state) float64 { return float64(s.Index.WindowBytes) })),
		gauge("unecho_window_age_seconds", "How far the window reaches back in stream time. Much below duplicates.remember.age on a full window: raise duplicates.remember.memory or duplicates.remember.documents.",
			ofReplica(func(s *state) float64 { return s.Index.Age().Seconds() })),
		gauge("unecho_window_oldest_timestamp_seconds", "When the oldest document of the window was applied, in stream time. Absent while the window is empty.",
			func(s *state) (float64, bool) {
				return seconds(s.Index.OldestApplied), restored(s) && s.Index.Documents > 0
			}),
		gauge("unecho_window_limit_documents", "The bound duplicates.remember.documents. Absent without such a bound.",
			func(s *state) (float64, bool) { return float64(s.Bounds.Documents), s.Bounds.Documents > 0 }),
		gauge("unecho_window_limit_bytes", "The bound duplicates.remember.memory. Absent without such a bound.",
			func(s *state) (float64, bool) { return float64(s.Bounds.Bytes), s.Bounds.Bytes > 0 }),
		gauge("unecho_window_limit_age_seconds", "The bound duplicates.remember.age. Absent without such a bound.",
			func(s *state) (float64, bool) { return s.Bounds.Age.Seconds(), s.Bounds.Age > 0 }),
		counter("unecho_window_candidates_total", "Documents that others were compared with. Many per document cost time: a low duplicates.threshold, or popular phrases.",
			func(s *state) uint64 { return s.Index.Candidates }),
		counter("unecho_window_dropped_total", "Documents met under a common key, and not compared because their digests ruled them out. They cost some 10 to 100 ns each.",
			func(s *state) uint64 { return s.Index.Dropped }),
		counter("unecho_window_work_steps_total", "Steps spent on comparing documents. Some 10 ns each, on every member.",
			func(s *state) uint64 { return s.Index.Work }),
		counter("unecho_window_cut_total", "Keys of which not all documents were looked at, but the newest 1,024. It rises where documents have most of their text in common.",
			func(s *state) uint64 { return s.Index.Full }),
		counter("unecho_window_unverified_total", "Candidates left out, the least promising ones, for duplicates.max_candidates or the cost of comparing.",
			func(s *state) uint64 { return s.Index.Unverified }),
		counter("unecho_window_unique_cut_total", "Unique documents that may be copies, because something was left out; their records say so (unecho-cut).",
			func(s *state) uint64 { return s.Index.UniqueCut }),
		counter("unecho_window_doubtful_total", "Duplicates by verify: estimate that are as near to the threshold as an estimate may be off. Where most are, as among lines of one template, many are no copies: use verify: jaccard.",
			func(s *state) uint64 { return s.Index.Doubtful }),
		counter("unecho_window_moved_entries_total", "Entries of buckets moved because tables grew or shrank, a few for each document.",
			func(s *state) uint64 { return s.Index.Moved }),
		gauge("unecho_window_moved_entries_max", "The most entries that were moved for one document.",
			ofReplica(func(s *state) float64 { return float64(s.Index.MostMoved) })),
		gauge("unecho_window_memory_bytes", "Memory that the window and its buckets take. Compare it with duplicates.remember.memory.",
			ofReplica(func(s *state) float64 { return float64(s.Index.Memory) })),
		gauge("unecho_held_verdicts", "Documents judged and not known to be committed. It should follow the batches in flight; if it only rises, a member does not commit.",
			ofReplica(func(s *state) float64 { return float64(s.Index.Held) })),
		gauge("unecho_remembered_requests", "Documents remembered by their idempotency keys (duplicates.remember.keys). At a million the oldest are forgotten early.",
			ofReplica(func(s *state) float64 { return float64(s.Index.Requests) })),
	}
}

func snapshotMetrics() []metric {
	return []metric{
		gauge("unecho_snapshot_offset", "Journal offset of the newest snapshot this process wrote or restored. A restart replays the journal from there to unecho_journal_next_offset. Absent until there is one.",
			func(s *state) (float64, bool) { return float64(s.SnapshotNext), s.SnapshotNext >= 0 }),
		gauge("unecho_snapshot_timestamp_seconds", "When the snapshot of unecho_snapshot_offset was taken. Members take turns: alert on the newest of all. Absent until there is one.",
			func(s *state) (float64, bool) { return seconds(s.SnapshotTime), s.SnapshotTime > 0 }),
		counter("unecho_snapshot_errors_total", "Snapshots that failed. The stream goes on, but the journal is not trimmed and restarts take longer: look at the store.",
			func(s *state) uint64 { return s.SnapshotErrs }),
		counter("unecho_journal_trim_errors_total", "How often the journal could not be trimmed behind a snapshot that was taken. It grows meanwhile: the log says why, often the right Delete on it is missing.",
			func(s *state) uint64 { return s.TrimErrs }),
	}
}

func processMetrics() []metric {
	return []metric{
		gauge("unecho_ready", "1 when this process would forward a document that came now, as /ready says. At 0 for long, /ready says why.",
			func(s *state) (float64, bool) {
				if s.ready {
					return 1, true
				}
				return 0, true
			}),
		gauge("unecho_ops_certificate_left_ratio", "Part of the life of the certificate of http.listen that is left: 0 when it is not valid. Below 0.1: renew it. Absent where http.listen speaks no TLS.",
			func(s *state) (float64, bool) {
				if s.certificate == nil {
					return 0, false
				}
				return s.certificate.left(time.Now()), true
			}),
		{
			name: "unecho_build_info", kind: prometheus.GaugeValue, labels: []string{"version"},
			help:   "Always 1; its label is the version. Several for long: a rollout is stuck.",
			values: func(s *state, emit emitter) { emit(1, s.version) },
		},
	}
}

func restored(s *state) bool { return s.JournalNext >= 0 }

func seconds(ms int64) float64 { return float64(ms) / 1000 }

// ofBlocks is a gauge of the blocks that find old documents.
func ofBlocks(name, help string, value func(*window.BlockStats) float64) metric {
	return gauge(name, help, func(s *state) (float64, bool) { return value(&s.Index.Blocks), restored(s) })
}

// fileMetrics are about old documents in files. All are 0 where there is no duplicates.remember.directory.
func fileMetrics() []metric {
	return []metric{
		gauge("unecho_files_documents", "Documents whose records lie in files (duplicates.remember.directory), not in memory.",
			func(s *state) (float64, bool) { return float64(s.Index.Filed), restored(s) }),
		gauge("unecho_files_bytes", "Bytes of the files in which old documents lie.",
			func(s *state) (float64, bool) { return float64(s.Index.FileBytes), restored(s) }),
		ofBlocks("unecho_files_blocks", "Blocks that find old documents. A lookup that finds nothing asks each of them.",
			func(b *window.BlockStats) float64 { return float64(b.Count) }),
		ofBlocks("unecho_files_block_documents", "Documents that blocks find. Tables in memory find the others.",
			func(b *window.BlockStats) float64 { return float64(b.Documents) }),
		ofBlocks("unecho_files_block_bytes", "Bytes of the blocks' files, part of unecho_files_bytes.",
			func(b *window.BlockStats) float64 { return float64(b.Bytes) }),
		ofBlocks("unecho_files_block_memory_bytes", "Memory that blocks take, part of unecho_window_memory_bytes.",
			func(b *window.BlockStats) float64 { return float64(b.Memory) }),
		ofBlocks("unecho_files_uncovered_segments", "Sealed segments that no block finds yet. Usual are 8 to 24; beyond 160 judging waits, because the disk is too slow.",
			func(b *window.BlockStats) float64 { return float64(b.Uncovered) }),
		counter("unecho_files_reads_total", "Reads of old documents from files. Per document judged it is what the disk must carry.",
			func(s *state) uint64 { return s.FileReads }),
		counter("unecho_files_late_reads_total", "Reads for which judging waited, because nothing had read them ahead. Many are usual only where documents have boilerplate.",
			func(s *state) uint64 { return s.FileLate }),
		counter("unecho_files_read_bytes_total", "Bytes of those reads.",
			func(s *state) uint64 { return s.FileReadBytes }),
		{
			name: "unecho_files_wait_seconds_total", kind: prometheus.CounterValue,
			help:   "Time that judging only waited for files to be read, healed or written. Near 1 a second: the disk is the bottleneck.",
			values: func(s *state, emit emitter) { emit(s.FileWait.Seconds()) },
		},
		counter("unecho_files_errors_total", "Files that were unreadable, damaged, or not written. It should be 0: /ready and the log name file and cause.",
			func(s *state) uint64 { return s.FileErrs }),
	}
}
