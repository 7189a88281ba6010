package index

// apply takes the settings, if the journal was begun with none before.
func (s *Settings) apply(r *Replica, at Stamp) Effect {
	if r.settings != nil {
		return Effect{}
	}
	r.fixSettings(s.Text)
	r.routing.early, r.earlyBounds = nil, nil
	r.clocks.appended(at.LogAppendTime, s.Wall)
	return Effect{Applied: true}
}

func (s *Settings) fold(h running, _ *Replica) running { return h.mix(Hash(s.Text)) }

// fixSettings takes the text that the journal was begun with.
func (r *Replica) fixSettings(text []byte) {
	r.settings = append([]byte{}, text...)
	p, err := r.find.params.begunWith(text)
	if r.inForce = err == nil && r.fingerprint == Fingerprint(text) && r.assemble(p) == nil; !r.inForce {
		return
	}
	r.bounds = Bounds{Text: BoundsOf(text)}
}

// adoptSettings takes the settings from a checkpoint if the record that declared them was trimmed.
func (r *Replica) adoptSettings(c *Checkpoint) {
	if r.settings != nil || len(c.Settings) == 0 || Fingerprint(c.Settings) != c.Fingerprint {
		return
	}
	if r.fixSettings(c.Settings); r.inForce {
		r.adoptBounds(c)
	}
}
