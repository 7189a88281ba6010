package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/rogpeppe/go-internal/testscript"
)

// stores is `stores`: bucket.yaml names a bucket for the rest of the script, of the server in UNECHO_TEST_S3 or of one in this
// process; and on the condition [postgres] database.yaml names a schema of that server.
func stores(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: stores")
	}
	server := &url.URL{Host: "", User: url.UserPassword("someone", "hush-hush")}
	if address := os.Getenv("UNECHO_TEST_S3"); address != "" {
		var err error
		server, err = url.Parse(address)
		ts.Check(err)
	} else {
		fake := httptest.NewServer(gofakes3.New(s3mem.New(), gofakes3.WithoutVersioning()).Server())
		ts.Defer(fake.Close)
		server.Host = strings.TrimPrefix(fake.URL, "http://")
	}
	name := "script-" + strings.ToLower(rand.Text())
	password, _ := server.User.Password()
	client, err := minio.New(server.Host, &minio.Options{Creds: credentials.NewStaticV4(server.User.Username(), password, ""), Region: "us-east-1"})
	ts.Check(err)
	ts.Check(client.MakeBucket(context.Background(), name, minio.MakeBucketOptions{}))
	ts.Setenv("AWS_ACCESS_KEY_ID", server.User.Username())
	ts.Setenv("AWS_SECRET_ACCESS_KEY", password)
	service(ts, "bucket.yaml", fmt.Sprintf("s3: {bucket: %s, prefix: a/b, endpoint: 'http://%s', region: us-east-1}", name, server.Host))
	if database := os.Getenv("UNECHO_TEST_POSTGRES"); database != "" {
		schema := strings.ReplaceAll(name, "-", "_")
		service(ts, "database.yaml", fmt.Sprintf("postgres: {url: '%s', schema: %s}", database, schema))
		ts.Defer(func() {
			conn, err := pgx.Connect(context.Background(), database)
			ts.Check(err)
			_, err = conn.Exec(context.Background(), "drop schema if exists "+schema+" cascade")
			ts.Check(err)
			ts.Check(conn.Close(context.Background()))
		})
	}
}

// service writes the configuration of the service of unecho.yaml with another store.
func service(ts *testscript.TestScript, file, store string) {
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte("group: unecho\nsnapshots: {"+store+"}\n"), 0o600))
}

// condition holds for postgres where there is a server.
func condition(name string) (bool, error) {
	if name != "postgres" {
		return false, fmt.Errorf("no condition %s", name)
	}
	return os.Getenv("UNECHO_TEST_POSTGRES") != "", nil
}
