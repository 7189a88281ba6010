package main

import (
	"archive/tar"
	"bufio"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/twmb/franz-go/pkg/kfake"
)

const root = "../../../.."

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestImage builds the image, pushes it to a registry, and looks at what a machine would pull from there.
func TestImage(t *testing.T) { tryImage(t, "amd64") }

func TestImageLong(t *testing.T) { tryImage(t, "amd64", "arm64") }

func tryImage(t *testing.T, archs ...string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image")
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	repository := strings.TrimPrefix(server.URL, "http://") + "/unecho:v1"
	check(t, build(t.Context(), root, out, repository, archs...))
	written, err := layout.ImageIndexFromPath(out)
	check(t, err)
	check(t, validate.Index(written))
	tag, err := name.ParseReference(repository)
	check(t, err)
	index, err := remote.Index(tag, remote.WithContext(t.Context()))
	check(t, err)
	check(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	check(t, err)
	images := map[string]v1.Image{}
	for _, m := range manifest.Manifests {
		images[m.Platform.String()], err = index.Image(m.Digest)
		check(t, err)
	}
	if len(images) != len(archs) {
		t.Fatalf("the image is for %v, want %v", slices.Sorted(maps.Keys(images)), archs)
	}
	for _, arch := range archs {
		image := images["linux/"+arch]
		if image == nil {
			t.Fatalf("the image is for %v, want %v", slices.Sorted(maps.Keys(images)), archs)
		}
		t.Run(arch, func(t *testing.T) { holds(t, image, arch) })
		emulator := ""
		if arch == "arm64" {
			emulator = qemu(t)
		}
		t.Run(arch+" starts", func(t *testing.T) { starts(t, image, emulator) })
	}
	t.Run("runs", func(t *testing.T) { runs(t, images["linux/amd64"]) })
}

// holds checks what an image says of itself, its files and its size.
func holds(t *testing.T, image v1.Image, arch string) {
	file, err := image.ConfigFile()
	check(t, err)
	c := file.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/unecho"}) || c.Cmd[0] != "run" ||
		file.Architecture != arch {
		t.Errorf("%s, user %s, starts %v %v", file.Architecture, c.User, c.Entrypoint, c.Cmd)
	}
	for _, label := range []string{"title", "description", "source", "version", "revision", "created"} {
		if c.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("the label %s is missing", label)
		}
	}
	layers, err := image.Layers()
	check(t, err)
	var size int64
	for _, layer := range layers {
		n, err := layer.Size()
		check(t, err)
		size += n
	}
	if size > 20<<20 {
		t.Errorf("%d bytes are to be transferred: more than 20 MiB", size)
	}
	var names []string
	for header, data := range files(t, image) {
		names = append(names, fmt.Sprintf("%s %o %d:%d", header.Name, header.Mode, header.Uid, header.Gid))
		if header.Name == "etc/ssl/certs/ca-certificates.crt" && !x509.NewCertPool().AppendCertsFromPEM(data) {
			t.Error("no certificate authority can be read")
		}
	}
	want := []string{
		"etc 755 0:0", "etc/ssl 755 0:0", "etc/ssl/certs 755 0:0", "etc/ssl/certs/ca-certificates.crt 644 0:0",
		"etc/unecho 755 0:0",
		"unecho 755 0:0", "var 755 0:0", "var/lib 755 0:0", "var/lib/unecho 755 65532:65532",
		"var/lib/unecho/snapshots 700 65532:65532",
	}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("it holds %q, want %q", names, want)
	}
}

// files are those of all layers.
func files(t *testing.T, image v1.Image) map[*tar.Header][]byte {
	t.Helper()
	flat := mutate.Extract(image)
	defer flat.Close()
	all := map[*tar.Header][]byte{}
	for r := tar.NewReader(flat); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		check(t, err)
		all[header], err = io.ReadAll(r)
		check(t, err)
	}
}

// unpack makes a root directory of an image.
func unpack(t *testing.T, image v1.Image) string {
	t.Helper()
	dir := t.TempDir()
	all := files(t, image)
	for _, header := range slices.SortedFunc(maps.Keys(all),
		func(a, b *tar.Header) int { return strings.Compare(a.Name, b.Name) }) {
		path := filepath.Join(dir, header.Name)
		if header.Typeflag == tar.TypeDir {
			check(t, os.Mkdir(path, header.FileInfo().Mode().Perm()))
		} else {
			check(t, os.WriteFile(path, all[header], header.FileInfo().Mode().Perm()))
		}
		if os.Getuid() == 0 {
			check(t, os.Chown(path, header.Uid, header.Gid))
		}
	}
	return dir
}

// qemu returns the program that runs binaries for arm64, and installs Debian's if it is missing.
func qemu(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("qemu-aarch64-static"); err == nil {
		return path
	}
	out, err := exec.CommandContext(t.Context(), "apt-get", "install", "-y", "--no-install-recommends",
		"qemu-user-static").CombinedOutput()
	if err != nil {
		t.Fatalf("install qemu-user-static, which runs the binary for arm64: %v\n%s", err, out)
	}
	return "qemu-aarch64-static"
}

func starts(t *testing.T, image v1.Image, emulator string) {
	args := []string{filepath.Join(unpack(t, image), "unecho"), "version"}
	if emulator != "" {
		args = append([]string{emulator}, args...)
	}
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "unecho ") {
		t.Errorf("version says %q, %v", out, err)
	}
}

// runs starts the service as a container would: the image is its root, which belongs to another user, so that it can
// write nothing but its snapshots. Kafka is in this process.
func runs(t *testing.T, image v1.Image) {
	if os.Getuid() != 0 {
		t.Skip("only root may change the root directory")
	}
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "news"))
	check(t, err)
	t.Cleanup(kafka.Close)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	address := listener.Addr().String()
	check(t, listener.Close())
	dir := unpack(t, image)
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		check(t, os.Chmod(at, 0o755)) // whose parents another user can pass
	}
	file := fmt.Sprintf("kafka: {brokers: [%q]}\nsources: [{topics: [news]}]\ngroup: news-filter\nhttp: {listen: %q}\nlog: {format: json}\n"+
		"snapshots: {directory: {path: /var/lib/unecho/snapshots}}\n", kafka.ListenAddrs()[0], address)
	check(t, os.WriteFile(filepath.Join(dir, "etc/unecho/unecho.yaml"), []byte(file), 0o600))
	check(t, os.Chown(filepath.Join(dir, "etc/unecho/unecho.yaml"), nobody, nobody))
	config, err := image.ConfigFile()
	check(t, err)
	cmd := exec.CommandContext(t.Context(), config.Config.Entrypoint[0], config.Config.Cmd...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	stderr, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	lines, said := bufio.NewScanner(stderr), ""
	for lines.Scan() {
		said += lines.Text() + "\n"
		if !strings.Contains(lines.Text(), `"message":"ready"`) {
			continue
		}
		for _, path := range []string{"/live", "/ready"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
			check(t, err)
			resp, err := http.DefaultClient.Do(req)
			check(t, err)
			check(t, resp.Body.Close())
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s answers %s", path, resp.Status)
			}
		}
		check(t, cmd.Process.Signal(syscall.SIGTERM))
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(said, `"message":"ready"`) {
		t.Errorf("it ended with %v:\n%s", err, said)
	}
}
