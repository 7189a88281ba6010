package corpus_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// zstdFrame is a frame of zstd (RFC 8878) with a window of 1<<log bytes, and the content as it is.
func zstdFrame(log int, content string) string {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte((log - 10) << 3)}
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(content))<<3|1) // the last one, not compressed
	return string(append(frame, block[:3]...)) + content
}

// TestZstdWindows: a window is read up to the bound on memory, and above it the file is refused with what to do.
func TestZstdWindows(t *testing.T) {
	p := corpus.DefaultParams()
	for log, refused := range map[int]bool{17: false, 27: false, 28: true, 31: true} {
		for _, name := range []string{"a.txt.zst", "whole.txt.zst"} {
			path := file(t, name, zstdFrame(log, "one\n"))
			source := corpus.Source{Path: path, Whole: strings.HasPrefix(name, "whole")}
			if source.Whole {
				p.Format = corpus.Text
			} else {
				p.Format = corpus.Auto
			}
			var detail string
			err := eachOf(t, p, source, func(r *corpus.Record) {
				if detail = strings.TrimSpace(string(r.Text)); r.Bad != nil {
					detail = string(r.Bad.Reason) + ": " + r.Bad.Detail
				}
			})
			const want = "unreadable: it was compressed with a window of more than 128 MiB, as by zstd --long=28 " +
				"and more, and would take as much memory: unpack it by zstd -d --long=31, or pipe it through zstdcat " +
				"--long=31"
			if err != nil || refused && detail != want || !refused && detail != "one" {
				t.Errorf("a window of 2^%d in %s: %q, %v; want it refused: %v", log, name, detail, err, refused)
			}
		}
	}
}

func eachOf(t *testing.T, p corpus.Params, source corpus.Source, visit func(*corpus.Record)) error {
	t.Helper()
	r, err := corpus.NewReader(p, corpus.Those([]corpus.Source{source}))
	if err != nil {
		return err
	}
	return corpus.Each(t.Context(), r, func(rec *corpus.Record) error {
		visit(rec)
		return nil
	})
}

// TestSkippedFrames: files as pzstd and others write them, which begin with a frame of zstd that is skipped.
func TestSkippedFrames(t *testing.T) {
	skipped := func(magic byte, content string) string {
		return string(binary.LittleEndian.AppendUint32([]byte{magic, 0x2a, 0x4d, 0x18}, uint32(len(content)))) + content
	}
	data := skipped(0x50, "\x09\x00\x00\x00") + zstdFrame(17, "one\n") + skipped(0x5f, "") + zstdFrame(17, "two\n")
	for _, name := range []string{"a.txt.zst", "a"} {
		got, _, err := read(t, corpus.DefaultParams(), file(t, name, data))
		if want := []string{name + " 1 [] one", name + " 2 [] two"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s with frames that are skipped reads as %q, %v; want %q", name, got, err, want)
		}
	}
}
