package pagetest

import _ "embed"

//go:embed testdata/modules.js
var modules string
