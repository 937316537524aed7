package certs

import (
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestWhatIsServed(t *testing.T) {
	i := testIssuer()
	data, err := i.renew(nil, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(data[tlsCert], data[tlsKey])
	if err != nil {
		t.Fatal(err)
	}
	serving := func(c *tls.Certificate, err error) Source {
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c, err }
	}
	for name, tc := range map[string]struct {
		source Source
		now    time.Time
		ok     bool
		expiry float64
	}{
		"a certificate is good in its time": {serving(&pair, nil), start, true, float64(start.Add(3 * day).Unix())},
		"it is not after its end":           {serving(&pair, nil), start.Add(4 * day), false, float64(start.Add(3 * day).Unix())},
		"nor before its beginning":          {serving(&pair, nil), start.Add(-day), false, float64(start.Add(3 * day).Unix())},
		"no certificate is not good":        {serving(nil, nil), start, false, 0},
		"nor is an error":                   {serving(nil, errors.New("x")), start, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.source.Check(tc.now); (err == nil) != tc.ok {
				t.Errorf("the error is %v", err)
			}
			if got := tc.source.Present(); got != (tc.expiry != 0) {
				t.Errorf("there is one: %t", got)
			}
			if got := testutil.ToFloat64(tc.source.Expiry()); got != tc.expiry {
				t.Errorf("it ends at %f", got)
			}
		})
	}
}
