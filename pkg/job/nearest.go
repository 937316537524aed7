package job

import "strings"

// tooLong is a length in bytes that no slip of a known word reaches.
const tooLong = 64

// Nearest returns the one of words that text is most likely a slip of, however
// it is capitalised and joined; "" when none is near. It lets a caller speak of
// a text that must not be printed.
func Nearest(text string, words []string) string {
	best, least := "", tooLong
	for _, word := range words {
		a, b := folded(text), folded(word)
		if len(a) > tooLong || len(b) > tooLong {
			continue
		}
		if slips := distance(a, b); slips < least && slips <= max(1, len(b)/4) {
			best, least = word, slips
		}
	}
	return best
}

func folded(word string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
}

// distance is the number of bytes to put in, take out or change that make b of
// a; two neighbours that changed places count as one.
func distance(a, b string) int {
	for i := range min(len(a), len(b)) - 1 {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return 1
		}
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row[0] // of the column before
		row[0] = i + 1
		for j := range len(b) {
			changed := above
			if a[i] != b[j] {
				changed++
			}
			above = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
