package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"time"
)

// source is where the programs come from, and license what they are under.
const (
	source  = "https://github.com/taojob/taojob"
	license = "Apache-2.0"
)

// origin is the commit that an image is made from.
type origin struct {
	revision string    // empty when git can't tell
	made     time.Time // in UTC, to the second
}

// originOf asks git for the commit. $SOURCE_DATE_EPOCH (reproducible-builds.org)
// wins over the commit's time, and is enough where there is no git.
func originOf(ctx context.Context, root string) (origin, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", root, "log", "-1", "--format=%H %ct").Output()
	revision, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err = epoch, nil
	}
	if err != nil {
		return origin{}, fmt.Errorf("ask git for the commit of %s (outside a clone, set SOURCE_DATE_EPOCH): %w", root, err)
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return origin{}, fmt.Errorf("read the commit's time, or $SOURCE_DATE_EPOCH: %w", err)
	}
	return origin{revision: revision, made: time.Unix(n, 0).UTC()}, nil
}

// labels are those that the OCI image specification names.
func (o *options) labels(from origin) map[string]string {
	const prefix = "org.opencontainers.image."
	labels := map[string]string{
		prefix + "created":  from.made.Format(time.RFC3339),
		prefix + "licenses": license,
		prefix + "source":   source,
		prefix + "title":    path.Base(o.main),
		prefix + "version":  o.version,
	}
	if from.revision != "" {
		labels[prefix+"revision"] = from.revision
	}
	return labels
}
