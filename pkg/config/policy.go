package config

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/taojob/taojob/pkg/validate"
)

// Namespaces is what rules do in some namespaces.
type Namespaces struct {
	// Names are globs, as path.Match takes them.
	Names []string         `json:"names"`
	Rules validate.Actions `json:"rules"`
}

// Exception lets Jobs violate rules until it expires. Rules, reason and expiry
// must be there.
type Exception struct {
	Rules []string `json:"rules"`
	// Namespaces and Jobs are globs, as path.Match takes them; none stands for all.
	Namespaces []string `json:"namespaces"`
	Jobs       []string `json:"jobs"`
	Reason     string   `json:"reason"`
	// Expires is a day such as 2027-01-31, at whose end (UTC) the exception ends,
	// or a moment as in RFC 3339.
	Expires string `json:"expires"`
}

// Policy is what the file decides about the rules of an engine; the error names
// a rule that the engine has not.
func (c *Config) Policy(engine *validate.Engine) (*validate.Policy, error) {
	p := &validate.Policy{Engine: engine, Unknown: c.Unknown}
	for _, n := range c.Namespaces {
		p.Namespaces = append(p.Namespaces, validate.Override{Names: n.Names, Rules: n.Rules})
	}
	for i, e := range c.Exceptions {
		expires, err := expiry(e.Expires)
		if err != nil {
			return nil, fmt.Errorf("exceptions[%d].%w", i, err)
		}
		p.Exceptions = append(p.Exceptions, validate.Exception{
			Rules: e.Rules, Namespaces: e.Namespaces, Jobs: e.Jobs, Reason: e.Reason, Expires: expires,
		})
	}
	return p, p.Check()
}

// checkPolicy refuses what does not depend on which rules there are.
func (c *Config) checkPolicy() error {
	for i, n := range c.Namespaces {
		if err := globs(n.Names); err != nil || len(n.Names) == 0 {
			return fmt.Errorf("namespaces[%d].names: want names or globs such as dev-*", i)
		}
	}
	for i := range c.Exceptions {
		if err := c.Exceptions[i].check(); err != nil {
			return fmt.Errorf("exceptions[%d].%w", i, err)
		}
	}
	return nil
}

func (e *Exception) check() error {
	switch {
	case len(e.Rules) == 0:
		return errors.New("rules: want the ids of rules")
	case strings.TrimSpace(e.Reason) == "":
		return errors.New("reason: want why, for whoever reads the record")
	case globs(e.Namespaces) != nil:
		return errors.New("namespaces: want names or globs such as dev-*")
	case globs(e.Jobs) != nil:
		return errors.New("jobs: want names or globs such as legacy-*")
	}
	_, err := expiry(e.Expires)
	return err
}

func globs(all []string) error {
	for _, glob := range all {
		if _, err := path.Match(glob, ""); err != nil {
			return err
		}
	}
	return nil
}

// expiry is the last moment of a day, or the moment that is named.
func expiry(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Nanosecond), nil
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, errors.New("expires: want a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z")
	}
	return moment, nil
}
