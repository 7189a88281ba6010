package index

import "bytes"

// routing is what the journal says of routes.
type routing struct {
	routes Routes // in force
	hash   uint64 // of them
	early  []Routing
}

// Routes returns the routes in force.
func (r *Replica) Routes() Routes { return r.routing.routes }

// Routed returns the hash of the routes in force, or 0 if there are none.
func (r *Replica) Routed() uint64 { return r.routing.hash }

func (rec *Routing) apply(r *Replica, _ Stamp) Effect { return Effect{Applied: r.routing.next(rec)} }

// note keeps a routing that was read before any settings. That happens to a replica that begins where the journal was
// trimmed. Which of several counts is known when the routing before them is.
func (rec *Routing) note(r *Replica) {
	if early := &r.routing.early; !r.inForce {
		*early = append(*early, Routing{Header: rec.Header, Routes: Routes{Number: rec.Number, Text: bytes.Clone(rec.Text)}})
	}
}

func (rec *Routing) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Number)).mix(rec.Hash())
}

// next puts a routing in force if it is the next one. If none is in force yet, any number is the next, because the
// journal's head may be trimmed. No clock moves, because a routing says nothing about documents.
func (g *routing) next(rec *Routing) bool {
	if rec.Number == 0 || g.routes.Number > 0 && rec.Number != g.routes.Number+1 {
		return false
	}
	g.set(rec.Routes)
	return true
}

// adopt takes the routes from a checkpoint, in a replica of the same settings, if no routing is in force. They are those
// at the checkpoint's offset. Routings that were read since are newer.
func (g *routing) adopt(c *Checkpoint, fingerprint uint64) {
	if c.Fingerprint == fingerprint && g.routes.Number == 0 {
		if c.Routes.Number > 0 {
			g.set(c.Routes)
		}
		for i := range g.early {
			if rec := &g.early[i]; rec.Fingerprint == fingerprint {
				g.next(rec)
			}
		}
	}
	g.early = nil
}

func (g *routing) set(to Routes) {
	g.routes = Routes{Number: to.Number, Text: bytes.Clone(to.Text)}
	g.hash = g.routes.Hash()
}
