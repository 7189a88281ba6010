package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// texts is a file of documents.
type texts struct {
	name     string
	path     string
	flags    []string            // flags with which dedup reads it
	articles *synthetic.Articles // the generator that made it, or nil
}

// flag returns the value of a flag, or else the default.
func (t *texts) flag(name, otherwise string) string {
	if i := slices.Index(t.flags, name); i >= 0 {
		return t.flags[i+1]
	}
	return otherwise
}

// each visits the documents of the file, by the names that dedup gives them: objects with ids, rows of a table, or lines.
func (t *texts) each(visit func(name, text string) error) error {
	fields, format := strings.Split(t.flag("--fields", "text"), ","), filepath.Ext(t.path)
	var header []string
	number := 0
	return eachLine(t.path, func(line string) error {
		switch {
		case format == ".jsonl":
			var d struct{ ID, Text string }
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				return err
			}
			return visit(d.ID, d.Text)
		case format == ".tsv" && header == nil:
			header = strings.Split(line, "\t")
			return nil
		}
		number++
		if format == ".tsv" {
			line = columns(header, fields, line)
		}
		return visit(strconv.Itoa(number), line)
	})
}

// columns joins the columns of a row that have text.
func columns(header, fields []string, row string) string {
	var all []string
	for i, column := range strings.Split(row, "\t") {
		if i < len(header) && slices.Contains(fields, header[i]) && column != "" {
			all = append(all, column)
		}
	}
	return strings.Join(all, "\n")
}

// published returns the files of the shared data that exist.
func published(dir string) []texts {
	all := []texts{
		{name: "ads (kijiji), word:3", path: filepath.Join(dir, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv"), flags: []string{"--fields", "Title,Short Description"}},
		{name: "ads (kijiji), char:10", path: filepath.Join(dir, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv"), flags: []string{"--fields", "Title,Short Description", "--shingle", "char:10"}},
		{name: "articles (mccormick)", path: filepath.Join(dir, "mccormick-articles", "articles_2500.train")},
	}
	var there []texts
	for _, t := range all {
		if _, err := os.Stat(t.path); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", t.name, err)
			continue
		}
		there = append(there, t)
	}
	return there
}

// newArticles makes the generator of articles: three of ten are copies, exact ones and edited ones.
func newArticles(documents int) (*synthetic.Articles, error) {
	p := synthetic.DefaultParams()
	p.Documents = documents
	return synthetic.NewArticles(p)
}

// generate writes articles to a file, unless it was written before to the directory that is kept.
func generate(p params, documents int, name string) (t texts, err error) {
	t = texts{name: "generated articles, " + thousands(float64(documents)), path: filepath.Join(p.dir, name)}
	if t.articles, err = newArticles(documents); err != nil || p.kept == "" {
		return t, errors.Join(err, writeArticles(t.path, documents))
	}
	t.path = filepath.Join(p.kept, fmt.Sprintf("articles-%d.jsonl", documents))
	if _, err := os.Stat(t.path); err == nil {
		return t, nil
	}
	if err := os.MkdirAll(p.kept, 0o750); err != nil {
		return t, err
	}
	half := t.path + ".half"
	if err := writeArticles(half, documents); err != nil {
		return t, err
	}
	return t, os.Rename(half, t.path)
}

// writeArticles writes articles in runs that are made on all cores.
func writeArticles(path string, documents int) error {
	const run = 2000
	fmt.Fprintf(os.Stderr, "generating %d articles\n", documents)
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	for from := 0; from < documents; {
		runs := make([][]byte, runtime.NumCPU())
		var group errgroup.Group
		for i := range runs {
			begin := min(documents, from+i*run)
			group.Go(func() (err error) {
				runs[i], err = articles(documents, begin, min(documents, begin+run))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, lines := range runs {
			if _, err := out.Write(lines); err != nil {
				return err
			}
		}
		from += len(runs) * run
	}
	return out.Flush()
}

func articles(documents, from, to int) ([]byte, error) {
	f, err := newArticles(documents)
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	for i := from; i < to; i++ {
		d := f.At(i)
		lines.Write(d.Value())
		lines.WriteByte('\n')
	}
	return lines.Bytes(), nil
}

// processor returns the name of this machine's processor.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, after, _ := bytes.Cut(info, []byte("model name"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	return string(bytes.Trim(line, "\t :"))
}
