// Package report has what several verbs tell of documents: which were rejected, where each of them is, whether their names
// repeat, what was forgotten; two texts side by side; and the frame of the pages that verbs write as files, which load nothing.
//
//	Rejections, Rejected    documents that cannot be compared: counted, and a line for each
//	Rows, Repeats           file and row of each document, and names that several have
//	Forgotten               what a removal did, and where the documents are besides memory
//	Diff, Sides             two texts, word by word
//	Write, About            a page: its head, and a style for light and dark
package report
