package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpelled is the greatest number of digits that is read as one number. A longer number is read digit by digit.
const maxSpelled = 66

// The names of English cardinal numbers, as Python's num2words 0.5.14 has them: from 0, by tens from 20, by powers of a
// thousand.
const (
	unitNames = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
		"seventeen eighteen nineteen"
	tensNames  = "twenty thirty forty fifty sixty seventy eighty ninety"
	scaleNames = "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion " +
		"decillion undecillion duodecillion tredecillion quattuordecillion quindecillion sexdecillion septdecillion " +
		"octodecillion novemdecillion vigintillion"
)

// speller writes numbers in words.
type speller struct {
	units, tens, scales []string
	number              []byte // in ASCII digits
	out                 []byte
}

func newSpeller() *speller {
	return &speller{units: strings.Fields(unitNames), tens: strings.Fields(tensNames), scales: strings.Fields(scaleNames)}
}

// appendSpelled appends a number, given in canonical form, in English words.
//
// The result is what num2words makes of the value: leading zeros, and zeros at the end of a fraction, are not read. A
// comma belongs to a number where it divides thousands, a point where there is only one. Otherwise the parts are read
// one by one: 1.2.3 is one, two, three. A sign is not part of the number.
func (n *Normalizer) appendSpelled(dst []byte, start int, number []byte) []byte {
	n.speller.number = appendDigits(n.speller.number[:0], number)
	if whole, fraction, ok := splitNumber(n.speller.number); ok {
		dst = n.appendWhole(n.separate(dst, start), start, whole)
		if fraction = bytes.TrimRight(fraction, "0"); len(fraction) > 0 {
			n.speller.out = append(n.speller.out[:0], " point "...)
			dst = n.appendOneByOne(n.last.append(dst, start, n.speller.out), start, fraction)
		}
		return n.separate(dst, start)
	}
	for rest := n.speller.number; len(rest) > 0; {
		part := rest
		if end := bytes.IndexAny(rest, ".,"); end >= 0 {
			part = rest[:end]
		}
		dst = n.separate(n.appendWhole(n.separate(dst, start), start, part), start)
		if rest = rest[len(part):]; len(rest) > 0 {
			dst = n.last.append(dst, start, rest[:1])
			rest = rest[1:]
		}
	}
	return dst
}

// appendDigits appends a number with ASCII digits in place of those of other scripts.
func appendDigits(dst, number []byte) []byte {
	for len(number) > 0 {
		r, size := utf8.DecodeRune(number)
		if number = number[size:]; r >= utf8.RuneSelf {
			r = '0' + digitValue(r)
		}
		dst = append(dst, byte(r))
	}
	return dst
}

// digitValue relies on Unicode's promise that decimal digits stand in rows from zero to nine (chapter 4.6).
func digitValue(r rune) rune {
	for _, row := range unicode.Nd.R16 {
		if r <= rune(row.Hi) {
			return (r - rune(row.Lo)) % 10
		}
	}
	for _, row := range unicode.Nd.R32 {
		if r <= rune(row.Hi) {
			return (r - rune(row.Lo)) % 10
		}
	}
	return 0
}

// splitNumber removes the commas from number, in place, and divides it at its point. It returns false if number is not
// a single number.
func splitNumber(number []byte) (whole, fraction []byte, ok bool) {
	whole, fraction, _ = bytes.Cut(number, []byte{'.'})
	if bytes.ContainsAny(fraction, ".,") {
		return nil, nil, false
	}
	if comma := bytes.IndexByte(whole, ','); comma >= 0 && !thousands(whole, comma) {
		return nil, nil, false
	}
	joined := whole[:0]
	for _, c := range whole {
		if c != ',' {
			joined = append(joined, c)
		}
	}
	return joined, fraction, true
}

// thousands says whether commas, the first at first, divide digits into groups of three.
func thousands(digits []byte, first int) bool {
	if first > 3 || digits[0] == '0' || (len(digits)-first)%4 != 0 {
		return false
	}
	for i := first; i < len(digits); i += 4 {
		if digits[i] != ',' || bytes.IndexByte(digits[i+1:i+4], ',') >= 0 {
			return false
		}
	}
	return true
}

// appendWhole appends a whole number.
func (n *Normalizer) appendWhole(dst []byte, start int, digits []byte) []byte {
	value := bytes.TrimLeft(digits, "0")
	if len(value) > maxSpelled {
		return n.appendOneByOne(dst, start, digits)
	}
	n.speller.out = n.speller.appendCardinal(n.speller.out[:0], value)
	return n.last.append(dst, start, n.speller.out)
}

// appendOneByOne appends digits one by one, in words.
func (n *Normalizer) appendOneByOne(dst []byte, start int, digits []byte) []byte {
	for i, c := range digits {
		n.speller.out = n.speller.out[:0]
		if i > 0 {
			n.speller.out = append(n.speller.out, ' ')
		}
		n.speller.out = append(n.speller.out, n.speller.units[c-'0']...)
		dst = n.last.append(dst, start, n.speller.out)
	}
	return dst
}

// appendCardinal appends the name of a number without leading zeros, of up to maxSpelled digits: one million, two
// hundred and thirty-four thousand and five.
func (s *speller) appendCardinal(dst, digits []byte) []byte {
	if len(digits) == 0 {
		return append(dst, s.units[0]...)
	}
	from := len(dst)
	for len(digits) > 0 {
		scale := (len(digits) - 1) / 3
		group := 0
		for ; len(digits) > 3*scale; digits = digits[1:] {
			group = 10*group + int(digits[0]-'0')
		}
		if group == 0 {
			continue
		}
		if len(dst) > from {
			if scale == 0 && group < 100 {
				dst = append(dst, " and "...)
			} else {
				dst = append(dst, ", "...)
			}
		}
		dst = s.appendHundreds(dst, group)
		if scale > 0 {
			dst = append(append(dst, ' '), s.scales[scale-1]...)
		}
	}
	return dst
}

// appendHundreds appends the name of a number from 1 to 999.
func (s *speller) appendHundreds(dst []byte, number int) []byte {
	if number >= 100 {
		dst = append(append(dst, s.units[number/100]...), " hundred"...)
		if number %= 100; number == 0 {
			return dst
		}
		dst = append(dst, " and "...)
	}
	if number < 20 {
		return append(dst, s.units[number]...)
	}
	dst = append(dst, s.tens[number/10-2]...)
	if number%10 == 0 {
		return dst
	}
	return append(append(dst, '-'), s.units[number%10]...)
}
