// Package block finds the documents of a run of sealed segments by their keys, and keeps little of them in memory. A block
// has lists of postings, one for each band. A posting is a key and the place of a document. The postings lie in a file.
// Memory keeps, for each list, filters of its keys and the first key of each page, and a checksum of each page:
//
//	May(list, key)            no: no document has the key. Yes: one has, or one of 256 times none.
//	  Pages(list, key)        the pages of the file to read
//	    Sound(page, data)     what was read is what was written
//	      Find(page, key)     the places of the documents in it
//
// The filter is a binary fuse filter of 8 bits (Graf and Lemire 2022), some 9 bits a key. A block never changes, so many
// goroutines may read it. The package reads and writes through what it is given, and opens nothing.
//
// The file of a block is written from its beginning to its end:
//
//	┌──────────────────────────────┬──────────────────────────────────┬─────────┬────────┐
//	│ pages of list 0, each 4,096  │ pages of list 1, ...             │ trailer │ footer │
//	└──────────────────────────────┴──────────────────────────────────┴─────────┴────────┘
//	page      512 keys, 4 bytes each · 512 places, 4 bytes each. Postings are in order of key and place. The last page of
//	          a list may have fewer; the rest of its keys and places is zero.
//	trailer   length, about · number of lists · each list: number of postings · each filter: seed 8 · length of a segment
//	          · segments, without the last two · then first keys, 4 each page · fingerprints of each filter · then, behind
//	          all lists, the CRC-32C of each page, 4
//	footer    1e u n b · version 1 · 0 0 0 · length of the trailer 8 · CRC-32C of the trailer 4 · of the footer before it 4
//
// A list has a filter for each 2,048 pages, which have a million postings, and one at least. One with segments of length 0
// lets all keys pass. Numbers without a width are LEB128 varints, the others are little endian.
package block
