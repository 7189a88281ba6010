package dedup

import (
	"errors"
	"fmt"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
)

// OneSchema returns the schema of all sources, which are checked before the first is read. One that cannot be read is
// left for the run to report; one that is no Parquet, or has another schema, cannot be written to the file of this flag.
func OneSchema(flag string, sources corpus.Sources) (corpus.Sources, *columnar.Schema, error) {
	all, err := sources.All()
	if err != nil {
		return nil, nil, err
	}
	var (
		schema *columnar.Schema
		of     string
	)
	for _, source := range all {
		own, err := schemaOf(flag, source.Path)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case own == nil:
		case schema == nil:
			schema, of = own, source.Path
		default:
			if difference := schema.Difference(own); difference != "" {
				return nil, nil, exit.Usage(fmt.Errorf("--%s: %s and %s have different columns (%s), and one Parquet file has one "+
					"schema: name the output .jsonl, where each row has the columns of its file, or write the files with the same columns "+
					"first", flag, of, source.Path, difference))
			}
		}
	}
	if schema == nil {
		return nil, nil, exit.Usage(fmt.Errorf("--%s: none of the files is Parquet, so the output cannot be Parquet: name it .jsonl", flag))
	}
	return corpus.Those(all), schema, nil
}

// schemaOf returns the schema of a file, or nil if it cannot be read.
func schemaOf(flag, path string) (*columnar.Schema, error) {
	table, err := corpus.OpenTable(path)
	if err != nil {
		return nil, nil // the run reports it
	}
	defer table.Close()
	if table.Isnt != "" {
		return nil, exit.Usage(fmt.Errorf("--%s: the output would be Parquet, and %s %s", flag, corpus.NameOf(path), table.Isnt))
	}
	schema, err := columnar.SchemaOf(table, table.Size)
	if err != nil && !errors.Is(err, columnar.ErrDamaged) {
		return nil, exit.Usage(fmt.Errorf("--%s: %s cannot be written as Parquet: %w: name the output .jsonl", flag, corpus.NameOf(path), err))
	}
	if err != nil {
		return nil, nil // the run reports it
	}
	return schema, nil
}

// tableFile writes rows: it reads them anew, with all columns, from where they are.
type tableFile struct {
	copier *columnar.Copier
	from   string
	table  corpus.Table
}

func newTableFile(out *outfile.File, schema *columnar.Schema) (*tableFile, error) {
	copier, err := columnar.NewCopier(out, schema)
	t := &tableFile{copier: copier}
	out.Rows(copier.Close)
	return t, err
}

// row writes the row of this number by copied, a method of the copier or of what it is a part of.
func (t *tableFile) row(file string, row int, copied func(int64) error) error {
	if file != t.from || t.table.File == nil || int64(row) <= t.copier.Read() {
		if err := t.open(file); err != nil {
			return err
		}
	}
	if err := copied(int64(row)); err != nil {
		return fmt.Errorf("copy row %d of %s: %w", row, file, err)
	}
	return nil
}

func (t *tableFile) open(path string) (err error) {
	if err := t.table.Close(); err != nil {
		return err
	}
	if t.table, err = corpus.OpenTable(path); err != nil {
		return err
	}
	t.from = path
	if err = t.copier.From(t.table, t.table.Size); err != nil {
		return fmt.Errorf("read %s again: %w", path, err)
	}
	return nil
}

// close closes the file that is read.
func (t *tableFile) close() error {
	if t == nil {
		return nil
	}
	return t.table.Close()
}

// uniqueFile writes the unique documents.
type uniqueFile struct {
	outfile.Table
	rows *tableFile // where the output is Parquet: a document is read from its place, and raw means nothing
}

func (u *uniqueFile) document(file string, row int, raw []byte) error {
	if u.rows != nil {
		return u.rows.row(file, row, u.rows.copier.Row)
	}
	return u.Line(raw)
}
