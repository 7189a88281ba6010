package document

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// Scope returns the scope of a topic's document whose name is given from outside, as a record of that name has it. A
// partition's name is its number, and that of a template is what it becomes. Where documents have scopes a name is needed, and
// where they have none it is refused: ErrScope. Where sources differ in what their scopes are, the topic is needed too.
func (r *Reader) Scope(topic, name string) (uint64, error) {
	if topic == "" && r.by != nil && slices.ContainsFunc(r.by.readers, func(o *Reader) bool { return o.scope.kind != r.scope.kind }) {
		return 0, fmt.Errorf("%w: name the topic; the scopes of several sources are not alike (sources.scope)", ErrScope)
	}
	r = r.reads(topic)
	switch {
	case r.scope.kind == selectNothing && name == "":
		return 0, nil
	case r.scope.kind == selectNothing:
		return 0, fmt.Errorf("%w: documents have no scope here, because sources.scope is not set", ErrScope)
	case name == "":
		return 0, fmt.Errorf("%w: name the scope; documents are compared within one (sources.scope)", ErrScope)
	case r.scope.kind == selectPartition:
		n, err := strconv.ParseInt(name, 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%w: %q is no number of a partition, and those are the scopes here", ErrScope, name)
		}
		number := binary.LittleEndian.AppendUint32(nil, uint32(n))
		scope, _ := hashScope(selectPartition, number, nil)
		return scope, nil
	}
	scope, _ := hashScope(r.scope.kind, []byte(name), nil)
	return scope, nil
}
