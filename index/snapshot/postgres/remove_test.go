package postgres

import (
	"testing"

	"github.com/unecho/unecho/index/snapshot/storetest"
)

func TestRemove(t *testing.T) { storetest.Removal(t, params(t), Open, Remove) }
