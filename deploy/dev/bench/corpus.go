package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// corpus writes documents that resemble news to the filter: words by their frequency (Zipf's law), some texts exact
// copies of earlier documents, some edited copies. The ratio at which such a text of 2 kB compresses (S2, lower case)
// is 0.85, that of news agency articles 0.87.
type corpus struct {
	random *rand.Rand
	size   int
	words  []string
	names  []string   // a name is two of these
	weight []float64  // cumulated
	recent [][]string // originals that may be copied, a ring
	made   int
}

// Of a hundred documents this many are exact copies, and edited ones. Edits leave a word-3 Jaccard similarity of 0.7 to
// 1, so that most of them are duplicates at the default threshold of 0.8.
const (
	exactShare  = 14
	editedShare = 14
	remembered  = 20_000
)

func newCorpus(seed uint64, size int) *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(seed, 2)), size: size}
	c.words, c.names = strings.Fields(functionWords), strings.Fields(syllables)
	for _, stem := range strings.Fields(stems) {
		for _, ending := range strings.Fields(endings) {
			c.words = append(c.words, stem+strings.Trim(ending, "-"))
		}
	}
	// The function words keep their ranks. The other words come in any order.
	head := len(strings.Fields(functionWords))
	c.random.Shuffle(len(c.words)-head, func(i, j int) {
		i, j = i+head, j+head
		c.words[i], c.words[j] = c.words[j], c.words[i]
	})
	sum := 0.0
	for rank := range c.words {
		sum += 1 / math.Pow(float64(rank)+2.7, 1) // Mandelbrot's form of the law
		c.weight = append(c.weight, sum)
	}
	return c
}

// next writes one document.
func (c *corpus) next() []byte {
	var words []string
	switch kind := c.random.IntN(100); {
	case c.made > 0 && kind < exactShare:
		words = c.earlier()
	case c.made > 0 && kind < exactShare+editedShare:
		words = c.edit(c.earlier())
	default:
		words = c.original()
		c.remember(words)
	}
	return render(words)
}

func (c *corpus) original() []string {
	words := make([]string, 0, c.size/5)
	for length := 0; length < c.size; length += len(words[len(words)-1]) + 1 {
		words = append(words, c.word())
	}
	return words
}

// Of a hundred words this many are names, and numbers.
const (
	nameShare   = 14
	numberShare = 3
)

func (c *corpus) word() string {
	switch kind := c.random.IntN(100); {
	case kind < nameShare:
		return c.names[c.random.IntN(len(c.names))] + c.names[c.random.IntN(len(c.names))]
	case kind < nameShare+numberShare:
		return strconv.Itoa(c.random.IntN(3000))
	}
	rank, _ := slices.BinarySearch(c.weight, c.random.Float64()*c.weight[len(c.weight)-1])
	return c.words[rank]
}

func (c *corpus) earlier() []string { return c.recent[c.random.IntN(len(c.recent))] }

// edit changes up to 6% of the words. One changed word changes three shingles, of about as many as there are words.
func (c *corpus) edit(words []string) []string {
	edited := append([]string(nil), words...)
	for range c.random.IntN(len(words)*6/100 + 1) {
		edited[c.random.IntN(len(edited))] = c.word()
	}
	return edited
}

func (c *corpus) remember(words []string) {
	if len(c.recent) < remembered {
		c.recent = append(c.recent, words)
	} else {
		c.recent[c.made%remembered] = words
	}
	c.made++
}

// render makes sentences of words: a capital, eleven to nineteen words, a full stop.
func render(words []string) []byte {
	var text []byte
	left := 0
	for i, w := range words {
		if left == 0 {
			left = 11 + len(w)*i%9 // of any length that is the same for an exact copy
			text = append(text, strings.ToUpper(w[:1])...)
			w = w[1:]
		}
		text = append(text, w...)
		if left--; left == 0 || i+1 == len(words) {
			text = append(text, '.')
		}
		text = append(text, ' ')
	}
	return text[:len(text)-1]
}

