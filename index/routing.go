package index

import "bytes"

// Routes are those in force.
func (r *Replica) Routes() Routes { return r.routes }

// Routed is the hash of the routes in force; 0 if there are none.
func (r *Replica) Routed() uint64 { return r.routed }

// applyRouting puts the next routing in force; the first that is read is the next, for the journal's head may be trimmed. No
// clock moves: it says nothing of documents.
func (r *Replica) applyRouting(rec *Routing) Effect {
	if rec.Number == 0 || r.routes.Number > 0 && rec.Number != r.routes.Number+1 {
		return Effect{}
	}
	r.route(rec.Routes)
	return Effect{Applied: true}
}

// adoptRoutes takes the routes from a checkpoint where no routing was read.
func (r *Replica) adoptRoutes(c *Checkpoint) {
	if r.inForce && c.Fingerprint == r.fingerprint && r.routes.Number == 0 && c.Routes.Number > 0 {
		r.route(c.Routes)
	}
}

func (r *Replica) route(to Routes) {
	r.routes = Routes{Number: to.Number, Text: bytes.Clone(to.Text)}
	r.routed = r.routes.Hash()
}
