// Package storetest tests that every snapshot.Store keeps the same contract. A store's own tests call Run with
// functions that open its backing, damage it, and make it older.
package storetest
