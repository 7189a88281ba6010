package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/index/setting"
)

// maxSchema bounds the bytes of a schema's file.
const maxSchema = 16 << 20

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

// wrongSchema checks what says how values with schemas are read.
func (p Params) wrongSchema() []setting.Mistake {
	switch is := formatOf(p.Format); {
	case is.schemas && p.SchemaFile == "" && p.Schema == "": // a text of settings has the fingerprint alone
		return []setting.Mistake{setting.Wrong("schema_file", "", "is missing", "name the file with the schema of the values")}
	case !is.schemas && p.SchemaFile != "":
		return []setting.Mistake{setting.Wrong("schema_file", p.SchemaFile, "has no effect with document.format "+p.Format,
			"remove it, or set document.format")}
	case !is.schemas && p.Schema != "":
		return []setting.Mistake{setting.Wrong("schema", p.Schema, "has no effect with document.format "+p.Format,
			"remove it, or set document.format")}
	}
	return nil
}

// As returns the settings for values of another format that has no schemas.
func (p Params) As(format string) Params {
	p.Format, p.SchemaFile, p.Schema = format, "", ""
	return p
}
