package config

import (
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
	"github.com/unecho/unecho/index/setting"
)

// readIgnored reads the file of duplicates.ignore, if one is named.
func (c *Config) readIgnored() []setting.Mistake {
	d := &c.Judge.Duplicates
	if d.Ignore == "" || len(c.Judge.Validate()) > 0 { // mistakes are reported by themselves
		return nil
	}
	wrong := func(problem, remedy string) []setting.Mistake {
		return []setting.Mistake{setting.Wrong(index.IgnoreKey, d.Ignore, problem, remedy)}
	}
	file, err := readList(d.Ignore)
	if err != nil {
		return wrong("cannot be read: "+err.Error(), "name a readable file that unecho common has written, or leave it out")
	}
	if d.Ignored, err = ignore.Read(c.Judge, file); err != nil {
		return wrong(err.Error(), ignore.Remake)
	}
	return nil
}

func readList(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	file, err := io.ReadAll(io.LimitReader(f, ignore.MaxBytes+1))
	if err == nil && len(file) > ignore.MaxBytes {
		err = fmt.Errorf("%s has more than %v", path, setting.Bytes(ignore.MaxBytes))
	}
	return file, err
}
