package index

import (
	"time"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Params decide verdicts. All of them are part of the settings fingerprint.
type Params struct {
	Duplicates DuplicatesParams `key:"duplicates"`
	Normalize  text.Params      `key:"normalize"`

	// OwnBounds keeps the bounds as they are here, whatever those are that the journal was begun with: for verbs that
	// work on files.
	OwnBounds bool `key:"-"`
}

// DuplicatesParams say when two documents are near-identical.
type DuplicatesParams struct {
	Threshold     float64 `key:"threshold" doc:"documents at least this similar are duplicates; up to four decimals" verdict:"true" bound:"true"`
	Shingle       string  `key:"shingle" doc:"what is compared: word:N, runs of N words; char:K, runs of K characters; auto:N, runs of words, or of as much text in scripts without spaces" called:"shingle" example:"word:3" verdict:"true"`
	Hash          string  `key:"hash" doc:"how shingles become numbers: murmur3, xxh64 and sha1 are for trying settings published with them, and slower" enum:"xxhash|murmur3|xxh64|sha1" verdict:"true" omit:"xxhash" files:"true"`
	Weighted      bool    `key:"weighted" doc:"a shingle counts as often as it occurs in a document, rather than once; with verify: levenshtein and minhash it always does" verdict:"true" advanced:"true"`
	Method        string  `key:"method" doc:"how candidates are found: minhash finds the share recall of the pairs at the threshold. simhash finds the pairs within distance: for short texts, few of those at 0.8" verdict:"true" advanced:"true"`
	Slots         int     `key:"slots" doc:"minhash: slots of a sketch; 0 takes as many as the cheapest bands and verify: estimate need; with a number and bands: 0, bands have as many rows as fit" verdict:"true" files:"true"`
	Plan          string  `key:"plan" doc:"minhash: how bands and rows are chosen: recall reaches duplicates.recall with the fewest candidates; area is the method of datasketch and does not" enum:"recall|area" verdict:"true" omit:"recall" files:"true"`
	Recall        float64 `key:"recall" doc:"minhash: share of the pairs exactly at the threshold that become candidates; with verify: levenshtein, of those with edits at random places" verdict:"true" advanced:"true"`
	Bands         int     `key:"bands" doc:"minhash: bands of the slots, with rows; 0 plans both for recall" verdict:"true" files:"true"`
	Rows          int     `key:"rows" doc:"minhash: slots in a band, with bands" verdict:"true" files:"true"`
	Bits          int     `key:"bits" doc:"simhash: bits of a sketch" enum:"32|64|128" verdict:"true" omit:"64" files:"true"`
	Distance      int     `key:"distance" doc:"simhash: documents that differ in up to so many bits become candidates, and with verify: estimate duplicates, whatever the threshold" verdict:"true" advanced:"true"`
	Verify        string  `key:"verify" doc:"how candidates are verified: jaccard compares all shingles, levenshtein the first 32 KiB of the texts rune by rune. estimate compares only the sketches: with minhash off by up to 0.07 at 0.8, so not for templates such as log lines" enum:"jaccard|levenshtein|estimate" verdict:"true" bound:"true"`
	Evidence      string  `key:"evidence" doc:"what is kept of a document: shingles (auto) keeps short hashes and no readable text; text keeps the text, which for char:K takes less memory and more time; verify: levenshtein needs the text" enum:"auto|shingles|text" verdict:"true" omit:"auto" files:"true"`
	MaxCandidates int     `key:"max_candidates" doc:"most documents that one is compared with, the most similar digests first; a record without a match that was not compared with all has the header unecho-cut" verdict:"true" bound:"true" advanced:"true"`
	MaxReferences int     `key:"max_references" doc:"most documents looked up under one key, the newest first, and 16 times as many under all keys of a document; each costs some 10 to 100 ns, for a digest of 32 bytes" verdict:"true" omit:"1024" files:"true"`
	MaxWork       int     `key:"max_work" doc:"most steps for comparing one document, of some 10 ns each. A compared shingle takes 1, a byte of text that is cut into shingles 6, a pair of 32 KiB by levenshtein 2 million. A candidate that exceeds the remaining budget is skipped" verdict:"true" omit:"2000000" files:"true"`

	Ignore string `key:"ignore" called:"file" doc:"a file of passages that do not count, such as templates: unecho common writes it. Members agree on its content; not with verify: levenshtein" example:"common.txt" advanced:"true"`

	CompareCopies bool `key:"compare_copies" doc:"compare documents with copies, too, and not only with unique documents; this finds copies of copies" verdict:"true" bound:"true" advanced:"true"`

	Remember RememberParams `key:"remember" doc:"How long documents are remembered, and how many."`

	Signed  Signed       `key:"-"`
	Ignored text.Ignored `key:"-"` // what the file of Ignore holds
}

// Signed has the settings by which documents are signed, where bounds that are in force differ from those that the
// journal was begun with. The zero Signed means that they do not differ.
type Signed struct {
	Threshold float64
	Verify    string
}

// asSigned returns the settings by which documents are signed.
func (p DuplicatesParams) asSigned() DuplicatesParams {
	if p.Signed != (Signed{}) {
		p.Threshold, p.Verify, p.Signed = p.Signed.Threshold, p.Signed.Verify, Signed{}
	}
	return p
}

// Shingling returns the shingling that Shingle and Hash select, without what is ignored.
func (p *DuplicatesParams) Shingling() (text.Shingling, error) {
	shingling, err := text.ParseShingling(p.Shingle)
	if err != nil {
		return text.Shingling{}, err
	}
	hash, err := text.ParseHash(p.Hash)
	if err != nil {
		return text.Shingling{}, err
	}
	return shingling.Hashed(hash).Ignoring(p.Ignored), nil
}

// Choices returns the values of a setting whose values stand in a table, and nil for other settings.
func (DuplicatesParams) Choices(key string) []string {
	if key == "method" {
		return sketch.Names()
	}
	return nil
}

// RememberParams say how long documents are remembered. Memory counts documents as if all of them were in memory, whatever
// Directory is, because it decides verdicts. SizingOf says what a member with a Directory takes, and what it takes for some time
// to make a block.
type RememberParams struct {
	Age       time.Duration `key:"age" doc:"how long a document is remembered; 0 is no bound" example:"24h" verdict:"true" bound:"true"`
	Documents int           `key:"documents" doc:"most documents that are remembered; 0 is no bound" verdict:"true" bound:"true" advanced:"true"`
	Memory    setting.Bytes `key:"memory" doc:"most memory for the remembered documents; 0 is no bound" example:"1GiB" verdict:"true" bound:"true"`
	Clock     string        `key:"clock" doc:"the time that age counts from: arrival in the journal, or the documents' own times (event)" enum:"arrival|event" verdict:"true" advanced:"true"`
	Keys      time.Duration `key:"keys" doc:"how long idempotency keys (header unecho-idempotency-key) are remembered, the last million at most: the same document with the same key goes to duplicate; 0s ignores keys" example:"1h" verdict:"true" bound:"true" omit:"0s" advanced:"true"`

	Refresh     string        `key:"refresh" doc:"what a unique document's age counts from: itself (first), or its last copy (last), which keeps repeated documents remembered" enum:"first|last" verdict:"true" bound:"true" advanced:"true"`
	ReemitEvery time.Duration `key:"reemit_every" doc:"let a copy through as unique if no similar document came through for so long; 0 lets none through" example:"6h" verdict:"true" bound:"true" advanced:"true"`

	Directory string `key:"directory" doc:"a directory of this member alone where old documents lie: of them memory keeps mostly filters. Verdicts do not depend on it. Empty: all in memory" example:"/var/lib/unecho/window" advanced:"true"`

	// Tolerance is how far a clock may run ahead before it is capped, and a document lie behind the stream before it is
	// marked as late. It is no setting: tests vary it.
	Tolerance time.Duration `key:"-"`
}

// Values of settings that the code compares with. The tags list all values.
const (
	verifyLevenshtein = "levenshtein"
	verifyEstimate    = "estimate"
	planArea          = "area"
	evidenceAuto      = "auto"
	evidenceShingles  = "shingles"
	evidenceText      = "text"
	clockEvent        = "event"
	refreshFirst      = "first"
	refreshLast       = "last"
)

// Refreshes says whether a repeat keeps its representative in the window.
func (p *Params) Refreshes() bool { return p.Duplicates.Remember.Refresh == refreshLast }

// MarksLate says whether a document whose time lies behind the stream's is marked.
func (p *Params) MarksLate() bool { return p.Duplicates.Remember.Clock == clockEvent }

// DefaultParams are the defaults of design section 11.
func DefaultParams() Params {
	return Params{
		Duplicates: DuplicatesParams{
			Threshold: 0.8, Shingle: "auto:3", Hash: "xxhash", Method: "minhash", Plan: "recall", Recall: 0.98,
			Bits: 64, Distance: 3,
			Verify: "jaccard", Evidence: evidenceAuto,
			MaxCandidates: 256, MaxReferences: 1024, MaxWork: 2_000_000,
			Remember: RememberParams{
				Age: 24 * time.Hour, Memory: setting.GiB, Clock: "arrival", Tolerance: 5 * time.Minute, Refresh: refreshFirst,
			},
		},
		Normalize: text.DefaultParams(),
	}
}
