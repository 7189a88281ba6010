package sim

// Small is a world that can be explored whole.
type Small struct {
	Name   string
	Params Params
	Limits Limits
}

// Smalls are worlds of two members, a session each, each with other mishaps.
func Smalls() []Small {
	base := Params{Members: 2, Sessions: 1, Partitions: 1, Documents: 2, Contents: 1, Arrived: true, Poll: 2, Entries: 1}
	with := func(change func(*Params)) Params {
		p := base
		change(&p)
		return p
	}
	of := []Small{
		{"crash", with(func(p *Params) { p.Documents = 1 }), Limits{Crash: 1}},
		{"network", base, Limits{Network: 1}},
		{"group", base, Limits{Group: 1}},
		{"zombie", with(func(p *Params) { p.Documents = 1 }), Limits{Crash: 1, Network: 1}},
		{"twice", with(func(p *Params) { p.Documents = 1 }), Limits{Network: 2}},
		{"offsets", with(func(p *Params) { p.Documents, p.SetOffsets, p.DeleteOffsets = 1, true, true }), Limits{Person: 1}},
		{"rewind", with(func(p *Params) { p.Documents, p.SetOffsets = 1, true }), Limits{Person: 1, Network: 1}},
		{"refused", with(func(p *Params) { p.Contents, p.Refuses = 2, 2 }), Limits{Network: 1}},
		{"snapshots", with(func(p *Params) { p.Documents, p.Snapshots = 1, true }), Limits{Capture: 2, Crash: 1}},
		{"stray", base, Limits{Stray: 1}},
		{"bounds", with(func(p *Params) { p.Documents, p.Changes = 1, true }), Limits{Person: 2}},
		{"outage", with(func(p *Params) { p.Outages = true }), Limits{Outage: 2}},
		{"outage-crash", with(func(p *Params) { p.Documents, p.Outages = 1, true }), Limits{Outage: 1, Crash: 1}},
		{"requests", with(func(p *Params) { p.Requests, p.Reemit = true, 1 }), Limits{Network: 1}},
		{"erase", with(func(p *Params) { p.Erasures = true }), Limits{Person: 1}},
		{"partitions", with(func(p *Params) { p.Partitions, p.Documents = 2, 1 }), Limits{Crash: 1}},
	}
	return append(of, smallBackfills()...)
}

// smallBackfills are backfills of two partitions with a document each, with each mishap and each two of them.
func smallBackfills() (of []Small) {
	p := Params{
		Backfill: true, Members: 2, Sessions: 1, Partitions: 2, Documents: 1, Contents: 1, Arrived: true, Poll: 2, Entries: 1,
		Feeds:    2,
		MostHeld: 4, Queued: 1 << 20,
	}
	single := []struct {
		name   string
		mishap Mishap
	}{{"network", Network}, {"crash", Crash}, {"group", Group}, {"feeders", Feeding}, {"stray", Stray}}
	for i, a := range single {
		one := Limits{}
		one[a.mishap]++
		of = append(of, Small{"backfill-" + a.name, p, one})
		for _, b := range single[i:] {
			two := one
			two[b.mishap]++
			of = append(of, Small{"backfill-" + a.name + "-" + b.name, p, two})
		}
	}
	return of
}
