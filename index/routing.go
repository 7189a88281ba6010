package index

import "bytes"

// Routes returns the routes in force.
func (r *Replica) Routes() Routes { return r.routes }

// Routed returns the hash of the routes in force, or 0 if there are none.
func (r *Replica) Routed() uint64 { return r.routed }

// apply puts a routing in force if it is the next one. If none is in force yet, any number is the next, because
// the journal's head may be trimmed. No clock moves, because a routing says nothing about documents.
func (rec *Routing) apply(r *Replica, _ Stamp) Effect {
	if rec.Number == 0 || r.routes.Number > 0 && rec.Number != r.routes.Number+1 {
		return Effect{}
	}
	r.route(rec.Routes)
	return Effect{Applied: true}
}

// note keeps a routing that was read before any settings. That happens to a replica that begins where the journal was
// trimmed. Which of several counts is known when the routing before them is.
func (rec *Routing) note(r *Replica) {
	if !r.inForce {
		r.early = append(r.early, Routing{Header: rec.Header, Routes: Routes{Number: rec.Number, Text: bytes.Clone(rec.Text)}})
	}
}

func (rec *Routing) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Number)).mix(rec.Hash())
}

// adoptRoutes takes the routes from a checkpoint if no routing is in force. They are those at the checkpoint's offset.
// Routings that were read since are newer.
func (r *Replica) adoptRoutes(c *Checkpoint) {
	if !r.inForce {
		return
	}
	if c.Fingerprint == r.fingerprint && r.routes.Number == 0 {
		if c.Routes.Number > 0 {
			r.route(c.Routes)
		}
		for i := range r.early {
			if rec := &r.early[i]; rec.Fingerprint == r.fingerprint {
				rec.apply(r, Stamp{})
			}
		}
	}
	r.early = nil
}

func (r *Replica) route(to Routes) {
	r.routes = Routes{Number: to.Number, Text: bytes.Clone(to.Text)}
	r.routed = r.routes.Hash()
}
