package text

import "github.com/unecho/unecho/index/setting"

// Params say how a text is changed before it is compared. The package comment gives the order of the steps.
type Params struct {
	HTML        string        `key:"html" doc:"keep compares HTML as it is; strip removes tags, comments, scripts and styles, and resolves character references" enum:"keep|strip" verdict:"true" omit:"keep" files:"true"`
	URLs        string        `key:"urls" doc:"compare URLs and e-mail addresses as they are, as the words url and email, or not at all" enum:"keep|mask|drop" verdict:"true"`
	IDs         string        `key:"ids" doc:"compare hexadecimal ids, UUIDs and MAC addresses as they are, or as the word id; needs normalize.punctuation other than drop, and normalize.space: collapse" enum:"keep|mask" verdict:"true" omit:"keep"`
	Accents     string        `key:"accents" doc:"compare letters with their accents, or without: é as e, й as и, أ as ا" enum:"keep|strip" verdict:"true" advanced:"true"`
	Digits      string        `key:"digits" doc:"compare numbers digit by digit, or all as 0" enum:"keep|mask" verdict:"true"`
	Punctuation string        `key:"punctuation" doc:"punctuation and symbols separate words, stay, or vanish (don't as dont)" enum:"space|keep|drop" verdict:"true" advanced:"true"`
	Space       string        `key:"space" doc:"white space becomes one space, or none, for shingles of characters" enum:"collapse|drop" verdict:"true" advanced:"true"`
	MaxBytes    setting.Bytes `key:"max_bytes" doc:"most bytes of the normal form that are compared, cut between code points; 0 is no bound" example:"64KiB" verdict:"true" omit:"0" files:"true"`
}

// DefaultParams compares the words of plain text.
func DefaultParams() Params {
	return Params{HTML: "keep", URLs: "keep", IDs: "keep", Accents: "keep", Digits: "keep", Punctuation: "space", Space: "collapse"}
}

// Validate reports every setting with an impossible value.
func (p Params) Validate() []setting.Mistake {
	wrong := setting.Misspelt(p)
	if p.IDs == "mask" && (p.Punctuation == "drop" || p.Space == "drop") {
		wrong = append(wrong, setting.Wrong("ids", p.IDs, "finds no ids where normalize.punctuation or normalize.space is drop: words become one",
			"write keep here, or space and collapse there"))
	}
	if p.MaxBytes < 0 {
		wrong = append(wrong, setting.Wrong("max_bytes", p.MaxBytes, "is negative",
			"write a size such as 64KiB, or 0 for no bound"))
	}
	return wrong
}
