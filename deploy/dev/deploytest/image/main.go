// Image builds the container image of unecho for amd64 and arm64, without a container engine: an OCI layout in a
// directory, and with -push the same at a registry. The same commit gives the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	source := flag.String("source", ".", "the directory of the project")
	out := flag.String("out", ".cache/image", "the directory for the OCI layout; an earlier one there is replaced")
	push := flag.String("push", "",
		"also push to this name, like registry.example.com/unecho:v1.0.0, logged in as docker or podman is")
	flag.Parse()
	if err := build(context.Background(), *source, *out, *push, "amd64", "arm64"); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// build makes an image for each architecture, and an index of all.
func build(ctx context.Context, source, out, push string, archs ...string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range archs {
		image, err := imageOf(ctx, source, arch)
		if err != nil {
			return fmt.Errorf("for %s: %w", arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	if err := write(index, out); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("%s in %s\n", digest, out)
	if push == "" {
		return nil
	}
	to, err := name.ParseReference(push, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("-push takes a registry, a repository and a tag: %w", err)
	}
	if err := remote.WriteIndex(to, index, remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithContext(ctx)); err != nil {
		return fmt.Errorf("push to %s: %w", to, err)
	}
	fmt.Printf("pushed to %s\n", to)
	return nil
}

// write replaces the layout in a directory. What is there and is none stays.
func write(index v1.ImageIndex, out string) error {
	if _, err := layout.FromPath(out); err == nil {
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	} else if files, err := os.ReadDir(out); err == nil && len(files) > 0 {
		return fmt.Errorf("%s holds something else than an image: name another directory with -out", out)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	path, err := layout.Write(out, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index)
}
