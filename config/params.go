package config

import (
	"net"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// IndexParams name the index.
type IndexParams struct {
	Name string `key:"name" doc:"the name of the index: in the header unecho-index and on its snapshots; snapshots of several indexes share a store by it"`
}

// OpsParams say where the people who run it look.
type OpsParams struct {
	Listen string `key:"listen" doc:"address for /live, /ready and /metrics; empty serves none" example:"127.0.0.1:9464"`
}

// LogParams say what is logged, and how. Their choices are all there is to check.
type LogParams struct {
	Level  string `key:"level" doc:"the least level that is logged" enum:"debug|info|warn|error"`
	Format string `key:"format" doc:"console is for people, json for collectors; auto is console on a terminal and json elsewhere" enum:"auto|console|json"`
}

// maxName bounds the name of an index: it stands in a header of every record.
const maxName = 64

// Validate reports every mistake.
func (p IndexParams) Validate() []setting.Mistake {
	remedy := "write up to " + strconv.Itoa(maxName) + " letters, digits, '.', '_' or '-'"
	switch {
	case p.Name == "":
		return []setting.Mistake{{Key: "name", Problem: "is missing", Remedy: remedy}}
	case len(p.Name) > maxName || strings.ContainsFunc(p.Name, func(r rune) bool { return !nameRune(r) }) || strings.Trim(p.Name, ".") == "":
		return []setting.Mistake{setting.Wrong("name", p.Name, "cannot be the name of an index", remedy)}
	}
	return nil
}

// Validate reports every mistake.
func (p OpsParams) Validate() []setting.Mistake {
	if p.Listen == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(p.Listen)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return []setting.Mistake{setting.Wrong("listen", p.Listen, "is no address", "write host:port, such as 127.0.0.1:9464")}
	}
	return nil
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}
