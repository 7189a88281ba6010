package pagetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// small writes a picture again with 256 colours at most: those that it has most of, none of them too near to another,
// and the nearest of them for the others. A page has few colours and their mixtures at the edges of letters, so that
// nobody sees it.
func small(picture []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	area := in.Bounds()
	plain := image.NewRGBA(area)
	draw.Draw(plain, area, in, area.Min, draw.Src)
	counts := map[color.RGBA]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[plain.RGBAAt(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	palette := chosen(colours)
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			out.SetColorIndex(x, y, index[plain.RGBAAt(x, y)])
		}
	}
	var written bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&written, out)
	return written.Bytes(), err
}

// chosen returns at most 256 of the colours, the first ones first. Each colour is as near to one of them as can be had.
func chosen(colours []color.RGBA) color.Palette {
	for near := 0; ; near += 3 {
		palette := color.Palette{}
		for _, c := range colours {
			if len(palette) == 0 || apart(c, palette[palette.Index(c)].(color.RGBA)) > near {
				palette = append(palette, c)
			}
			if len(palette) > 256 {
				break
			}
		}
		if len(palette) <= 256 {
			return palette
		}
	}
}

// apart is by how much two colours differ in that of their parts in which they differ most.
func apart(a, b color.RGBA) int {
	by := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(by(a.R, b.R), by(a.G, b.G), by(a.B, b.B))
}
