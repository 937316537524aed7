package doctor

import (
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"k8s.io/client-go/util/cert"
)

// month is when an authority's end is near.
const month = 30 * 24 * time.Hour

// life is how long the longest-lived authority of a PEM bundle is still good,
// negative if all have ended. It is an error if there is none.
func life(bundle []byte, now time.Time) (time.Duration, error) {
	if len(bundle) == 0 {
		return 0, errors.New("no authority is set, so that the API server trusts nobody")
	}
	authorities, err := cert.ParseCertsPEM(bundle)
	if err != nil {
		return 0, errors.New("the authority is not a certificate in PEM")
	}
	latest := slices.MaxFunc(authorities, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	return latest.NotAfter.Sub(now), nil
}
