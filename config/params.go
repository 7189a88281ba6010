package config

import (
	"net"
	"strconv"

	"github.com/unecho/unecho/index/setting"
)

// OpsParams say where the people who run it look.
type OpsParams struct {
	Listen string `key:"listen" doc:"address for /live, /ready and /metrics; empty serves none" example:"127.0.0.1:9464"`
}

// LogParams say what is logged, and how. Their choices are all there is to check.
type LogParams struct {
	Level  string `key:"level" doc:"the least level that is logged" enum:"debug|info|warn|error"`
	Format string `key:"format" doc:"console is for people, json for collectors; auto is console on a terminal and json elsewhere" enum:"auto|console|json"`
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
