package random

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Params varies the settings: every sketch, verification and evidence, both clocks, every bound of the window alone and
// combined, and the settings for copies. The bounds are so small that documents leave the window all the time.
func Params(seed uint64) index.Params {
	r := rand.New(rand.NewPCG(seed, 0x7061_7261_6d73))
	p := index.DefaultParams()
	p.Duplicates.Threshold = pick(r, 0.8, 0.8, 0.5, 0.6667, 1)
	p.Duplicates.Shingle = pick(r, "word:3", "word:2", "word:1", "char:5")
	p.Duplicates.Weighted = r.IntN(4) == 0
	findBy(r, &p.Duplicates)
	verifyBy(r, &p.Duplicates)
	r.IntN(3) // keeps the meaning of existing seeds, as do those below
	p.Duplicates.MaxCandidates = pick(r, 1, 3, 16, 64)
	p.Duplicates.Remember = index.RememberParams{
		Clock:     pick(r, "arrival", "event"),
		Tolerance: pick(r, 0, 100*time.Millisecond, 10*time.Second),
	}
	if p.Duplicates.Remember.Clock == "event" {
		r.IntN(3)
	}
	age, count, size := pick(r, 2*time.Second, 20*time.Second, 3*time.Hour), pick(r, 1, 20, 100),
		pick(r, 2*setting.KiB, 16*setting.KiB)
	switch r.IntN(5) {
	case 0:
		p.Duplicates.Remember.Age = age
	case 1:
		p.Duplicates.Remember.Documents = count
	case 2:
		p.Duplicates.Remember.Memory = size
	default:
		p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = age, 4*count, 4*size
	}
	if Fills(seed) { // else what is judged drives out what was filled
		p.Duplicates.Remember.Age *= 10
		if p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = 20*p.Duplicates.Remember.Documents, 60*p.Duplicates.Remember.Memory; p.Duplicates.Remember.Age > 0 && r.IntN(2) == 0 {
			p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = 0, 0
		}
	}
	p.Duplicates.Hash = pick(r, "xxhash", "xxhash", "xxhash", "xxhash", "murmur3", "xxh64", "sha1")
	if r.IntN(4) == 0 {
		p.Duplicates.Shingle = "auto:2"
	}
	if p.Duplicates.Verify == "levenshtein" && p.Duplicates.EstimatedBy() == compare.Estimate && p.Duplicates.Bands == 0 {
		planByEdits(r, &p.Duplicates)
	}
	p.Duplicates.Remember.Refresh = pick(r, "first", "last")
	p.Duplicates.Remember.ReemitEvery = pick(r, 0, 0, time.Second, 10*time.Second, time.Hour)
	p.Duplicates.CompareCopies = pick(r, false, false, true)
	p.Duplicates.MaxReferences = pick(r, 2, 8, 64, 2560, 2560)
	p.Duplicates.MaxWork = pick(r, 100, 2000, 1_000_000, 1_000_000, 1_000_000)
	if Requests(seed) {
		p.Duplicates.Remember.Keys = pick(r, 2*time.Second, 20*time.Second, time.Hour)
	}
	if seed%11 == 4 && p.Duplicates.Verify != "levenshtein" { // among them two that keep texts
		p.Duplicates.Ignored = ignored(p.Duplicates)
	}
	return p
}

// ignored has every third shingle of the first words of a history, so that most texts lose some, and short ones all.
func ignored(p index.DuplicatesParams) text.Ignored {
	shingling, err := p.Shingling()
	if err != nil {
		panic(err) // a bug of ours
	}
	words, hashes := texts{}, []uint64(nil)
	var all []string
	for range 2000 {
		all = append(all, words.word())
	}
	for i, hash := range shingling.AppendHashes(nil, []byte(strings.Join(all, " "))) {
		if i%3 == 0 {
			hashes = append(hashes, hash)
		}
	}
	return text.Ignore("some", hashes)
}

func findBy(r *rand.Rand, p *index.DuplicatesParams) {
	if r.IntN(3) == 0 {
		p.Method = scheme(r, true)
		p.Bits = pick(r, 32, 64, 128, 128)
		p.Distance = p.Bits/16 - 1 - r.IntN(2)
		p.Distance += pick(r, 0, 0, 1)
		return
	}
	p.Method = scheme(r, false)
	p.Slots, p.Recall = pick(r, 32, 64), 0.9
	if r.IntN(4) == 0 {
		p.Bands, p.Rows = 8, pick(r, 1, 2, 4)
	}
}

// scheme returns one of the schemes by distance, or one of the others.
func scheme(r *rand.Rand, byDistance bool) string {
	names := slices.DeleteFunc(sketch.Names(), func(name string) bool {
		s, err := sketch.SchemeOf(name)
		return err != nil || s.ByDistance() != byDistance
	})
	if len(names) == 1 {
		return names[0] // keeps the meaning of existing seeds
	}
	return pick(r, names...)
}

func verifyBy(r *rand.Rand, p *index.DuplicatesParams) {
	p.Verify = pick(r, "jaccard", "jaccard", "estimate", "estimate", "levenshtein")
	if p.EstimatedBy() == compare.Hamming && r.IntN(2) == 0 {
		p.Verify = "estimate" // few short texts are near enough to match within few bits
	}
	r.IntN(3)
	if p.Verify == "jaccard" {
		p.Evidence = pick(r, "auto", "shingles", "text")
	}
}

// planByEdits uses the one shingle for which bands can be planned whatever the threshold, or sets bands by hand.
func planByEdits(r *rand.Rand, p *index.DuplicatesParams) {
	if r.IntN(2) == 0 {
		p.Shingle, p.Slots = "char:1", 64
		return
	}
	p.Bands, p.Rows = 8, pick(r, 1, 2, 4)
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
