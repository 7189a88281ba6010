package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// maxSecret bounds the bytes of a secret's file; a certificate chain is far smaller.
const maxSecret = 64 << 10

// pendingFile is the file of a secret. It is read only if no higher layer has replaced it.
type pendingFile struct {
	path string
	at   Origin
}

// fromFile notes that the secret of key is in the file at path.
func (l *loader) fromFile(key, path string, at Origin) {
	direct, given := l.origins[key]
	switch {
	case given && direct.Layer == at.Layer:
		l.refuse(at, setting.Mistake{Key: companion(key), Problem: "is given beside " + key, Remedy: "remove one of the two"})
	case strings.TrimSpace(path) == "":
		l.refuse(at, setting.Mistake{Key: companion(key), Problem: "names no file", Remedy: "write a path, or remove it"})
		l.excused[key] = true
	default:
		l.pending[key] = pendingFile{path: path, at: at}
	}
}

// readSecrets reads the files that were named, in the order of the settings.
func (l *loader) readSecrets() {
	for _, key := range l.known {
		p, named := l.pending[key]
		if !named {
			continue
		}
		secret, problem := readSecret(p.path)
		if problem != "" && l.spares(key) {
			continue
		}
		if problem != "" {
			l.refuse(p.at, setting.Wrong(companion(key), shownPath(p.path), problem,
				"name a readable file that holds only the secret"))
			l.excused[key] = true
			continue
		}
		if m := l.leaves[key].Set(secret); m != nil {
			l.refuse(p.at, *m)
			continue
		}
		at := p.at
		at.Via = p.path
		l.origins[key] = at
	}
}

// shownPath returns the path as a mistake shows it. A text that does not look like a path may be the secret itself
// under the wrong key, and is not shown.
func shownPath(path string) string {
	if !strings.Contains(path, "/") || strings.Contains(path, "://") {
		return ""
	}
	return path
}

// readSecret returns what the file holds, without the newline at its end.
func readSecret(path string) (secret, problem string) {
	text, err := readFile(path, maxSecret)
	if err != nil {
		return "", err.Error()
	}
	secret = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if secret == "" {
		return "", "the file is empty"
	}
	if strings.ContainsRune(secret, 0) { // as after a crash that came before its bytes
		return "", "the file holds bytes of zero, and is no text"
	}
	return secret, ""
}

// Reasons why a file could not be read, worded for a mistake.
var (
	errAbsent     = errors.New("the file does not exist")
	errPermission = errors.New("the file may not be read by this user")
	errDirectory  = errors.New("this is a directory, not a file")
	errTooLarge   = errors.New("the file is too large to be what it should be")
)

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainly(err)
	}
	defer f.Close() // it was only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errDirectory
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, plainly(err)
	case int64(len(text)) > limit:
		return nil, errTooLarge
	}
	return text, nil
}

// plainly drops the path from an error of package os, because the report already names it.
func plainly(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errAbsent
	case errors.Is(err, fs.ErrPermission):
		return errPermission
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
