// Package token gets the tokens for logins to Kafka (SASL/OAUTHBEARER), and replaces them before they expire. They come
// from a token endpoint (OAuth 2.0 client credentials), or from a file that somebody else keeps fresh.
//
//	login ──▶ Cache.Token ──▶ fetch: endpoint | file
//	               │
//	               └─ the token at hand, until shortly before it expires
//
// The Kafka client asks at each login, and again shortly before the broker ends a session (KIP-368). Neither errors nor
// log lines hold a token or a secret.
package token
