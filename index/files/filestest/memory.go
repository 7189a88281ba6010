package filestest

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// Memory is a file system in memory. It knows what was synced, so that a power cut can be played. Paths have slashes.
type Memory struct {
	mu     sync.Mutex
	names  map[string]*content // as a process sees them
	synced map[string]*content // those that a power cut spares
	locks  map[*content]bool
	Room   int // bytes of all files that fit; 0: any number
}

// content is what an inode is: a file keeps it when it has lost its name.
type content struct {
	dir    bool
	data   []byte
	synced []byte // what a power cut spares
}

// NewMemory returns an empty file system.
func NewMemory() *Memory {
	return &Memory{names: map[string]*content{}, synced: map[string]*content{}, locks: map[*content]bool{}}
}

// Cut is what survives the end of a process.
type Cut int

// Cuts. What was not synced may survive or not, names and contents apart.
const (
	Kill      Cut = iota // the process ends, the machine goes on: all survives
	Power                // only what was synced survives
	PowerData            // of names those that were synced, of contents all
	PowerName            // all names, of contents what was synced
	PowerTorn            // all names, and of contents that were not synced the first half
)

// Cuts are all there are.
func Cuts() []Cut { return []Cut{Kill, Power, PowerData, PowerName, PowerTorn} }

// After returns the file system as the next process finds it. This one stays as it is.
func (m *Memory) After(c Cut) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := NewMemory()
	names := m.names
	if c == Power || c == PowerData {
		names = m.synced
	}
	for name, old := range names {
		data := old.data
		switch c {
		case Power, PowerName:
			data = old.synced
		case PowerTorn:
			if string(data) != string(old.synced) {
				data = data[:len(data)/2]
			}
		case Kill, PowerData:
		}
		data = append([]byte(nil), data...)
		after.names[name] = &content{dir: old.dir, data: data, synced: data}
	}
	if after.synced = maps.Clone(after.names); c == Kill { // the machine goes on, and may still lose what was not synced
		after.synced = map[string]*content{}
		for name, old := range m.synced {
			if after.synced[name] = old; m.names[name] == old {
				after.synced[name] = after.names[name]
			}
		}
		for name, c := range after.names {
			c.synced = m.names[name].synced
		}
	}
	return after
}

func failed(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// find returns the content at a path. The caller has the lock.
func (m *Memory) find(op, name string) (*content, error) {
	if c := m.names[name]; c != nil {
		return c, nil
	}
	return nil, failed(op, name, syscall.ENOENT)
}

// parent returns an error if the directory of a path is not there.
func (m *Memory) parent(op, name string) error {
	_, err := m.find(op, path.Dir(name))
	return err
}

// MakeDir implements files.System.
func (m *Memory) MakeDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; name != "/"; name = path.Dir(name) {
		if c := m.names[name]; c == nil {
			c = &content{dir: true}
			m.names[name], m.synced[name] = c, c
		} else if !c.dir {
			return failed("mkdir", name, syscall.ENOTDIR)
		}
	}
	return nil
}

// List implements files.System.
func (m *Memory) List(dir string) ([]files.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find("open", dir); err != nil {
		return nil, err
	}
	var entries []files.Entry
	for name, c := range m.names {
		if path.Dir(name) != dir {
			continue
		}
		e := files.Entry{Name: path.Base(name), Bytes: int64(len(c.data))}
		if c.dir {
			e.Bytes = -1
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Create implements files.System.
func (m *Memory) Create(name string) (durable.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.parent("open", name); err != nil {
		return nil, err
	}
	if m.names[name] != nil {
		return nil, failed("open", name, syscall.EEXIST)
	}
	c := &content{}
	m.names[name] = c
	return &memoryFile{in: m, content: c, name: name}, nil
}

// Open implements files.System.
func (m *Memory) Open(name string) (files.Reader, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find("open", name)
	if err != nil {
		return nil, 0, err
	}
	return &memoryFile{in: m, content: c, name: name}, int64(len(c.data)), nil
}

// Rename implements durable.Names.
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find("rename", from)
	if err != nil {
		return err
	}
	delete(m.names, from)
	m.names[to] = c
	return nil
}

// Remove implements durable.Names. It removes a directory with all that is in it.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find("remove", name); err != nil {
		return err
	}
	maps.DeleteFunc(m.names, func(n string, _ *content) bool { return n == name || strings.HasPrefix(n, name+"/") })
	return nil
}

// Damage flips a bit of a file, if it is there.
func (m *Memory) Damage(name string, bit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.names[name]; c != nil {
		c.data[bit/8%len(c.data)] ^= 1 << (bit % 8)
	}
}

// SyncDir implements durable.Names.
func (m *Memory) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find("open", dir); err != nil {
		return err
	}
	maps.DeleteFunc(m.synced, func(name string, _ *content) bool { return path.Dir(name) == dir })
	for name, c := range m.names {
		if path.Dir(name) == dir {
			m.synced[name] = c
		}
	}
	return nil
}

// MostOpen implements files.System.
func (m *Memory) MostOpen() int { return 256 }

// Free implements files.System.
func (m *Memory) Free(dir string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find("statfs", dir)
	return int64(m.free()), err
}

func (m *Memory) free() int {
	if m.Room == 0 {
		return 1 << 40
	}
	left := m.Room
	for _, c := range m.names {
		left -= len(c.data)
	}
	return max(left, 0)
}

// Lock implements files.System.
func (m *Memory) Lock(name string) (files.Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.parent("open", name); err != nil {
		return nil, err
	}
	c := m.names[name]
	if m.locks[c] {
		return nil, &lockfile.TakenError{By: "pid 1 in memory"}
	}
	if c == nil {
		c = &content{}
		m.names[name] = c
	}
	m.locks[c] = true
	return &memoryLock{in: m, name: name, content: c}, nil
}

type memoryLock struct {
	in      *Memory
	name    string
	content *content
}

// Lost implements files.Lock.
func (l *memoryLock) Lost() bool {
	l.in.mu.Lock()
	defer l.in.mu.Unlock()
	return l.in.names[l.name] != l.content
}

// Close implements files.Lock.
func (l *memoryLock) Close() error {
	l.in.mu.Lock()
	defer l.in.mu.Unlock()
	delete(l.in.locks, l.content)
	return nil
}

type memoryFile struct {
	in      *Memory
	content *content
	name    string
	closed  bool
}

// Name implements durable.File.
func (f *memoryFile) Name() string { return f.name }

// Write implements io.Writer. Where not all fits, it writes what does.
func (f *memoryFile) Write(p []byte) (int, error) {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	n := min(len(p), f.in.free())
	f.content.data = append(f.content.data[:len(f.content.data):len(f.content.data)], p[:n]...)
	if n < len(p) {
		return n, failed("write", f.name, syscall.ENOSPC)
	}
	return n, nil
}

// ReadAt implements io.ReaderAt.
func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if f.closed {
		return 0, failed("read", f.name, fs.ErrClosed)
	}
	n := copy(p, f.content.data[min(at, int64(len(f.content.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Sync implements durable.File.
func (f *memoryFile) Sync() error {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	f.content.synced = f.content.data
	return nil
}

// Close implements io.Closer.
func (f *memoryFile) Close() error {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if f.closed {
		return failed("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	return nil
}
