package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user of the image: without a name, and the one that distroless images call nonroot.
const nobody = 65532

// imageOf builds the binary for an architecture, and puts around it what it needs.
func imageOf(ctx context.Context, source, arch string) (v1.Image, error) {
	binary, version, settings, err := compile(ctx, source, arch)
	if err != nil {
		return nil, err
	}
	// The time of the commit, so that building it again gives the same bytes.
	made, err := time.Parse(time.RFC3339, settings["vcs.time"])
	if err != nil {
		made = time.Unix(0, 0).UTC()
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	// What seldom changes lies below, so that a new version transfers the binary only.
	for _, files := range [][]file{around(), {{name: "unecho", mode: 0o755, data: binary}}} {
		layer, err := layerOf(files, made)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: made}
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", nobody, nobody),
		WorkingDir:   "/",
		Entrypoint:   []string{"/unecho"},
		Cmd:          []string{"run", "--config", "/etc/unecho/unecho.yaml"},
		ExposedPorts: map[string]struct{}{"9464/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "unecho",
			"org.opencontainers.image.description": "Filters near-duplicates out of a Kafka topic, exactly once",
			"org.opencontainers.image.source":      "https://github.com/unecho/unecho",
			"org.opencontainers.image.version":     version,
			"org.opencontainers.image.revision":    settings["vcs.revision"],
			"org.opencontainers.image.created":     made.Format(time.RFC3339),
		},
	}
	return mutate.ConfigFile(image, config)
}

// compile returns the binary, and what it knows of itself.
func compile(ctx context.Context, source,
	arch string,
) (binary []byte, version string, settings map[string]string, err error) {
	dir, err := os.MkdirTemp("", "unecho-image")
	if err != nil {
		return nil, "", nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "unecho")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-ldflags=-s -w", "-o", path,
		"./cmd/unecho")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, "", nil, fmt.Errorf("go build ./cmd/unecho in %s: %w\n%s", source, err, out)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, "", nil, err
	}
	settings = map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	binary, err = os.ReadFile(path)
	return binary, info.Main.Version, settings, err
}

// file is one of a layer. A directory has no data and ends with a slash.
type file struct {
	name  string
	mode  int64
	owner int
	data  []byte
}

// around is what stands beside the binary: certificate authorities, where the configuration goes, and where snapshots
// do.
func around() []file {
	return []file{
		{name: "etc/", mode: 0o755},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities()},
		{name: "etc/unecho/", mode: 0o755},
		{name: "var/", mode: 0o755},
		{name: "var/lib/", mode: 0o755},
		{name: "var/lib/unecho/", mode: 0o755, owner: nobody},
		// A volume mounted here for the first time takes over this owner.
		{name: "var/lib/unecho/snapshots/", mode: 0o700, owner: nobody},
	}
}

// authorities are those that Mozilla trusts without a condition. A file cannot say a condition.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}

// layerOf packs files into a layer.
func layerOf(files []file, made time.Time) (v1.Layer, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{
			Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.data)), ModTime: made,
			Typeflag: tar.TypeReg,
		}
		if f.data == nil {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.BestCompression))
}
