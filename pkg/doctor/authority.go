package doctor

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"
)

// month is when an authority's end is near.
const month = 30 * 24 * time.Hour

// life is how long the longest-lived authority of a PEM bundle is still good,
// negative if all have ended. It is an error if there is none.
func life(bundle []byte, now time.Time) (time.Duration, error) {
	if len(bundle) == 0 {
		return 0, errors.New("no authority is set, so that the API server trusts nobody")
	}
	var end time.Time
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return 0, errors.New("the authority is not a certificate")
		}
		if c.NotAfter.After(end) {
			end = c.NotAfter
		}
	}
	if end.IsZero() {
		return 0, errors.New("the authority is not in PEM")
	}
	return end.Sub(now), nil
}
