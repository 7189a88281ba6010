package main

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// texts visits the documents of a corpus in their order.
type texts func(visit func(text string) error) error

// corpus is a file of the shared data.
type corpus struct {
	name, path string
	texts      texts
}

// published are the corpora of the shared data.
func published(dir string) []corpus {
	ads := filepath.Join(dir, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")
	articles := filepath.Join(dir, "mccormick-articles", "articles_2500.train")
	return []corpus{
		{"ads", ads, rows(ads, "Title", "Short Description")},
		{"articles", articles, func(visit func(string) error) error { return eachLine(articles, visit) }},
	}
}

// rows are those of a table, by the columns that have text.
func rows(path string, fields ...string) texts {
	return func(visit func(text string) error) error {
		var header []string
		return eachLine(path, func(line string) error {
			columns := strings.Split(line, "\t")
			if header == nil {
				header = columns
				return nil
			}
			var text []string
			for i, column := range columns {
				if i < len(header) && slices.Contains(fields, header[i]) && column != "" {
					text = append(text, column)
				}
			}
			return visit(strings.Join(text, "\n"))
		})
	}
}

func eachLine(path string, visit func(line string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := visit(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// newArticles makes the generator of articles: three of ten are copies, exact ones and edited ones.
func newArticles(documents int) (*synthetic.Articles, error) {
	p := synthetic.DefaultParams()
	p.Documents = documents
	return synthetic.NewArticles(p)
}

func textsOf(articles *synthetic.Articles, documents int) texts {
	return func(visit func(text string) error) error {
		for n := range documents {
			if err := visit(articles.At(n).Text); err != nil {
				return err
			}
		}
		return nil
	}
}
