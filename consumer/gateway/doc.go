// Package gateway takes documents for a source topic from clients that know no Kafka, and tells them the verdicts.
//
//	Send ──▶ known? ──▶ produce ──▶ wait: the replica has judged the request, and the group has committed it
//	            │                                                                  ▲
//	            └────────────── the request came before: nothing is produced ──────┘
//
// A document that has an idempotency key is a request (design 4, rule 19). All that the gateway knows of it, it asks of
// this member's replica, and each member's replica knows the same. So a client may repeat a request to any member, and
// a gateway remembers nothing itself.
package gateway
