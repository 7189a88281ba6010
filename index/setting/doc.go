// Package setting holds the few types that every room's Params share: how a mistake in a setting is reported, and sizes
// that people write as 1MiB.
//
// A room describes its settings once, by a Params struct whose fields carry tags:
//
//	Age time.Duration `key:"age" doc:"how long a document is remembered" example:"24h"`
//
// Tags: key (the name below the room's section), doc (one sentence), called (what help calls the value,
// where its type does not say it), enum (allowed words, separated by |), secret
// ("true" masks the value), verdict ("true" marks a setting that decides verdicts and so belongs to the settings
// fingerprint), omit (the value at which such a setting is left out of the canonical settings), bound ("true" marks
// such a setting that can be changed while what is remembered stays), files ("true" marks a setting that only the
// verbs for files have: a service always has its default; its canonical settings leave that out, or have what was
// computed in its place), advanced ("true" marks a setting, or a section with all below it, that nearly nobody sets). If the words of a setting come
// from a table in the code, the struct is a Chooser and the field has no enum. Field types are string, bool, int,
// float64, time.Duration, Bytes, []string, map[string]string, a nested struct of the same kind (a section), or a slice
// of such structs (a list of sections, whose elements may be Defaulters). A struct under key:"" adds its fields to the
// surrounding section. A field under key:"-" is no setting.
//
// Everything else follows from the tags: Walk and Fields list the settings that are there, WalkShape and Shape those
// that can be, once for each list; Field reads and writes them as text,
// Canonical writes those that decide verdicts as the journal declares them, and Diff says where two members disagree.
package setting
