package job

import (
	"errors"
	"regexp"
	"strings"
)

// Transfer is one line of the inputs or outputs annotation.
type Transfer struct {
	// Bucket and Key are the S3 side; both are empty for an output that goes to
	// the default place. Key has no leading slash and may be empty.
	Bucket, Key string
	// Path is the absolute path inside the training container.
	Path string
}

// bucketName follows Amazon's naming rules for S3 buckets.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

var (
	errInput  = errors.New(`want a line such as "s3://bucket/prefix -> /path"`)
	errOutput = errors.New(`want a line such as "/path -> s3://bucket/prefix", or "/path" alone`)
)

// transfers reads one transfer a line; blank lines are passed over.
func (r *reader) transfers(key string, parse func(string) (Transfer, error)) []Transfer {
	var all []Transfer
	number := 0
	for line := range strings.Lines(r.annotations[key]) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		transfer, err := parse(line)
		if err != nil {
			r.refuse(key, "line %d: %v", number, err)
			continue
		}
		all = append(all, transfer)
	}
	return all
}

func parseInput(line string) (Transfer, error) {
	from, to, ok := arrow(line)
	t, isURL := parseURL(from)
	if !ok || !isURL || !cleanAbs(to) {
		return Transfer{}, errInput
	}
	t.Path = to
	return t, nil
}

func parseOutput(line string) (Transfer, error) {
	from, to, ok := arrow(line)
	if !ok {
		from = line
	}
	t, isURL := parseURL(to)
	if !cleanAbs(from) || ok != isURL {
		return Transfer{}, errOutput
	}
	t.Path = from
	return t, nil
}

func arrow(line string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(line, "->")
	return strings.TrimSpace(from), strings.TrimSpace(to), ok
}

func parseURL(raw string) (Transfer, bool) {
	rest, ok := strings.CutPrefix(raw, "s3://")
	bucket, key, _ := strings.Cut(rest, "/")
	if !ok || !bucketName.MatchString(bucket) || strings.ContainsAny(key, "\x00\n") {
		return Transfer{}, false
	}
	return Transfer{Bucket: bucket, Key: strings.TrimPrefix(key, "/")}, true
}
