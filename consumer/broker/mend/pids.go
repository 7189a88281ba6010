package mend

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"slices"
)

// pidEntry is one entry of pids.log, of which the last of a producer holds:
//
//	┌────────┬────────┬─────────┬──────┐
//	│ length │ crc32c │ version │ JSON │   length and crc cover version and JSON
//	│ 4      │ 4      │ 2       │      │
//	└────────┴────────┴─────────┴──────┘
type pidEntry struct {
	Type  string `json:"type"`
	PID   int64  `json:"pid"`
	Epoch int16  `json:"epoch"`
	TxID  string `json:"txid,omitempty"`
}

const (
	pidHeader  = 10
	pidVersion = 1
)

// fence raises the epoch of every transactional producer, and cuts off what the last write left of an entry.
func fence(path string) (int, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the user names the directory
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	epochs, named, whole := readPIDs(raw)
	if whole < len(raw) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return 0, err
		}
	}
	var out []byte
	fenced := 0
	for _, pid := range slices.Sorted(maps.Keys(named)) {
		if epochs[pid] >= math.MaxInt16-1 {
			continue // the broker gives this producer another number at its next start
		}
		if out, err = appendPID(out, pidEntry{Type: "timeout", PID: pid, Epoch: epochs[pid] + 1}); err != nil {
			return 0, err
		}
		fenced++
	}
	if fenced == 0 {
		return 0, nil
	}
	return fenced, appendFile(path, out)
}

// readPIDs returns each producer's epoch, which have a transactional id, and how many bytes are whole entries.
func readPIDs(raw []byte) (epochs map[int64]int16, named map[int64]bool, whole int) {
	epochs, named = make(map[int64]int16), make(map[int64]bool)
	for {
		rest := raw[whole:]
		if len(rest) < pidHeader {
			return epochs, named, whole
		}
		n := int(binary.LittleEndian.Uint32(rest))
		if n < 2 || n > len(rest)-8 || binary.LittleEndian.Uint32(rest[4:]) != crc32.Checksum(rest[8:8+n], castagnoli()) {
			return epochs, named, whole
		}
		var e pidEntry
		if json.Unmarshal(rest[pidHeader:8+n], &e) == nil {
			epochs[e.PID] = e.Epoch
			named[e.PID] = named[e.PID] || e.TxID != ""
		}
		whole += 8 + n
	}
}

func appendPID(to []byte, e pidEntry) ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	body := append(binary.LittleEndian.AppendUint16(nil, pidVersion), text...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(body))) //nolint:gosec // some fifty bytes
	to = binary.LittleEndian.AppendUint32(to, crc32.Checksum(body, castagnoli()))
	return append(to, body...), nil
}
