package jobtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
)

// Canary is a synthetic credential that stands in a Job: nothing may print it.
type Canary struct {
	// Format and Place are what it looks like and where it stands, for people.
	Format, Place string
	// Secret is the credential as it stands there.
	Secret string
	// marks are parts of it that occur nowhere else.
	marks []string
}

// Within tells whether text gives the credential, or a good part of it, away.
func (c Canary) Within(text string) bool {
	for _, mark := range c.marks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// Planted is a Job that holds canaries.
type Planted struct {
	Name string
	Job
	Canaries []Canary
}

// Leaked names the canaries that a text gives away.
func (p Planted) Leaked(text string) []string {
	var all []string
	for _, c := range p.Canaries {
		if c.Within(text) {
			all = append(all, c.Format+", in "+c.Place)
		}
	}
	return all
}

// Plant returns a Job for each known format of a credential, with one of its own
// in every place of the Job that takes a text. Together they hold thousands.
func Plant() []Planted {
	var all []Planted
	for i, f := range canaryFormats {
		p := Planted{Name: f.name, Job: New(fmt.Sprintf("canary-%d", i))}
		for _, place := range canaryPlaces {
			p = p.plant(f, place)
		}
		all = append(all, p)
	}
	return all
}

// PlantAlone returns a Job for each place, those included that other webhooks or
// the API server refuse, with one canary alone in it; the formats take turns.
func PlantAlone() []Planted {
	var all []Planted
	for i, place := range append(append([]canaryPlace{}, canaryPlaces...), oddPlaces...) {
		f := canaryFormats[i%len(canaryFormats)]
		if !f.fits(place) {
			f = canaryFormats[0]
		}
		p := Planted{Name: place.name, Job: New(fmt.Sprintf("alone-%d", i))}
		all = append(all, p.plant(f, place))
	}
	return all
}

// fits tells whether a credential can be told in a place: one that only its name
// gives away where there are names.
func (f canaryFormat) fits(place canaryPlace) bool {
	return f.under == "" || place.named
}

// plant puts a canary into one place, if it fits there.
func (p Planted) plant(f canaryFormat, place canaryPlace) Planted {
	if !f.fits(place) {
		return p
	}
	name := f.under
	if name == "" {
		name = "SETTING"
	}
	fill := newFiller(f.name + " " + place.name)
	secret := f.make(fill)
	c := Canary{
		Format: f.name, Place: place.name, Secret: secret,
		marks: []string{fill.letters(12), strings.ToUpper(fill.letters(12)), fill.hex(12)},
	}
	if !c.Within(secret) { // it is encoded: its end is as good as random
		c.marks = append(c.marks, secret[len(secret)-20:len(secret)-4])
	}
	p.Canaries = append(p.Canaries, c)
	p.Job = p.With(func(j *batchv1.Job) { place.put(j, name, secret) })
	return p
}

// filler makes the random part of a credential. It is the same in every run, and
// another one for every seed.
type filler struct{ seed [sha256.Size]byte }

func newFiller(seed string) filler { return filler{sha256.Sum256([]byte(seed))} }

// letters are n letters of both cases and digits.
func (f filler) letters(n int) string {
	var b strings.Builder
	b.WriteString("q7W")
	for block := f.seed; b.Len() < n; block = sha256.Sum256(block[:]) {
		b.WriteString(strings.NewReplacer("+", "", "/", "", "=", "").Replace(base64.StdEncoding.EncodeToString(block[:])))
	}
	return b.String()[:n]
}

// hex are n hexadecimal digits.
func (f filler) hex(n int) string {
	text := ""
	for block := f.seed; len(text) < n; block = sha256.Sum256(block[:]) {
		text += hex.EncodeToString(block[:])
	}
	return text[:n]
}
