package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// Text of separated words is the same for auto as for word: the default may change from one to the other.
func TestAutoIsWordWhereSpacesAre(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	for _, text := range []string{
		"Call me Ishmael.", "Съешь же ещё этих мягких французских булок", "ألف ليلة وليلة في ألف",
		"नमस्ते दुनिया कैसे हो आप १२३ ६", "한국어 문장은 띄어쓰기를 한다 하나",
		"Ένα δύο τρία τέσσερα", "שלום עולם מה שלומך היום", "ⴰⵣⵓⵍ ፩፪፫ ሰላም ልዑል ꀀꀁ ꆈꌠ", "x½y a₂b Ⅷ᠐ 1️⃣ é́́",
	} {
		normalized := n.Append(nil, []byte(text))
		for size := range MaxWords {
			size := strconv.Itoa(size + 1)
			word, auto := shingling(t, "word:"+size).AppendHashes(nil, normalized), shingling(t, "auto:"+size).
				AppendHashes(nil, normalized)
			if !slices.Equal(word, auto) {
				t.Errorf("%q, %s: %x by words, %x by auto", normalized, size, word, auto)
			}
		}
	}
}

// Between two solo characters there is always a boundary, whatever comes before or after.
func TestSoloIsAsUAX29SaysIt(t *testing.T) {
	u := newUnspaced()
	count := 0
	for r := range rune(1 << 16) {
		if !u.solo.has(r) {
			continue
		}
		count++
		for _, text := range []string{"漢" + string(r), string(r) + "漢", string(r) + string(r), string(r) + "a", string(r) +
			"1", "a" + string(r), "1" + string(r), "カ" + string(r), string(r) + "カ"} {
			_, size := utf8.DecodeRuneInString(text)
			if got, _, _ := uax29.SplitFunc([]byte(text), true); got != size {
				t.Errorf("%q (%#x) is one segment", text, r)
			}
		}
	}
	if count < 28000 {
		t.Errorf("only %d characters", count)
	}
}

// A new version of the library may cut other segments. Then Version rises, and the new ones are pinned.
func TestPinnedSegments(t *testing.T) {
	u, digest := newUnspaced(), xxhash.New()
	for r := range rune(1 << 16) {
		if !u.has(r) {
			continue
		}
		for segments := uax29.FromString(fmt.Sprintf("あ%cア%c%ca%c1%c漢%c\u0301%c", r, r, r, r, r, r, r)); segments.Next(); {
			fmt.Fprintf(digest, "%d ", segments.End())
		}
	}
	if got := digest.Sum64(); Version != 4 || got != 0xcb178fd440e84c35 {
		t.Errorf("version %d: got %#x", Version, got)
	}
}

// The items that auto cuts a text into. Items that weigh half a word are in brackets.
func TestSegments(t *testing.T) {
	for text, want := range map[string]string{
		"hello world":          "hello|world",
		"東京2024年":              "[東]|[京]|2024|[年]",
		"iphone15を買う":          "iphone15|[を]|[買]|[う]",
		"コンピューター を 使う":         "コンピューター|[を]|[使]|[う]",
		"人々 々":                 "[人]|[々]|[々]",
		"ภาษา thai":            "[ภ]|[า]|[ษ]|[า]|thai",
		"ปี๒๕๖๗ ๒๕":            "[ปี]|๒๕๖๗|๒๕",
		"กิน":                  "[กิ]|[น]",
		"한국어 한자漢字":             "한국어|한자|[漢]|[字]",
		"слово世界":              "слово|[世]|[界]",
		"\U00020000\U00020001": "[\U00020000]|[\U00020001]",
	} {
		var got []string
		for _, item := range naiveItems(shingling(t, "auto:1"), text) {
			if part := text[item.start:item.end]; item.weight == 1 {
				got = append(got, "["+part+"]")
			} else {
				got = append(got, part)
			}
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Runs of characters that are segments alone are hashed together, in any place of a text and between any others.
func TestRunsOfCharactersHaveTheHashesOfTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	rare := []rune("ア゙ー々ก่กé x1 \U00020000\U0001f600한") // Katakana, marks, Thai, others, and what is beyond the basic plane
	for size := 1; size <= MaxWords; size++ {
		s := shingling(t, fmt.Sprintf("auto:%d", size))
		for range 60 {
			var text []rune
			for len(text) < 90 {
				for range random.IntN(4 + 30*random.IntN(2)) {
					text = append(text, []rune("あ吾輩は猫")[random.IntN(5)])
				}
				text = append(text, rare[random.IntN(len(rare))])
			}
			normal := string(with(t).Append(nil, []byte(string(text))))
			if got, want := s.AppendHashes(nil, []byte(normal)), naive(s, normal); !slices.Equal(got, want) {
				t.Fatalf("%v of %q: got %x, want %x", s, normal, got, want)
			}
		}
	}
}
