package ops

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/unecho/unecho/index/window"
)

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
