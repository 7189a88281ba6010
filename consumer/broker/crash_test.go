package broker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
)

// crashDir, in the environment, makes this test binary the process that is killed.
const crashDir = "UNECHO_TEST_CRASH_DIR"

// crashMain runs an embedded broker until it is killed. It prints a line when the broker listens.
func crashMain(dir string) {
	e, err := StartEmbedded(context.Background(), EmbeddedParams{Dir: dir, Listen: "127.0.0.1:0"}, zerolog.Nop())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(e.Addr())
	select {}
}

// The data of a broker that was killed are refused, again and again, and stay as they are. The remedy helps: after the
// data are set aside, a broker begins anew in the same directory.
func TestEmbeddedKilledIsNotUsedAgain(t *testing.T) {
	dir := t.TempDir()
	e := embedded(t, EmbeddedParams{Dir: dir})
	if _, err := NewTopics(client(t, params(e.Addr())), zerolog.Nop()).create(deadline(t), "t", 1, -1, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	killed(t, dir)
	data := filepath.Join(dir, dataDir)
	before := contents(t, data)
	for range 2 {
		f := refused(t, dir)
		for _, want := range []string{"was not closed", data} {
			if !strings.Contains(f.What, want) {
				t.Errorf("want %q in %q", want, f.What)
			}
		}
		if want := "mv " + data + " " + data + ".killed"; !strings.Contains(f.Remedy, want) {
			t.Errorf("want %q in %q", want, f.Remedy)
		}
	}
	if after := contents(t, data); after != before {
		t.Errorf("the data were\n%s\nand are\n%s", before, after)
	}

	if err := os.Rename(data, data+".killed"); err != nil {
		t.Fatal(err)
	}
	anew := embedded(t, EmbeddedParams{Dir: dir})
	topics, err := kadm.NewClient(client(t, params(anew.Addr()))).ListTopics(deadline(t))
	if err != nil || len(topics) != 0 {
		t.Errorf("begun anew there are %v, %v", topics.Names(), err)
	}
}

// killed starts a broker in another process and kills the process when the broker listens.
func killed(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), crashDir+"="+dir), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	_ = cmd.Process.Kill()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the broker was not killed, it ended: %v", err)
	}
}

// refused returns the fault with which no broker starts in the directory.
func refused(t *testing.T, dir string) *Fault {
	t.Helper()
	e, err := StartEmbedded(t.Context(), EmbeddedParams{Dir: dir, Listen: "127.0.0.1:0"}, zerolog.Nop())
	if err == nil {
		_ = e.Close()
		t.Fatal("a broker starts on data that are not whole")
	}
	var f *Fault
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want a fault", err)
	}
	return f
}

// contents has a line for each file, with its name and length.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
