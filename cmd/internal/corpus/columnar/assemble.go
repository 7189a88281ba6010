package columnar

import "github.com/parquet-go/parquet-go"

// append appends what is wanted of a row: a node of it, at the level where all above it is there.
func (r *Rows) append(dst []byte, n *node) ([]byte, error) {
	if len(dst)-r.begun > MaxRow {
		return dst, ErrTooLarge
	}
	if n.repeated {
		return r.appendElements(dst, n)
	}
	if n.optional {
		there, err := r.there(n)
		if err != nil {
			return dst, err
		}
		if !there {
			return append(dst, "null"...), r.skip(n)
		}
	}
	return r.appendContent(dst, n)
}

// appendElements appends the elements of a repeated node, if there are any.
func (r *Rows) appendElements(dst []byte, n *node) ([]byte, error) {
	there, err := r.there(n)
	if err != nil {
		return dst, err
	}
	if !there {
		return append(dst, "[]"...), r.skip(n)
	}
	dst = append(dst, '[')
	for more := true; more; {
		if len(dst)-r.begun > MaxRow {
			return dst, ErrTooLarge
		}
		if dst, err = r.appendContent(dst, n); err != nil {
			return dst, err
		}
		next, ok, err := r.columns[n.leaf].peek()
		if err != nil {
			return dst, err
		}
		if more = ok && next.RepetitionLevel() == n.repeats; more {
			dst = append(dst, ',')
		}
	}
	return append(dst, ']'), nil
}

// appendContent appends a node that is there, or an element of it.
func (r *Rows) appendContent(dst []byte, n *node) (_ []byte, err error) {
	if n.write != nil {
		v, err := r.columns[n.leaf].take()
		if err != nil {
			return dst, err
		}
		if v.IsNull() {
			return append(dst, "null"...), nil
		}
		if v.Kind() == parquet.ByteArray && len(dst)-r.begun+len(v.ByteArray()) > MaxRow { // as JSON it may be six times as long
			return dst, ErrTooLarge
		}
		return n.write(dst, v), nil
	}
	if n.through {
		return r.append(dst, n.children[0])
	}
	dst = append(dst, '{')
	for i, child := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = r.append(append(dst, child.key...), child); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// there says whether a node is there, by the first of its columns.
func (r *Rows) there(n *node) (bool, error) {
	v, ok, err := r.columns[n.leaf].peek()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, damaged("column %s has fewer values than the row group has rows", r.columns[n.leaf].name)
	}
	return v.DefinitionLevel() >= n.defined, nil
}

// skip goes on behind a node that is not there: each of its columns has a value that says so.
func (r *Rows) skip(n *node) error {
	if n.write != nil {
		_, err := r.columns[n.leaf].take()
		return err
	}
	for _, child := range n.children {
		if err := r.skip(child); err != nil {
			return err
		}
	}
	return nil
}
