// Package explain takes two documents apart: what is compared of them, how similar they are by each measure, what the service
// would decide under the settings, why, and which setting would have it decide otherwise.
package explain
