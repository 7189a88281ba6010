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

// open reads the schema's file, and makes a client for the registry.
func (p *Params) open() (*source, error) {
	s := &source{params: *p}
	var err error
	if p.SchemaFile != "" {
		var is string
		if s.file, is, err = readSchema(p.SchemaFile); err != nil {
			return nil, fmt.Errorf("read schema_file: %w", err)
		}
		if p.Schema != "" && p.Schema != is {
			return nil, fmt.Errorf("schema_file has changed: its fingerprint is %s, not %s", is, p.Schema)
		}
	}
	if p.Registry.Set() {
		s.client, err = registry.New(p.Registry)
	}
	return s, err
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

// of returns the schema that a frame names. Only what the registry says of it is the record's fault.
func (s *schemas[T]) of(ctx context.Context, f frame) (T, *Rejection, error) {
	if s.cache == nil {
		return s.one, nil, nil
	}
	found, err := s.cache.Get(ctx, f.id)
	var unusable *registry.UnusableError
	switch {
	case errors.Is(err, registry.ErrUnknown):
		return found, reject(sink.UnknownSchema, "the registry does not know schema %s", f.id), nil
	case errors.As(err, &unusable):
		return found, reject(sink.UnknownSchema, "schema %s cannot be used: %v", f.id, unusable), nil
	}
	return found, nil, err
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

// Pin reads the schema's file, if there is one, and fills in the fingerprint of what it holds, so that members can
// agree on it. It returns the mistake if that is not possible, or if another fingerprint is set.
func (p *Params) Pin() []setting.Mistake {
	if p.SchemaFile == "" {
		return nil
	}
	_, is, err := readSchema(p.SchemaFile)
	if err != nil {
		return []setting.Mistake{setting.Wrong("schema_file", p.SchemaFile, "cannot be read: "+err.Error(),
			"name a readable file that holds the schema")}
	}
	if p.Schema != "" && p.Schema != is {
		return []setting.Mistake{setting.Wrong("schema", p.Schema, "is not the fingerprint of schema_file, which is "+is,
			"take the file that the other members have, or remove document.schema")}
	}
	p.Schema = is
	return nil
}

// As returns the settings for values of another format that has no schemas, whose text is in these fields, if it has any.
func (p Params) As(format string, fields []string) Params {
	p.Format, p.Framing, p.SchemaFile, p.Schema, p.Message, p.Registry = format, noFraming, "", "", "", registry.DefaultParams()
	other := func(name string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool { return canonicalPath(f) == canonicalPath(name) })
	}
	p.HTML, p.Base64 = slices.DeleteFunc(slices.Clone(p.HTML), other), slices.DeleteFunc(slices.Clone(p.Base64), other)
	if p.Fields = fields; !formatOf(format).fields {
		p.Separator = usualSeparator
	}
	return p
}

// wrongSchema checks what says how values with schemas are read.
func (p Params) wrongSchema() []setting.Mistake {
	is, framing := formatOf(p.Format), framingOf(p.Framing)
	framed := framing.name != noFraming
	var out []setting.Mistake
	if framed && !is.framed {
		out = append(out, setting.Wrong("framing", p.Framing, "has no effect with document.format "+p.Format,
			"remove it, or set document.format"))
	}
	if p.Format == "protobuf" && !framing.messages {
		out = append(out, setting.Wrong("framing", p.Framing, "does not go with document.format protobuf",
			"set none or confluent"))
	}
	if p.Message != "" && p.Format != "protobuf" {
		out = append(out, setting.Wrong("message", p.Message, "has no effect with document.format "+p.Format,
			"remove it, or set document.format: protobuf"))
	}
	if !is.schemas {
		return append(out, p.pointless()...)
	}
	file, asks := p.SchemaFile != "", p.Registry.Set()
	switch {
	case file && asks:
		out = append(out, setting.Wrong("registry.urls", p.Registry.URLs[0], "is a second source of schemas, beside schema_file",
			"remove one of the two"))
	case asks && p.Schema != "":
		out = append(out, setting.Wrong("schema", p.Schema, "has no effect without schema_file", "remove it"))
	case asks && framed && !framing.asks:
		out = append(out, setting.Wrong("registry.urls", p.Registry.URLs[0], "has no effect with framing "+p.Framing,
			"name the schema in document.schema_file"))
	case asks && !framed:
		out = append(out, setting.Wrong("framing", p.Framing, "says not how values name their schemas",
			"set for example confluent, or name one schema for all values in document.schema_file"))
	case !file && !asks && framing.asks:
		out = append(out, setting.Wrong("registry.urls", "", "is missing",
			"write where the schema registry is, or name one schema for all values in document.schema_file"))
	case file && p.Format == "protobuf" && p.Message == "":
		out = append(out, setting.Wrong("message", "", "is missing", "write the full name of the message that the values are"))
	case !file && !asks:
		out = append(out, setting.Wrong("schema_file", "", "is missing", "name the file with the schema of the values"))
	}
	return out
}

// pointless reports settings for schemas that are set for a format that has none.
func (p Params) pointless() []setting.Mistake {
	var out []setting.Mistake
	for _, s := range []struct{ key, value string }{
		{"schema_file", p.SchemaFile}, {"schema", p.Schema}, {"registry.urls", first(p.Registry.URLs)},
	} {
		if s.value != "" {
			out = append(out, setting.Wrong(s.key, s.value, "has no effect with document.format "+p.Format,
				"remove it, or set document.format"))
		}
	}
	return out
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
