package localdir

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// holdEnv names a directory. With it set, this binary, run as another process, holds a lease there until it is killed.
const holdEnv = "UNECHO_LOCALDIR_HOLD"

func holdForever() {
	ctx := context.Background()
	s, err := params(os.Getenv(holdEnv)).open(ctx, "orders")
	if err != nil {
		panic(err)
	}
	l, leaseErr := s.Lease(ctx, "slot-0")
	f, tempErr := s.dir.temp()
	fmt.Println("held:", errors.Join(leaseErr, tempErr))
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test goes away
	runtime.KeepAlive(l)
	runtime.KeepAlive(f)
	os.Exit(0)
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), holdEnv+"="+dir)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "held: <nil>\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	s := openAt(t, dir, "orders")
	_, err = s.Lease(t.Context(), "slot-0")
	if !errors.Is(err, snapshot.ErrLeased) || !strings.Contains(err.Error(), fmt.Sprint("pid ", child.Process.Pid)) {
		t.Fatalf("got %v, want its pid %d", err, child.Process.Pid)
	}
	if n := temps(t, s); n != 1 {
		t.Fatalf("opening removed the file of a living writer: %d left", n)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed, and says so
	l, err := s.Lease(t.Context(), "slot-0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	openAt(t, dir, "orders")
	if n := temps(t, s); n != 0 {
		t.Fatalf("%d files of a dead writer are left", n)
	}
}

func TestLeaseLost(t *testing.T) {
	s := openAt(t, t.TempDir(), "orders")
	s.watch = time.Millisecond
	for name, meddle := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := s.Lease(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if err := meddle(s.dir.leasePath(name)); err != nil {
				t.Fatal(err)
			}
			<-l.Lost()
			if err := l.Release(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCleanersSpareTheLiving: others open the same directory while a file is new and, for a moment, not locked.
func TestCleanersSpareTheLiving(t *testing.T) {
	s := openAt(t, t.TempDir(), "orders")
	done := make(chan struct{})
	var cleaners sync.WaitGroup
	for range 2 {
		cleaners.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := s.dir.cleanTemp(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	defer cleaners.Wait()
	defer close(done)
	for range 1000 {
		f, err := s.dir.temp()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.dir.cleanTemp(), os.Rename(f.Name(), s.dir.root+"/written"), f.Close()); err != nil {
			t.Fatalf("a living writer lost its file: %v", err)
		}
	}
}

func temps(t *testing.T, s *Store) int {
	t.Helper()
	files, err := os.ReadDir(s.dir.root + "/" + tmpDir)
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
