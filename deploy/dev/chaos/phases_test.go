//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPhases(t *testing.T) {
	log := filepath.Join(t.TempDir(), "member.log")
	check(t, os.WriteFile(log, []byte(`{"message":"ready","connect":900,"took":900}
{"message":"reading begins","join":9,"took":9}
panic: of the life before
{"level":"info","message":"ready","connect":20,"name":0,"fence":5,"took":25}
{"message":"partition assigned","offset":7}
{"message":"reading begins","join":30,"settle":4,"took":34}
{"message":"reading begins","client":6,"took":6}
`), 0o600))
	got, err := phases(log)
	check(t, err)
	if want := "ready after 25 ms (connect 20, fence 5); reads after 34 ms (join 30, settle 4); reads after 6 ms (client 6)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
