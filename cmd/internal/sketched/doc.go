// Package sketched shows the sketches and band keys of documents to people and scripts. Its Signer is for verbs that
// look at one document at a time.
package sketched
