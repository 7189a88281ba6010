package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kfake"
)

// TestMain makes `exec unecho` in a script run the real main of this test binary.
func TestMain(m *testing.M) {
	testscript.Main(tidied{m}, map[string]func(){"unecho": main})
}

// TestScript runs each file in testdata/script as a session at a terminal.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCode, "until": until, "kafka": kafka, "harm": harm, "trim": trim, "hang": hang,
			"stores": stores,
		},
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			tables, err := filepath.Abs("../internal/corpus/columnar/testdata")
			pod, err2 := filepath.Abs("../../deploy/move/pod.yaml")
			env.Vars = append(env.Vars, noRaceNap, "TABLES="+tables, "POD="+pod)
			return errors.Join(err, err2)
		},
	})
}

// noRaceNap spares the second that the race detector sleeps at the end of each process, in case goroutines race there.
const noRaceNap = "GORACE=atexit_sleep_ms=0"

// exitCode is `exitcode N command arg...`: the command ends with code N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N command arg...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	code := 0
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// kafka is `kafka`: a broker for the rest of the script, with a topic documents. Its address is in $KAFKA, and unecho.yaml is
// the configuration of a service there.
func kafka(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: kafka")
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "documents"))
	ts.Check(err)
	ts.Defer(cluster.Close)
	address := cluster.ListenAddrs()[0]
	ts.Setenv("KAFKA", address)
	ts.Check(os.WriteFile(ts.MkAbs("unecho.yaml"), []byte("kafka: {brokers: ["+address+"]}\ngroup: unecho\n"+
		"sources: [{topics: [documents]}]\nsnapshots: {directory: {path: data/snapshots}}\nhttp: {listen: ''}\n"), 0o600))
}

// until is `until command arg...`: the command, tried again and again, ends well before the tests' patience does.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: until command arg...")
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for ts.Exec(args[0], args[1:]...) != nil {
		select {
		case <-tick.C:
		case <-timeout.C:
			ts.Fatalf("in vain")
		}
	}
}
