package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// maxSchema bounds the bytes of a schema's file.
const maxSchema = 16 << 20

// source is where schemas come from: a file, or a registry.
type source struct {
	params Params
	file   []byte           // nil: there is no file
	client *registry.Client // nil: there is no registry
}

// open reads the schema's file, or makes a client for the registry.
func (p *Params) open() (*source, error) {
	s := &source{params: *p}
	var err error
	if path := p.Schema.File; path != "" {
		var is string
		if s.file, is, err = readSchema(path); err != nil {
			return nil, fmt.Errorf("read schema.file: %w", err)
		}
		if p.Schema.Fingerprint != "" && p.Schema.Fingerprint != is {
			return nil, fmt.Errorf("schema.file has changed: its fingerprint is %s, not %s", is, p.Schema.Fingerprint)
		}
	} else if p.asks() {
		s.client, err = registry.New(p.Registry)
	}
	return s, err
}

// asks says that the registry is asked for schemas.
func (p *Params) asks() bool {
	return p.Registry.Set() && p.Schema.File == "" && formatOf(p.Format).schemas && framingOf(p.Schema.Framing).asks
}

// schemas are the compiled schemas of values.
type schemas[T any] struct {
	one   T // of all values, where it comes from a file
	cache *registry.Cache[T]
}

// schemasOf returns the schemas of a source, each compiled once.
func schemasOf[T any](from *source, compile func(registry.Schema) (T, error)) (schemas[T], error) {
	if from.client != nil {
		return schemas[T]{cache: registry.NewCache(from.client, compile)}, nil
	}
	one, err := compile(registry.Schema{Text: string(from.file)})
	return schemas[T]{one: one}, err
}

// of finds where the content of a value begins, and its schema. Only what the registry says of it is the record's fault.
func (s *schemas[T]) of(ctx context.Context, r *Reader, in *Input) (schema T, f frame, bad *Rejection, err error) {
	if f, bad = r.unframe(in); bad != nil || s.cache == nil {
		return s.one, f, bad, nil
	}
	schema, err = s.cache.Get(ctx, f.id)
	var unusable *registry.UnusableError
	switch {
	case errors.Is(err, registry.ErrUnknown):
		return schema, f, reject(sink.UnknownSchema, "the registry does not know schema %s", f.id), nil
	case errors.As(err, &unusable):
		return schema, f, reject(sink.UnknownSchema, "schema %s cannot be used: %v", f.id, unusable), nil
	}
	return schema, f, nil, err
}

// typed says why a schema is not of a type. A schema from a file has none.
func typed(s registry.Schema, want string) error {
	if s.Type != "" && s.Type != want {
		return fmt.Errorf("it is of type %s, not %s", s.Type, want)
	}
	return nil
}

// readSchema reads the schema's file, and returns its fingerprint.
func readSchema(path string) (text []byte, fingerprint string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close() // it was only read
	if text, err = io.ReadAll(io.LimitReader(f, maxSchema+1)); err != nil {
		return nil, "", err
	}
	if len(text) > maxSchema {
		return nil, "", fmt.Errorf("%s has more than %d bytes", path, maxSchema)
	}
	sum := sha256.Sum256(text)
	return text, "sha256:" + hex.EncodeToString(sum[:8]), nil
}

// Pin reads the schema's file, if there is one, and notes the fingerprint of what it holds, so that members can agree on it.
// It returns the mistake if that is not possible.
func (p *Params) Pin() []setting.Mistake {
	if p.Schema.File == "" {
		return nil
	}
	_, is, err := readSchema(p.Schema.File)
	if err != nil {
		return []setting.Mistake{setting.Wrong("schema.file", p.Schema.File, "cannot be read: "+err.Error(),
			"name a readable file that holds the schema")}
	}
	p.Schema.Fingerprint = is
	return nil
}

// As returns the settings for values of another format that has no schemas, whose text is in these fields, if it has any.
func (p Params) As(format string, fields []string) Params {
	p.Format, p.Schema, p.Registry, p.When = format, SchemaParams{Framing: noFraming}, registry.DefaultParams(), nil
	other := func(name string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool { return canonicalPath(f) == canonicalPath(name) })
	}
	p.HTML, p.Base64 = slices.DeleteFunc(slices.Clone(p.HTML), other), slices.DeleteFunc(slices.Clone(p.Base64), other)
	p.Fields = fields
	return p
}

// wrongSchema checks what says how values with schemas are read.
func (p Params) wrongSchema() (out []setting.Mistake) {
	is, framing, s := formatOf(p.Format), framingOf(p.Schema.Framing), p.Schema
	framed := framing.name != noFraming
	add := func(key, value, problem, remedy string) {
		out = append(out, setting.Wrong("schema."+key, value, problem, remedy))
	}
	if framed && !is.framed {
		add("framing", s.Framing, "has no effect with format "+p.Format, "remove it, or set format")
	}
	if p.Format == "protobuf" && !framing.messages {
		add("framing", s.Framing, "does not go with format protobuf", "set none or confluent")
	}
	if s.Message != "" && p.Format != "protobuf" {
		add("message", s.Message, "has no effect with format "+p.Format, "remove it, or set format: protobuf")
	}
	file, asks := s.File != "", p.Registry.Set()
	switch {
	case file && !is.schemas:
		add("file", s.File, "has no effect with format "+p.Format, "remove it, or set format")
	case !is.schemas:
	case file && p.Format == "protobuf" && s.Message == "":
		add("message", "", "is missing", "write the full name of the message that the values are")
	case file:
	case framing.asks && !asks:
		add("framing", s.Framing, "names schemas in a registry, and schema_registry.urls does not say where it is",
			"set schema_registry.urls, or name one schema for all values in schema.file")
	case framed && !framing.asks && asks:
		add("framing", s.Framing, "names schemas that schema_registry does not know", "name the schema in schema.file")
	case !framed && asks:
		add("framing", s.Framing, "does not say how values name their schemas",
			"set for example confluent, or name one schema for all values in schema.file")
	case !framing.asks:
		add("file", "", "is missing", "name the file with the schema of the values")
	}
	return out
}
