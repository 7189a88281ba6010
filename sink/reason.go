package sink

// Reason says why a document goes to the rejected topic. The set is closed: it labels metrics and is promised to
// readers of the unecho-reason header.
type Reason string

// Reasons.
const (
	// more bytes than advanced.max_document_bytes, or than an id, an output or the journal takes
	TooLarge        Reason = "too_large"
	InvalidEncoding Reason = "invalid_encoding" // not UTF-8, where sources.reject has invalid_encoding
	InvalidJSON     Reason = "invalid_json"     // not well-formed JSON
	// not well-formed in another format, or in base64, or not as its schema says
	Undecodable   Reason = "undecodable"
	UnknownSchema Reason = "unknown_schema" // its schema is not known to the registry, or cannot be used
	MissingField  Reason = "missing_field"  // a field of the text, or one that the scope is read from, is absent
	// the value is no JSON object, or a field holds something that cannot be text
	WrongType     Reason = "wrong_type"
	Empty         Reason = "empty"          // no text, where sources.reject has empty
	BadTimestamp  Reason = "bad_timestamp"  // its timestamp cannot be written: see Writable
	OutputRefused Reason = "output_refused" // its output topic refused the record
)

// Reasons lists every Reason, in the order of deploy/docs/start.md.
func Reasons() []Reason {
	return []Reason{
		TooLarge, InvalidEncoding, InvalidJSON, Undecodable, UnknownSchema, MissingField, WrongType, Empty, BadTimestamp,
		OutputRefused,
	}
}

// Remedy says what a person can do about documents that are rejected for it.
func (r Reason) Remedy() string {
	switch r {
	case TooLarge:
		return "raise the setting that unecho-detail names on the rejected record, or keep such documents out of the source"
	case InvalidEncoding:
		return "have producers write UTF-8, or take invalid_encoding out of sources.reject"
	case InvalidJSON, Undecodable:
		return "compare sources.format, and sources.schema.framing, with what producers write"
	case UnknownSchema:
		return "register the schema, or correct schema_registry"
	case MissingField, WrongType:
		return "compare sources.text, and the fields in sources.scope, with a document: names are written title or article.body"
	case Empty:
		return "name the fields that hold the text in sources.text, or take empty out of sources.reject"
	case BadTimestamp:
		return "have producers write timestamps in milliseconds since 1970"
	case OutputRefused:
		return "raise max.message.bytes of the output topic, or lift its limits of timestamps"
	}
	return ""
}

// UncheckedReason says why a document was forwarded without being judged. The set is closed: it labels metrics and is
// promised to readers of the unecho-unchecked header. A document that is to be judged has none, which is "".
type UncheckedReason string

// Reasons for forwarding a document without judging it.
const (
	ByCondition UncheckedReason = "condition" // of sources.when, which does not hold
	InOutage    UncheckedReason = "outage"    // of the journal, with advanced.pass_after
)

// UncheckedReasons lists every UncheckedReason.
func UncheckedReasons() []UncheckedReason { return []UncheckedReason{ByCondition, InOutage} }

// Remedy says what a person can do about documents that are not judged for it.
func (r UncheckedReason) Remedy() string {
	switch r {
	case ByCondition:
		return "correct sources.when, if such documents are to be judged"
	case InOutage:
		return "mend the journal's brokers: such documents are recorded when it answers again"
	}
	return ""
}

func longest[R ~string](reasons []R) (n int) {
	for _, r := range reasons {
		n = max(n, len(r))
	}
	return n
}
