package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/window"
)

// File writes a sealed segment, and returns what memory keeps of it.
func (d *Directory) File(ctx context.Context, v *window.View) (window.Filed, error) {
	data := v.Append(nil)
	name := snapshot.SegmentName(data)
	if err := d.Put(ctx, name, data); err != nil {
		return window.Filed{}, err
	}
	return v.Filed(name, data), nil
}

// Put stores a segment under snapshot.SegmentName(data). It is durable on return. Putting it again repairs a damaged
// one. After an error it is there completely or not at all, and may be gone after a power cut.
func (d *Directory) Put(ctx context.Context, name string, data []byte) error {
	err := errContent
	if name == snapshot.SegmentName(data) {
		err = replace(ctx, d, name, durable.Data(data))
	}
	if err != nil {
		return fmt.Errorf("put segment %s: %w", name, d.explain(err))
	}
	return nil
}

// Write stores a block, which write writes as a stream, in pieces of any length. It is durable on return. It returns the
// error of write. After an error the name has the new block completely, or what it had before, and the new one may be gone
// after a power cut. A context that ends is seen at the next piece, and when all is written; syncing and reading back are
// not broken off.
func (d *Directory) Write(ctx context.Context, name string, write func(w io.Writer) error) error {
	err := errBlockName
	if ValidBlockName(name) {
		err = replace(ctx, d, name, write)
	}
	if err != nil {
		return fmt.Errorf("write block %s: %w", name, d.explain(err))
	}
	return nil
}

// replace writes a file, and has readers open it anew.
func replace(ctx context.Context, d *Directory, name string, write func(io.Writer) error) error {
	err := errors.Join(ctx.Err(), d.usable())
	if err == nil {
		err = d.write(name, ctx.Err, write)
		d.handles.drop(name)
	}
	return err
}

// write writes a file, unless check returns an error before a piece or at the end.
func (d *Directory) write(name string, check func() error, write func(io.Writer) error) error {
	defer d.writes(name)()
	pieces, begun := pieces{check: check}, fmt.Sprintf("%s.%d.tmp", name, d.written.Add(1))
	d.writing.Store(begun, true)
	defer d.writing.Delete(begun)
	f, err := d.system.Create(d.at(begun))
	if err == nil {
		err = durable.Write(d.system, f, d.at(name), func(w io.Writer) error {
			pieces.to = w
			return cmp.Or(write(&pieces), check(), d.usable()) // a stream may take minutes
		})
	}
	return d.full(err, pieces.bytes)
}

// pieces are what a file is written in.
type pieces struct {
	to    io.Writer
	check func() error // called before each
	bytes int64        // of all, also of those that were not written
}

// Write implements io.Writer.
func (p *pieces) Write(piece []byte) (int, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	p.bytes += int64(len(piece))
	return p.to.Write(piece)
}
