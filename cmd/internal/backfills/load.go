package backfills

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// loading copies the documents of files to a topic.
type loading struct {
	*voice
	flags  *Flags
	config config.Config
	kafka  topic.Options
	name   string // of the job
	topic  string
}

// load copies the documents of the files to the topic, those that are not there yet.
func (v *loading) load(ctx context.Context) (err error) {
	read, err := v.config.Reading()
	if err != nil {
		return exit.Usage(err)
	}
	params := corpus.Params{Format: v.flags.Format, Fields: read.Fields, Document: document.DefaultParams()}
	params.Document.MaxBytes, params.Document.Reject = read.MaxBytes, nil
	if read.Rejects(sink.MissingField) {
		params.Document.Reject = []string{string(sink.MissingField)}
	}
	var none outfile.Files
	sources, size, err := none.Sources(outfile.Named{Paths: v.flags.Files})
	if err != nil {
		return err
	}
	reader, err := corpus.NewReader(params, sources)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	loader, err := backfill.NewLoader(ctx, backfill.LoadParams{
		Kafka: v.kafka, Name: v.name, Topic: v.topic, UntimedAreNow: v.flags.Fill && v.flags.Time == "",
		Partitions: v.flags.Partitions, Ordered: v.flags.ordered(), ReplicationFactor: v.config.Sink.Create.ReplicationFactor, MaxRecordBytes: int(v.config.Sink.MaxRecordBytes),
		Logger: v.logger,
	})
	if err != nil {
		return err
	}
	before := loader.Loaded
	progress := terminal.NewProgress(v.Err, size)
	untimed, err := v.loadAll(ctx, reader, loader, progress)
	progress.End()
	err = errors.Join(err, loader.Close(context.WithoutCancel(ctx)))
	switch {
	case ctx.Err() != nil:
		return &exit.Error{
			Code: exit.Interrupted,
			Err: fmt.Errorf("stopped after %s of the files; to go on, start the same command again",
				terminal.Several(int(loader.Loaded), "document")),
		}
	case err != nil:
		return err
	}
	v.report(fmt.Sprintf("%s of the files loaded, %s by this process", terminal.Several(int(loader.Loaded), "document"),
		terminal.Grouped(int(loader.Loaded-before))))
	if untimed > 0 {
		v.report(fmt.Sprintf("%s without a usable time in %s: each is judged at the time of the one before it",
			terminal.Several(untimed, "document"), v.flags.Time))
	}
	return nil
}

func (v *loading) loadAll(ctx context.Context, reader *corpus.Reader, loader *backfill.Loader,
	progress *terminal.Progress,
) (untimed int, err error) {
	var chunk corpus.Chunk
	var parser corpus.Parser
	for {
		err := reader.Next(ctx, &chunk)
		if errors.Is(err, io.EOF) {
			return untimed, loader.Finish(ctx)
		}
		if err == nil {
			err = v.fits(&chunk)
		}
		if err != nil {
			return untimed, err
		}
		var added error
		err = parser.Each(&chunk, func(r *corpus.Record) bool {
			var d *backfill.Document
			if d, added = v.documentOf(r, chunk.Format()); added == nil {
				if v.flags.Time != "" && d.Time.IsZero() {
					untimed++
					added = v.timeless(d, progress.Documents)
				}
			}
			if added == nil {
				progress.Documents++
				added = loader.Add(ctx, d)
			}
			return added == nil
		})
		if err := errors.Join(added, err); err != nil {
			return untimed, err
		}
		read, _ := reader.Read()
		progress.At(read)
	}
}

// timeless refuses to fill a window with documents of which the first has no usable time: it would be as old as can be, and
// so would those behind it that have none.
func (v *loading) timeless(d *backfill.Document, before int64) error {
	if !v.flags.Fill || before > 0 {
		return nil
	}
	return &stop.Error{
		What:   fmt.Sprintf("%s has no usable time in %s: the window would pass it over as too old", d.Place, v.flags.Time),
		Remedy: "name the field of the documents' time in --time; without --time, documents are as old as the moment they are copied",
	}
}

// fits refuses files whose records the settings would not read as documents.
func (v *loading) fits(c *corpus.Chunk) error {
	if c.Format() == "" { // it has no records, but says what is wrong with a file
		return nil
	}
	is, needs := v.config.Sources[0].Reading.Format, corpus.InTopic(c.Format())
	switch {
	case is != needs:
		return exit.Usage(fmt.Errorf(
			"the files are %s, and their documents need sources.format %s, which is %s: set it, or name another --format",
			c.Format(), needs, is))
	case v.flags.Time != "" && needs == "raw":
		return exit.Usage(fmt.Errorf("--time %s: documents of format %s have no fields", v.flags.Time, c.Format()))
	}
	return nil
}

// documentOf returns a record of a file as the job reads it.
func (v *loading) documentOf(r *corpus.Record, format string) (*backfill.Document, error) {
	if r.Fault {
		return nil, r.Refused(r.Bad)
	}
	d := &backfill.Document{Place: r.File, Value: r.Raw}
	if r.Number > 0 {
		d.Place = fmt.Sprintf("%s:%d", r.File, r.Number)
		d.Value = bytes.TrimSuffix(bytes.TrimSuffix(r.Raw, []byte("\n")), []byte("\r"))
	} else if len(r.Raw) == 0 && r.Bad != nil {
		return nil, fmt.Errorf("%s: %s; leave it out, or raise advanced.max_document_bytes", r.File, r.Bad.Detail)
	}
	if format == corpus.CSV || format == corpus.TSV {
		object, err := rowObject(r, format)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", d.Place, err)
		}
		d.Value = object
	}
	if v.flags.Time != "" {
		d.Time = fieldTime(d.Value, v.flags.Time)
	}
	return d, nil
}

// rowObject returns a row of a table as a JSON object of its columns.
func rowObject(r *corpus.Record, format string) ([]byte, error) {
	columns, err := cells(corpus.Unmarked(r.Header), format)
	if err != nil {
		return nil, err
	}
	values, err := cells(r.Raw, format)
	if err != nil {
		return nil, err
	}
	object := make(map[string]string, len(columns))
	for i, column := range columns {
		object[strings.TrimSpace(column)] = values[i]
	}
	return json.Marshal(object)
}

// cells are those of a row, of which there are as many as the parser has counted in the header.
func cells(row []byte, format string) ([]string, error) {
	row = bytes.TrimPrefix(row, []byte("\xef\xbb\xbf"))
	if format == corpus.TSV {
		return strings.Split(string(bytes.TrimRight(row, "\r\n")), "\t"), nil
	}
	return csv.NewReader(bytes.NewReader(row)).Read()
}

// fieldTime returns the time in a field of a JSON object, as sources.text names it. It is zero if there is none that
// can be read.
func fieldTime(value []byte, field string) time.Time {
	path, err := document.ParsePath(field)
	if err != nil {
		return time.Time{}
	}
	var found json.RawMessage = value
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(found, &object) != nil {
			return time.Time{}
		}
		found = object[name]
	}
	var text string
	if json.Unmarshal(found, &text) != nil {
		text = string(found)
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(n) || n <= 0 || n > 1e14:
		return time.Time{}
	case n < secondsBelow:
		n *= 1000
	}
	return time.UnixMilli(int64(n))
}

// secondsBelow parts seconds from milliseconds: as seconds it is the year 5138, as milliseconds the year 1973.
const secondsBelow = 1e11
