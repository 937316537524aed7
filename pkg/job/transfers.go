package job

import (
	"errors"
	"path"
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
	errPath   = errors.New("want an absolute path without .. inside the container")
	errURL    = errors.New("want s3://bucket/prefix")
	errBucket = errors.New("no bucket can have that name: want 3 to 63 lower-case letters, digits, dots and dashes, with a letter or digit at both ends")
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
	t, err := parseURL(from)
	switch {
	case errors.Is(err, errBucket):
		return Transfer{}, err
	case !ok || err != nil:
		return Transfer{}, errInput
	case !cleanAbs(to):
		return Transfer{}, errPath
	}
	t.Path = to
	return t, nil
}

func parseOutput(line string) (Transfer, error) {
	from, to, ok := arrow(line)
	if !ok {
		from = line
	}
	t, err := parseURL(to)
	switch {
	case ok && errors.Is(err, errBucket):
		return Transfer{}, err
	case ok && err != nil, !path.IsAbs(from):
		return Transfer{}, errOutput
	case !cleanAbs(from):
		return Transfer{}, errPath
	}
	t.Path = from
	return t, nil
}

func arrow(line string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(line, "->")
	return strings.TrimSpace(from), strings.TrimSpace(to), ok
}

// parseURL reads s3://bucket/key; the error is errURL or errBucket.
func parseURL(raw string) (Transfer, error) {
	rest, ok := strings.CutPrefix(raw, "s3://")
	bucket, key, _ := strings.Cut(rest, "/")
	switch {
	case !ok || strings.ContainsAny(key, "\x00\n"):
		return Transfer{}, errURL
	case !bucketName.MatchString(bucket):
		return Transfer{}, errBucket
	}
	return Transfer{Bucket: bucket, Key: strings.TrimPrefix(key, "/")}, nil
}
