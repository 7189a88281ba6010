// Package registry asks a registry of schemas what the numbers mean that stand before values.
//
// It tells two cases apart, because a record may be rejected for the one and never for the other:
//
//   - The registry says that it does not know a schema: ErrUnknown, after it was asked twice.
//   - It says nothing of use: it is away, too slow, refuses the login, or answers with something else, like a page of a
//     proxy. That is an *AwayError, and is asked again later.
//
// What a registry says of a number holds for ever, so a Cache keeps it. A password and a token that come from files are
// read again for each request, so that they can be renewed while the process runs.
package registry
