package sim

// Explored is what Explore has seen.
type Explored struct {
	Histories int
	Steps     int
	Last      Result // which breaks something, or nothing does
}

// Small is a world in which all mishaps can be tried: two members, one partition, three documents.
func Small() Params {
	return Params{
		Members: 2, Sessions: 1, Partitions: 1, Documents: 3, Contents: 2, Steps: 50, Refuses: 1,
		SetOffsets: true, LoseOffsets: true, LoseTail: true, Snapshots: true, Strangers: true,
	}
}

// Explore goes through all histories of a seed with up to so many mishaps: one with none, one for each place at which
// something can go wrong, one for each two of them, and so on. It ends at the first that breaks something.
func Explore(p Params, seed uint64, mishaps int) Explored {
	var e Explored
	e.from(p, seed, nil, mishaps)
	return e
}

// from takes a history with mishaps at the given places, and then adds each of the later places in turn.
func (e *Explored) from(p Params, seed uint64, at []int, mishaps int) {
	w := placed(p, seed, at)
	e.Last = w.run()
	e.Histories++
	e.Steps += e.Last.Steps
	if e.Last.Failure != "" {
		again := placed(p, seed, at)
		again.tracing = true
		e.Last = again.run()
		return
	}
	next := 0
	if len(at) > 0 {
		next = at[len(at)-1] + 1
	}
	for ; mishaps > 0 && next < w.could && e.Last.Failure == ""; next++ {
		e.from(p, seed, append(at[:len(at):len(at)], next), mishaps-1)
	}
}

// placed is the beginning of a history whose mishaps are given.
func placed(p Params, seed uint64, at []int) *World {
	c := random(seed)
	c.placed, c.at = true, at
	return begin(p, c)
}
