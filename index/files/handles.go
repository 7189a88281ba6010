package files

import (
	"container/list"
	"io/fs"
	"sync"
)

// handle is an open file.
type handle struct {
	file    Reader
	size    int64
	readers int
	name    string
	place   *list.Element // nil: it is not kept, and the last reader closes it
}

// handles are the files that stay open, so that a page costs one read. They are for many goroutines: a file is opened
// and read without the lock.
type handles struct {
	most   int // stay open
	mu     sync.Mutex
	byName map[string]*handle
	recent list.List // of *handle, the last used first
	drops  int       // calls of drop
	closed bool
}

// acquire returns the file, opened by open if it is not open. The caller must release it.
func (h *handles) acquire(name string, open func(name string) (Reader, int64, error)) (*handle, error) {
	h.mu.Lock()
	if there := h.byName[name]; there != nil {
		defer h.mu.Unlock()
		there.readers++
		h.recent.MoveToFront(there.place)
		return there, nil
	}
	drops := h.drops
	h.mu.Unlock()
	file, size, err := open(name)
	if err != nil {
		return nil, err
	}
	opened := &handle{file: file, size: size, readers: 1, name: name}
	h.mu.Lock()
	defer h.mu.Unlock()
	// If a file was dropped since, this may be the one: it must not be found under the name.
	if h.closed || h.drops != drops || h.byName[name] != nil {
		return opened, nil
	}
	if h.byName == nil {
		h.byName = map[string]*handle{}
	}
	h.byName[name], opened.place = opened, h.recent.PushFront(opened)
	if h.recent.Len() > h.most {
		h.remove(h.recent.Back().Value.(*handle))
	}
	return opened, nil
}

func (h *handles) release(used *handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	used.readers--
	used.closeUnused()
}

// drop has the next reader of a name open its file anew. Those who read it now go on with the old one.
func (h *handles) drop(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drops++
	if there := h.byName[name]; there != nil {
		h.remove(there)
	}
}

func (h *handles) remove(there *handle) {
	delete(h.byName, there.name)
	h.recent.Remove(there.place)
	there.place = nil
	there.closeUnused()
}

// closeUnused closes a file that nobody will read. It was only read, so Close has nothing to tell.
func (h *handle) closeUnused() {
	if h.place == nil && h.readers == 0 {
		_ = h.file.Close()
	}
}

// close closes all files, and returns false if it did before.
func (h *handles) close() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.closed = true
	for _, there := range h.byName {
		h.remove(there)
	}
	return true
}

// usable returns fs.ErrClosed after close.
func (h *handles) usable() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return fs.ErrClosed
	}
	return nil
}
