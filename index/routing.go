package index

import "bytes"

// Routes returns the routes in force.
func (r *Replica) Routes() Routes { return r.routes }

// Routed returns the hash of the routes in force, or 0 if there are none.
func (r *Replica) Routed() uint64 { return r.routed }

// applyRouting puts a routing in force if it is the next one. If none is in force yet, any number is the next, because
// the journal's head may be trimmed. No clock moves, because a routing says nothing about documents.
func (r *Replica) applyRouting(rec *Routing) Effect {
	if rec.Number == 0 || r.routes.Number > 0 && rec.Number != r.routes.Number+1 {
		return Effect{}
	}
	r.route(rec.Routes)
	return Effect{Applied: true}
}

// earlyRouting notes a routing that was read before any settings. That happens to a replica that begins where the
// journal was trimmed.
func (r *Replica) earlyRouting(rec *Routing) {
	// others are of an early version, or strangers
	if r.early.Fingerprint != r.fingerprint && rec.Fingerprint == r.fingerprint {
		r.early = Routing{}
	}
	same := rec.Fingerprint == r.early.Fingerprint
	if r.early.Number == 0 || same && rec.Number == r.early.Number+1 {
		r.early = Routing{Header: rec.Header, Routes: Routes{Number: rec.Number, Text: bytes.Clone(rec.Text)}}
	}
}

// adoptRoutes takes the routes from a checkpoint if no routing is in force. They are those at the checkpoint's offset.
// A routing that was read between that offset and the checkpoint is newer, and is taken instead.
func (r *Replica) adoptRoutes(c *Checkpoint) {
	to := c.Routes
	if r.early.Fingerprint == r.recorded && r.early.Number > to.Number {
		to = r.early.Routes
	}
	if r.inForce && c.Fingerprint == r.recorded && r.routes.Number == 0 && to.Number > 0 {
		r.route(to)
	}
	if r.inForce {
		r.early = Routing{}
	}
}

func (r *Replica) route(to Routes) {
	r.routes = Routes{Number: to.Number, Text: bytes.Clone(to.Text)}
	r.routed = r.routes.Hash()
}
