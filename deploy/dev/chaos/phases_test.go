//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPhases(t *testing.T) {
	log := filepath.Join(t.TempDir(), "member.log")
	check(t, os.WriteFile(log, []byte(`{"message":"ready","connect_ms":900,"took_ms":900}
{"message":"reading begins","join_ms":9,"took_ms":9}
panic: of the life before
{"level":"info","message":"ready","connect_ms":20,"name_ms":0,"fence_ms":5,"took_ms":25}
{"message":"partition assigned","offset":7}
{"message":"reading begins","join_ms":30,"settle_ms":4,"took_ms":34}
{"message":"reading begins","client_ms":6,"took_ms":6}
`), 0o600))
	got, err := phases(log)
	check(t, err)
	if want := "ready after 25 ms (connect 20, fence 5); reads after 34 ms (join 30, settle 4); reads after 6 ms " +
		"(client 6)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
