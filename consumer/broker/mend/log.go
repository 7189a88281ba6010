package mend

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// Files of the broker's data directory.
const (
	logName     = "unecho.ending" // ours
	pidsName    = "pids.log"
	groupsName  = "groups.log"
	sessionName = "session_state.json"
	partsName   = "partitions"
)

const (
	magic      = "unecho01"
	noteLength = 52
)

// note is what is known before a commit begins.
type note struct {
	producer int64
	epoch    int16
	pids     int64 // length of pids.log: it grows when the commit is complete, and not before
	groups   int64 // length of groups.log: what lies beyond is of this commit, until it is complete
	time     int64 // ms since 1970
}

func (n note) append(b []byte) []byte {
	b = append(b, magic...)
	for _, v := range []int64{n.producer, int64(n.epoch), n.pids, n.groups, n.time} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v)) //nolint:gosec // bits
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

// parseNote finds none in a file that holds none, or part of one.
func parseNote(b []byte) (note, bool) {
	if len(b) != noteLength || string(b[:8]) != magic ||
		binary.LittleEndian.Uint32(b[48:]) != crc32.Checksum(b[:48], castagnoli()) {
		return note{}, false
	}
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[i:])) } //nolint:gosec // bits
	return note{producer: at(8), epoch: int16(at(16)), pids: at(24), groups: at(32), time: at(40)}, true
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Log notes commits. Its file stands as long as the broker runs.
type Log struct {
	dir  string
	file *os.File
	sync bool
}

// Open begins a Log for the broker's data directory, after Mend and before the broker starts. With sync, each note waits
// for the disk.
func Open(dir string, sync bool) (*Log, error) {
	f, err := os.OpenFile(filepath.Join(dir, logName), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // the user names the directory
	if err != nil {
		return nil, fmt.Errorf("open log of commits: %w", err)
	}
	return &Log{dir: dir, file: f, sync: sync}, nil
}

// Note must return before the broker begins with the commit. It is called for one commit after the other.
func (l *Log) Note(producer int64, epoch int16, now int64) error {
	n := note{producer: producer, epoch: epoch, time: now}
	var err error
	if n.pids, err = length(filepath.Join(l.dir, pidsName)); err == nil {
		n.groups, err = length(filepath.Join(l.dir, groupsName))
	}
	if err != nil {
		return fmt.Errorf("note commit: %w", err)
	}
	if _, err := l.file.WriteAt(n.append(make([]byte, 0, noteLength)), 0); err != nil {
		return fmt.Errorf("note commit: %w", err)
	}
	if l.sync {
		if err := l.file.Sync(); err != nil {
			return fmt.Errorf("note commit: %w", err)
		}
	}
	return nil
}

// Close removes the file, for the broker was closed: there is nothing to mend. Call it when its data is on disk.
func (l *Log) Close() error {
	if err := errors.Join(l.file.Close(), os.Remove(filepath.Join(l.dir, logName))); err != nil {
		return fmt.Errorf("close log of commits: %w", err)
	}
	return nil
}

func length(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
