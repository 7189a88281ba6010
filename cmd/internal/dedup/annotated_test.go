package dedup_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/cmd/internal/dedup"
)

// run runs the verb.
func run(t *testing.T, args ...string) error {
	t.Helper()
	cmd := dedup.Command("test")
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	return cmd.ExecuteContext(t.Context())
}

func tableOf[T any](t *testing.T, path string, rows ...T) {
	t.Helper()
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
}

// TestAnnotatedDamaged: a file that is damaged behind its first rows has these, and no row for what is wrong.
func TestAnnotatedDamaged(t *testing.T) {
	type text struct {
		Text string `parquet:"text"`
	}
	var rows []text
	for i := range 100 {
		rows = append(rows, text{strings.Repeat(fmt.Sprint("text ", i, " "), 50)})
	}
	var table bytes.Buffer
	if err := parquet.Write(&table, rows, parquet.MaxRowsPerRowGroup(50)); err != nil {
		t.Fatal(err)
	}
	copy(table.Bytes()[table.Len()*4/10:], bytes.Repeat([]byte{0xff}, table.Len()/5)) // where the second half begins
	dir := t.TempDir()
	path, annotated, rejected := filepath.Join(dir, "t.parquet"), filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(path, table.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t, "--annotated", annotated, "--rejected", rejected, path); err != nil {
		t.Fatal(err)
	}
	got, faults := rowsOf(t, annotated), rowsOf(t, rejected)
	if len(got) < 50 || strings.Contains(strings.Join(got, "\n"), "unreadable") {
		t.Errorf("%d rows, the last is %s; want 50 or more, and none that is unreadable", len(got), got[len(got)-1])
	}
	if len(faults) != 1 || !strings.Contains(faults[0], "unreadable") || !strings.Contains(faults[0], "row") {
		t.Errorf("%q are rejected; want the file, at a row", faults)
	}
}

// TestIDsOfBothLists: a file without ids leaves those of the others integers, in whichever list it is.
func TestIDsOfBothLists(t *testing.T) {
	type text struct {
		Text string `parquet:"text"`
	}
	type numbered struct {
		ID   int64  `parquet:"id"`
		Text string `parquet:"text"`
	}
	dir := t.TempDir()
	none, numbers, clusters := filepath.Join(dir, "none.parquet"), filepath.Join(dir, "n.parquet"), filepath.Join(dir, "c.parquet")
	tableOf(t, none, text{"one of some texts"})
	tableOf(t, numbers, numbered{7, "another text of them"})
	for _, lists := range [][2]string{{none, numbers}, {numbers, none}} {
		if err := run(t, "--index", lists[0], "--query", lists[1], "--clusters", clusters); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.ReadFile[struct {
			ID *int64 `parquet:"id"`
		}](clusters)
		if err != nil || len(got) != 1 || lists[1] == numbers && (got[0].ID == nil || *got[0].ID != 7) {
			t.Errorf("--index %s --query %s: the clusters read as %v, error %v; want ids that are integers", lists[0], lists[1], got, err)
		}
	}
}

// TestAnnotatedNames: a column that differs from one of --annotated in case only is refused.
func TestAnnotatedNames(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "out.parquet")
	tableOf(t, path, struct {
		File string `parquet:"Unecho_File"`
		Text string `parquet:"text"`
	}{"a", "one of some texts"})
	if err := run(t, "--annotated", out, path); err == nil || !strings.Contains(err.Error(), "have a column Unecho_File") {
		t.Errorf("rows with a column Unecho_File are annotated with %v; want an error that names it", err)
	}
}
