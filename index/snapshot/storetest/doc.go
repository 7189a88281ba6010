// Package storetest holds every snapshot.Store to the same contract. A store's own tests call Run with the means to open its
// backing, to damage it, and to let it age.
package storetest
