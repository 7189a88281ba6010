package journal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
)

var update = flag.Bool("update", false, "add the records that the golden journal does not have yet")

// goldenDir holds records of each format that is read: for each the type and its bytes. What is there is never written
// again; -update appends those that are new in records.
const goldenDir = "testdata"

// TestGoldenRecords: what was written is read, and means the same.
func TestGoldenRecords(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	files, err := filepath.Glob(filepath.Join(goldenDir, "records-*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no golden records: %v", err)
	}
	for _, file := range files {
		seen, every := map[string]int{}, map[byte]bool{}
		for _, line := range readGolden(t, file) {
			name, value, _ := strings.Cut(line, " ")
			bytesOf, err := hex.DecodeString(value)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(bytesOf)
			if err != nil {
				t.Errorf("%s: Decode of the record %s returns error %v", file, name, err)
				continue
			}
			every[bytesOf[frameBytes]] = true
			want := ofType(name)[seen[name]]
			seen[name]++
			if !bytes.Equal(Append(nil, got), Append(nil, want)) {
				t.Errorf("%s: %s is read as %+v, want %+v", file, name, got, want)
			}
		}
		if len(every) != kinds {
			t.Errorf("%s has records of %d kinds, and there are %d", file, len(every), kinds)
		}
		for _, rec := range records() {
			if name := typeName(rec); seen[name] != len(ofType(name)) {
				t.Errorf("%s has %d records of %s, want %d: go test ./consumer/journal -run Golden -update adds them", file,
					seen[name], name, len(ofType(name)))
			}
		}
	}
}

func readGolden(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func typeName(rec index.Record) string { return strings.TrimPrefix(fmt.Sprintf("%T", rec), "*index.") }

func ofType(name string) (all []index.Record) {
	for _, rec := range records() {
		if typeName(rec) == name {
			all = append(all, rec)
		}
	}
	return all
}

// writeGolden adds the types of records that the file of the present format lacks.
func writeGolden(t *testing.T) {
	t.Helper()
	file := filepath.Join(goldenDir, fmt.Sprintf("records-%d.txt", version))
	there := strings.Join(readGolden(t, file), "\n")
	for _, rec := range records() {
		name := typeName(rec)
		for _, missing := range ofType(name)[strings.Count("\n"+there, "\n"+name+" "):] {
			there += "\n" + name + " " + hex.EncodeToString(Append(nil, missing))
		}
	}
	err := os.MkdirAll(goldenDir, 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.TrimSpace(there)+"\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
