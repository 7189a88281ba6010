package text_test

import (
	"fmt"

	"github.com/unecho/unecho/index/text"
)

func ExampleNormalizer_Append() {
	n := text.NewNormalizer(text.DefaultParams())
	fmt.Printf("%q\n", n.Append(nil, []byte("  The “Émigré's” CAFÉ_1…")))
	fmt.Printf("%q\n", n.Append(nil, []byte("ﬁne Straße ｶﾞ")))
	// Output:
	// "the émigré s café 1"
	// "fine strasse ガ"
}

func ExampleShingling_AppendHashes() {
	s, err := text.ParseShingling("word:2")
	if err != nil {
		fmt.Println(err)
		return
	}
	hashes := s.AppendHashes(nil, []byte("to be or not to be"))
	fmt.Println(len(hashes), "shingles,", len(text.Set(hashes)), "of them distinct")
	// Output: 5 shingles, 4 of them distinct
}

func ExampleParseShingling() {
	_, err := text.ParseShingling("words:3")
	fmt.Println(err)
	// Output: parse shingle "words:3": possible are word:N and auto:N with N from 1 to 16, and char:K with K from 1 to 64
}
