package pagetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// small writes a picture again with the 256 colours that it has most of, and the nearest of them for the others. A page has few
// colours and their mixtures at the edges of letters, so that nobody sees the difference.
func small(picture []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	counts := map[color.RGBA]int{}
	area := in.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(in.At(x, y)).(color.RGBA) }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int { return counts[b] - counts[a] })
	palette, index := color.Palette{}, map[color.RGBA]uint8{}
	for _, c := range colours {
		if len(palette) < 256 {
			palette = append(palette, c)
		}
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var written bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&written, out)
	return written.Bytes(), err
}
