// Package snapshots has the verbs about stored snapshots: it lists, shows, verifies, prunes, exports and imports them, and
// describes them to people and to scripts.
//
// The verbs need a store only, neither Kafka nor a running service, and work beside one. Which stores there are is for
// config; how a snapshot is read whole is for index/snapshot/verify. Lines and details in JSON are a promise to scripts.
package snapshots
