package outfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type line struct {
	ID string `json:"id" parquet:"id"`
}

// TestOutputs: files keep what they held until Begin; then they have what was written, in their kind, when they are ended.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	var stdout bytes.Buffer
	paths := map[string]string{"a": "-", "b": filepath.Join(dir, "b.parquet"), "c": filepath.Join(dir, "c.gz"), "d": filepath.Join(dir, "d")}
	if err := os.WriteFile(paths["b"], []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := NewOutputs(&stdout)
	all := map[string]*Records[line]{}
	for _, name := range []string{"a", "b", "c", "d", "none"} {
		all[name] = OpenRecords[line](o, name, paths[name])
	}
	if err := o.Opened(); err != nil {
		t.Fatal(err)
	}
	if all["none"] != nil || len(o.Named()) != 4 || o.OnTerminal() {
		t.Errorf("%v of %v", all["none"], o.Named())
	}
	if f, err := o.Open("e", "-"), o.Opened(); f != nil || err == nil || err.Error() != "--a and --e cannot both go to standard output" {
		t.Error(err)
	}
	if data, err := os.ReadFile(paths["b"]); string(data) != "old" || err != nil {
		t.Errorf("before Begin, the file of b reads %q, error %v; want old and no error", data, err)
	}
	if err := errors.Join(o.Begin(), o.Begin()); err != nil || !o.Begun() {
		t.Fatal(err)
	}
	for name, r := range all {
		if err := errors.Join(r.JSON(&line{name}), r.TSV(&line{"x"}, "x\ty", "z")); err != nil {
			t.Fatal(err)
		}
	}
	told := errors.New("what ended the run")
	if err := o.End(told); !errors.Is(err, told) || err.Error() != told.Error() {
		t.Error(err)
	}
	if err := errors.Join(o.End(nil), o.Close()); err != nil {
		t.Error(err)
	}
	want := "{\"id\":\"d\"}\nx\\ty\tz\n"
	if data, err := os.ReadFile(paths["d"]); string(data) != want || err != nil {
		t.Errorf("the file of d reads %q, error %v; want %q and no error", data, err, want)
	}
	if stdout.String() != strings.Replace(want, `"d"`, `"a"`, 1) {
		t.Errorf("standard output gets %q; want the two lines of a, like %q of d", stdout.String(), want)
	}
	data, err := os.ReadFile(paths["b"])
	if err != nil || !bytes.HasPrefix(data, []byte("PAR1")) || !bytes.HasSuffix(data, []byte("PAR1")) {
		t.Errorf("the file of b reads %q, error %v; want a Parquet file, from PAR1 to PAR1, and no error", data, err)
	}
	if info, err := os.Stat(paths["b"]); err != nil || !o.Writes(info) {
		t.Errorf("it is no output: %v", err)
	}
}

// TestOutputsThatNeverBegin leave what was there.
func TestOutputsThatNeverBegin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.parquet")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := NewOutputs(nil)
	OpenRecords[line](o, "b", path)
	if err := errors.Join(o.Opened(), o.End(nil), o.Close()); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); string(data) != "old" || err != nil {
		t.Errorf("the file of an output that never begins reads %q, error %v; want old and no error", data, err)
	}
	if _, err := Open(path+".zst", nil); err == nil || !strings.Contains(err.Error(), "name it .parquet") {
		t.Error(err)
	}
}

// What is written as a column is read as it was.
func FuzzColumns(f *testing.F) {
	for _, id := range []string{"", "a", "a b", "\t\n\r\\", `\n`, `\\t`, "\\\n\\", `C:\dir`, "\xff\\"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		line := string(AppendTSV(nil, id, "x"))
		left, right, _ := strings.Cut(line, "\t")
		if right != "x\n" || UnescapeTSV(left) != id {
			t.Errorf("%q is written %q and read %q", id, line, UnescapeTSV(left))
		}
	})
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.txt": "a/b.txt", `c:\d`: `c:\d`, "caf\xe9.txt": `caf\xe9.txt`, "caf\u00e9": "caf\u00e9", "\\\xff\u00e9": `\\\xff` + "\u00e9",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
