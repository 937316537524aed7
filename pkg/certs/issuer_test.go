package certs

import (
	"crypto/x509"
	"maps"
	"testing"
	"time"
)

// start is when the tests begin. Certificates are good for hours in them, and
// authorities for days.
var start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func testIssuer() issuer {
	return issuer{names: []string{"hook.tao.svc", "localhost"}, caDuration: 9 * day, certDuration: 3 * day}
}

func TestRenew(t *testing.T) {
	i := testIssuer()
	good, err := i.renew(nil, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(map[string][]byte)) map[string][]byte {
		data := maps.Clone(good)
		change(data)
		return data
	}
	other := testIssuer()
	other.names = []string{"other.tao.svc"}
	foreign, err := other.renew(nil, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		data     map[string][]byte
		after    time.Duration
		unknown  bool // the authority is new to the API servers
		ca, leaf bool // which of both is made anew
		trusted  int  // how many authorities there are then
	}{
		"an empty Secret gets everything":                        {data: nil, ca: true, leaf: true, trusted: 1},
		"what is good stays":                                     {data: good, after: day, trusted: 1},
		"a certificate in its last third is renewed":             {data: good, after: 2*day + time.Hour, leaf: true, trusted: 1},
		"but not by an authority that is not known everywhere":   {data: good, after: 2*day + time.Hour, unknown: true, trusted: 1},
		"unless the certificate has ended":                       {data: good, after: 3*day + time.Hour, unknown: true, leaf: true, trusted: 1},
		"an authority that has ended is replaced with all of it": {data: good, after: 9*day + time.Hour, ca: true, leaf: true, trusted: 1},
		"a key that was lost is made anew with its certificate":  {data: with(func(d map[string][]byte) { d[tlsKey] = nil }), leaf: true, trusted: 1},
		"so is one that is another's":                            {data: with(func(d map[string][]byte) { d[tlsKey] = d[caKey] }), leaf: true, trusted: 1},
		"and a certificate that another authority signed":        {data: with(func(d map[string][]byte) { d[tlsCert], d[tlsKey] = foreign[tlsCert], foreign[tlsKey] }), leaf: true, trusted: 1},
		"one for another name is renewed":                        {data: foreign, leaf: true, trusted: 1},
		"an authority without its key has a successor, and what it signed stays": {
			data: with(func(d map[string][]byte) { d[caKey] = nil }), ca: true, trusted: 2},
		"a certificate that is no authority is not trusted as one": {
			data: with(func(d map[string][]byte) { d[caCert], d[caKey] = d[tlsCert], d[tlsKey] }), ca: true, leaf: true, trusted: 1},
		"nonsense is replaced": {data: map[string][]byte{caCert: []byte("x"), caKey: []byte("y"), tlsCert: []byte("z")}, ca: true, leaf: true, trusted: 1},
	} {
		t.Run(name, func(t *testing.T) {
			now := start.Add(tc.after)
			got, err := i.renew(tc.data, now, func(*x509.Certificate) bool { return !tc.unknown })
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				got = tc.data
			}
			if changed := string(got[caKey]) != string(tc.data[caKey]); changed != tc.ca {
				t.Errorf("a new authority: %t", changed)
			}
			if changed := string(got[tlsCert]) != string(tc.data[tlsCert]); changed != tc.leaf {
				t.Errorf("a new certificate: %t", changed)
			}
			trusted := parse(got[caCert])
			if len(trusted) != tc.trusted {
				t.Errorf("%d authorities", len(trusted))
			}
			leaf, err := i.readLeaf(got, trusted, now)
			if err != nil {
				t.Fatal(err)
			}
			if leaf.NotAfter.After(issuerOf(leaf, trusted).NotAfter) {
				t.Error("the certificate outlives its authority")
			}
		})
	}
}

func TestAnAuthorityInItsLastThirdHasASuccessorBesideIt(t *testing.T) {
	i := testIssuer()
	data, err := i.renew(nil, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := func(*x509.Certificate) bool { return true }
	now := start.Add(5 * day)
	if data, err = i.renew(data, now, known); err != nil { // the certificate, since it has ended
		t.Fatal(err)
	}
	now = start.Add(6*day + time.Hour)
	next, err := i.renew(data, now, known)
	if err != nil {
		t.Fatal(err)
	}
	if string(next[tlsCert]) != string(data[tlsCert]) {
		t.Error("the certificate did not stay")
	}
	if all := parse(next[caCert]); len(all) != 2 || !all[1].Equal(parse(data[caCert])[0]) {
		t.Errorf("the former authority is not the second of %d", len(all))
	}
	now = start.Add(9*day + time.Hour)
	if next, err = i.renew(next, now, known); err != nil {
		t.Fatal(err)
	}
	if all := parse(next[caCert]); len(all) != 1 {
		t.Errorf("%d authorities are trusted after one ended", len(all))
	}
}
