// Package document reads a Kafka record as a document: its text, its id, and its scope. A document is compared only
// with documents of the same scope. The package comes before signing: it refuses a record before anything is appended
// to the journal.
//
// A format is a decoder. Those of JSON, MessagePack, CBOR, Avro and Protobuf walk the value once, build no tree, and note where the
// paths of the settings lead. Their work is bounded by the bytes of the value, whatever its counts and lengths say.
//
// A bad document is data, not an error. Read answers with a Rejection, whose reason labels metrics and whose detail
// says where the record is wrong. The detail never contains text of the document. All settings decide verdicts, so
// every member must read alike:
//
//   - The JSON scanner is this package's own: one pass, no copies, nesting bounded, and the same on every toolchain. It
//     accepts what RFC 8259 accepts, and NaN, Infinity and -Infinity, which Python writes by default. It skips a byte order
//     mark before the value.
//   - MessagePack, CBOR and Avro are dialects of one walk, and Protobuf has another. No library decodes values: it would make
//     up to a hundred times their bytes of them, and more. What the walks accept is what other readers of the formats accept;
//     fuzz targets hold them to it. Of Protobuf, what lies in fields that nobody asks for is skipped by its length. Schemas
//     of Avro and Protobuf are parsed by libraries.
//   - If a key occurs twice in an object, the last one counts, as it does for nearly every reader downstream. The same
//     holds for a header that occurs twice.
//   - A null counts as absent, and so does NaN. A string without a character is a text that is empty. Whether one of
//     several fields may be absent is a setting (reject); where all are, there is no text, and the document is rejected. Field names
//     are compared byte for byte, after unescaping.
//   - Strings of an array are joined by line breaks, and so are several fields, in the order of the settings. The path
//     of a text leads through arrays of objects, to the text of each; of id, scope and conditions it does not, as they are one.
//   - A string of a field that holds HTML or base64 is read so after it was unescaped, and before it is joined. It is read
//     by the HTML of package text, so that a field and a whole text of HTML are the same. No text is longer than
//     advanced.max_document_bytes, whatever separators, character references and symbols of a schema make of it. What else is in
//     a value is not bounded here: walking it takes a time that its bytes bound.
//   - Whether the strings that are read may hold invalid UTF-8 and lone surrogates is a setting (reject). A text
//     keeps its bytes, for package text to judge. In ids and scopes U+FFFD stands for them.
//   - If the id is absent, the coordinates are the id. An id of more than sink.MaxIDBytes is a rejection, because
//     headers have no room for more. Of an id of several parts each is needed.
//   - A template is injective: two records that differ in a part have different ids and scopes. A part ends at the first
//     character of what stands behind it, which is escaped in parts. A test reads the parts back.
//   - An absent scope is a rejection. Otherwise documents of unknown scopes would be compared with each other.
//   - A record of which a condition (when) does not hold is no document, and is no reason for a rejection. Headers
//     and the size are looked at before anything else, fields before the text.
//   - A topic is read by the source that names it, else by the first whose pattern fits its whole name.
//   - An empty document (a tombstone, white space, an empty string) is never compared and so needs no scope.
package document
