package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/unecho/unecho/internal/feed"
)

// corpus yields the text of a document by its number. The text is valid until the next one.
type corpus func(i int) []byte

func open(name string, documents int) (corpus, error) {
	switch {
	case name == "articles":
		p := feed.DefaultParams()
		p.Documents = documents
		f, err := feed.New(p)
		if err != nil {
			return nil, err
		}
		return func(i int) []byte {
			d := f.At(i)
			return []byte(d.Title + "\n" + d.Text)
		}, nil
	case name == "logs":
		return logLine, nil
	case strings.HasPrefix(name, "boilerplate="):
		percent, err := strconv.Atoi(strings.TrimPrefix(name, "boilerplate="))
		if err != nil {
			return nil, fmt.Errorf("-corpus: %w", err)
		}
		return boilerplate(percent), nil
	}
	all, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(all), []byte("\n"))
	return func(i int) []byte { return lines[i%len(lines)] }, nil
}

// logLine makes a line of a log: one of some forms, with numbers, addresses and names that differ.
func logLine(i int) []byte {
	r := rand.New(rand.NewPCG(7, uint64(i)))
	address := fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256))
	user, host := "user"+strconv.Itoa(r.IntN(500)), "node"+strconv.Itoa(r.IntN(60))
	at := fmt.Sprintf("2026-11-%02dT%02d:%02d:%02d.%03dZ", 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000))
	switch r.IntN(6) {
	case 0:
		return fmt.Appendf(nil, "%s %s sshd[%d]: Accepted publickey for %s from %s port %d ssh2: RSA SHA256:%x", at, host,
			r.IntN(32768), user, address, 1024+r.IntN(60000), r.Uint64())
	case 1:
		return fmt.Appendf(nil, `%s %s nginx: %s - %s "GET /api/v1/items/%d?page=%d HTTP/1.1" %d %d "-" "Mozilla/5.0 (X11; Linux x86_64)" rt=%d.%03d`,
			at, host, address, user, r.IntN(1e6), r.IntN(50), 200+r.IntN(3)*100, r.IntN(100000), r.IntN(3), r.IntN(1000))
	case 2:
		return fmt.Appendf(nil, "%s %s kernel: [%d.%06d] TCP: request_sock_TCP: Possible SYN flooding on port %d. Sending cookies. Check SNMP counters.",
			at, host, r.IntN(1e6), r.IntN(1e6), 1024+r.IntN(60000))
	case 3:
		return fmt.Appendf(nil, "%s %s postgres[%d]: LOG: duration: %d.%03d ms statement: SELECT id, name, updated_at FROM items WHERE owner = '%s' AND id > %d ORDER BY id LIMIT 100",
			at, host, r.IntN(32768), r.IntN(5000), r.IntN(1000), user, r.IntN(1e6))
	case 4:
		return fmt.Appendf(nil, "%s %s kafka: INFO [Partition events-%d broker=%d] Shrinking ISR from %d,%d,%d to %d,%d. Leader: (highWatermark: %d, endOffset: %d).",
			at, host, r.IntN(48), r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(1e9), r.IntN(1e9))
	}
	return fmt.Appendf(nil, "%s %s app: level=info msg=\"request handled\" method=POST path=/orders/%d user=%s status=%d took=%dms trace=%016x",
		at, host, r.IntN(1e6), user, 200+r.IntN(4), r.IntN(900), r.Uint64())
}

// boilerplate makes texts of 340 words, of which this share is the same in all. One of ten is a copy of an earlier one
// of which a few words differ.
func boilerplate(percent int) corpus {
	const length = 340
	common := words(rand.New(rand.NewPCG(1, 0)), length*percent/100)
	return func(i int) []byte {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		copied := i > 0 && r.IntN(10) == 0
		if copied {
			r = rand.New(rand.NewPCG(3, uint64(rand.New(rand.NewPCG(5, uint64(i))).IntN(i))))
			r.IntN(10)
		}
		text := append(append([]string{}, common...), words(r, length-len(common))...)
		if copied {
			text[len(text)-1-i%40] = "another"
		}
		return []byte(strings.Join(text, " "))
	}
}

func words(r *rand.Rand, n int) []string {
	all := make([]string, n)
	for i := range all {
		word := make([]byte, 3+r.IntN(6))
		for k := range word {
			word[k] = 'a' + byte(r.IntN(26))
		}
		all[i] = string(word)
	}
	return all
}
