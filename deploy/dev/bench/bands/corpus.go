package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// corpus is documents, and how many of them are copies of earlier ones; 0: not known.
type corpus struct {
	text func(i int) []byte // by its number; valid until the next one
	due  int
}

func open(name string, documents int) (corpus, error) {
	switch {
	case name == "articles":
		p := synthetic.DefaultParams()
		p.Documents = documents
		f, err := synthetic.NewArticles(p)
		if err != nil {
			return corpus{}, err
		}
		return corpus{text: func(i int) []byte {
			d := f.At(i)
			return []byte(d.Title + "\n" + d.Text)
		}}, nil
	case name == "logs":
		return corpus{text: logLine}, nil
	case strings.HasPrefix(name, "boilerplate="):
		return boilerplate(strings.TrimPrefix(name, "boilerplate="), documents)
	}
	all, err := os.ReadFile(name)
	if err != nil {
		return corpus{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(all), []byte("\n"))
	return corpus{text: func(i int) []byte { return lines[i%len(lines)] }}, nil
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

// boilerplate makes texts as "160,parts,mixed" says: how many words are the same in all, and what else is so. Of eleven
// texts one is a copy.
func boilerplate(spec string, documents int) (corpus, error) {
	common, options, _ := strings.Cut(spec, ",")
	words, err := strconv.Atoi(common)
	if err != nil || words < 0 || words > synthetic.BoilerplateWords {
		return corpus{}, fmt.Errorf("-corpus: %q is no number of words up to %d", common, synthetic.BoilerplateWords)
	}
	of := synthetic.Boilerplate{Originals: documents * 10 / 11, Common: words, Seed: 1}
	of.Copies = documents - of.Originals
	for option := range strings.FieldsFuncSeq(options, func(r rune) bool { return r == ',' }) {
		switch option {
		case "anywhere":
			of.Anywhere = true
		case "parts":
			of.Parts = true
		case "mixed":
			of.Mixed = true
		default:
			return corpus{}, fmt.Errorf("-corpus: %q is none of anywhere, parts and mixed", option)
		}
	}
	texts, families := of.Make()
	c, seen := corpus{text: func(i int) []byte { return []byte(texts[i]) }}, map[int]bool{}
	for _, family := range families {
		if seen[family] {
			c.due++
		}
		seen[family] = true
	}
	return c, nil
}
