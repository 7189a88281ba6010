// Package preview says what a configuration makes of the newest documents of a source, before any of them is forwarded. It reads
// and signs some of them as a session does, by signing.Worker, and keeps counts, coordinates and names of fields. It keeps no
// text, forwards and remembers nothing, joins no group and commits no offset.
package preview