// functionWords are ordered by falling frequency in news agency articles.
const functionWords = `the a of to in and on for said that with at as an from by his was is has monday its friday it thursday wednesday
after tuesday new president he will be have their who two over are were sunday but here first this saturday government more
minister up people they one officials against not into about world would been last than year had when police years united state
three out which reported former her week international official percent or million killed states prime national south european
day all military news city between foreign security country bank group court during could next other off announced no time some
according most may top down war leader four before talks federal home if second made she trade company night five nuclear
economic air oil leaders`

const stems = `absorb accept account act adapt address admit adopt advance advise affirm agree alarm allow alter amount anchor answer
appeal appear appoint approach argu arm arrang arrest arriv assert assist attach attack attempt attend attract avoid award balanc
band bargain batter beam bear beat bend bill bind blam blast block board boast bolt bond book boost border bottl bound brand breach
break brief broad build burden burn bury calculat call camp cancel captur care carri cast catch caus celebrat challeng chang charg
chart check cheer claim clash clear climb clos coach coast collaps collect combat comfort command comment commit compar compet
complain complet compos concern conclud condemn conduct confirm conflict connect consider consult contact contain contest continu
contract contrast control convert cool correct cost counsel count cover crack craft crash creat credit cross crowd crush cultur cut
damag danc deal debat decid declar declin decreas defeat defend defin delay deliver demand deni depart depend deploy deriv describ
desert design desir detain detect develop devot differ direct disarm discov discuss dismiss display disput distanc divid document
doubt draft drain draw dream dress drift drill driv drop drown dump earn eas edit educat effect elect embark emerg employ enabl
encourag endors enforc engag enhanc enjoy enlarg ensur enter entertain equip escap establish estimat examin exceed exchang exclud
execut exercis exhaust exhibit exist expand expect expel experiment explain explod explor export expos express extend extract fail
fall farm favor fear feed fight figur fill film financ finish fish flash flood flow fly focus fold follow forbid forc forecast form
found fram fuel gain gather govern grab grant greet ground guarante guard guid halt hand harm harvest head heal heat help hesitat
highlight hold honor host hunt identif ignor impact implement impos improv increas indicat inform inherit injur inspect
install insur intend interest interview introduc invad invest invit isolat issu join judg jump justif kidnap kick label lack land
last launch lead learn leav legislat lend level licens lift limit link list load lock maintain manag march mark market master match
measur mediat mention merg mind miss monitor mount mov murder name narrow negotiat nominat note object observ obtain occup occur
offend offer open operat oppos order organiz overturn pack paint park pass patrol pay perform permit plac plan play pledg point
poison portray possess postpon pour practic prais predict prefer prepar present preserv press prevent print proceed process produc
profit promis promot propos prosecut protect protest prov provid publish pull pump punish purchas pursu push qualif question quit
rais rally rang rank rat reach react read realiz rebel recall receiv recogniz recover recruit reduc refer reform refus regain
register regret reject relat relax releas reliev remain remark remov repair repeat replac reply represent request requir rescu
research resign resist resolv respond rest restor restrict result retain retir retreat return reveal revers review reviv rewar rid
rul rush sail scor search secur seek seiz select sell send sentenc separat serv settl shak shap shar shelter shift ship shock shoot
shout show sign slid slow smuggl solv spark speak spend split sponsor spread stabiliz staff stag stand start stat stay steal
stem stop storm strain strengthen stress stretch strik struggl stud submit succeed suffer suggest summon suppl support suppos
surfac surg surrender surround survey surviv suspect suspend sustain swear sweep swim switch target task teach tempt tend test
threat tighten topp touch tour track train transfer transform translat transport travel treat trigg trust turn undermin uncover
urg vaccinat valu veto view violat visit vot vow wait walk warn wash watch weaken weigh welcom win wind withdraw witness work worr
wound wreck writ yield`

// endings are endings of stems; - means no ending.
const endings = `- s ed ing er ers ment ation able al ion ive`

// syllables are the syllables of names.
const syllables = `al an ar bar bel ben ber bo bra car cas chen da del dor du el en far fer fo gan gar go hal han har ho in ja jo ka
kan kar ker kim ko la lan le len li lo lor ma mal man mar mi min mo mon na nar ne no nor ol or pa par per po qui ra ran re ri ro
ros sal san sar sha shi so sul ta tan tar ter ti to tor um va van ver vi vo wa wei wil xi ya yan yo za zen zu`
