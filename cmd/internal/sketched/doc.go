// Package sketched is the sketches and band keys of documents as people and scripts read them, and the signer of those verbs that
// look at one document at a time.
package sketched
