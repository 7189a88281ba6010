package ops

import "github.com/prometheus/client_golang/prometheus"

// fileMetrics are about old documents in files. All are 0 where there is no duplicates.remember.directory.
func fileMetrics() []metric {
	return []metric{
		gauge("unecho_files_documents", "Documents of the window whose records lie in files (duplicates.remember.directory), and not in memory.",
			func(s *state) (float64, bool) { return float64(s.Index.Filed), restored(s) }),
		gauge("unecho_files_bytes", "Bytes of the files in which old documents lie.",
			func(s *state) (float64, bool) { return float64(s.Index.FileBytes), restored(s) }),
		counter("unecho_files_reads_total", "Reads of old documents from files. Per document judged it is what the disk must carry.",
			func(s *state) uint64 { return s.FileReads }),
		counter("unecho_files_read_bytes_total", "Bytes of those reads.",
			func(s *state) uint64 { return s.FileReadBytes }),
		{
			name: "unecho_files_wait_seconds_total", kind: prometheus.CounterValue,
			help:   "Time for which judging waited for files to be read, healed or written. Near 1 a second: the disk is the bottleneck.",
			values: func(s *state, emit emitter) { emit(s.FileWait.Seconds()) },
		},
		counter("unecho_files_errors_total", "Files with old documents that were unreadable, damaged, or not written. It should be 0: /ready and the log name file and cause.",
			func(s *state) uint64 { return s.FileErrs }),
	}
}
