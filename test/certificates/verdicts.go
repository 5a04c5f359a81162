// Records what Go says of the certificate corpus: go run test/certificates/verdicts.go
//
// A chain is accepted where a kube-apiserver with this Go authenticates by it: crypto/tls takes the certificates,
// and x509.Verify accepts them for clients. It writes verdicts.json beside the corpus; with -check it compares with it.
package main

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"
)

type corpus struct {
	Now          int64    `json:"now"`
	Certificates [][]byte `json:"certificates"`
	Cases        []struct {
		Name  string `json:"name"`
		Roots []int  `json:"roots"`
		Chain []int  `json:"chain"`
	} `json:"cases"`
}

type verdict struct {
	Name          string   `json:"name"`
	Trusted       bool     `json:"trusted"`
	Because       string   `json:"because,omitempty"`
	CommonName    string   `json:"commonName,omitempty"`
	Organizations []string `json:"organizations,omitempty"`
}

const largestRSAKey = 8192 // of crypto/tls

func verify(roots, chain [][]byte, now time.Time) (*x509.Certificate, error) {
	trusted, sent := x509.NewCertPool(), x509.NewCertPool()
	for _, der := range roots {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("root: %w", err)
		}
		trusted.AddCert(certificate)
	}
	var leaf *x509.Certificate
	for _, der := range chain {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > largestRSAKey {
			return nil, fmt.Errorf("tls: RSA key of %d bits", key.N.BitLen())
		}
		if leaf == nil {
			leaf = certificate
		} else {
			sent.AddCert(certificate)
		}
	}
	// The handshake checks a signature by the client's key; a weak key fails in another way than a wrong signature does.
	if key, ok := leaf.PublicKey.(*rsa.PublicKey); ok {
		if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, make([]byte, 32), make([]byte, key.Size())); err != rsa.ErrVerification {
			return nil, fmt.Errorf("tls: %w", err)
		}
	}
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots:         trusted,
		Intermediates: sent,
		CurrentTime:   now,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return leaf, err
}

func main() {
	_, source, _, _ := runtime.Caller(0)
	folder := filepath.Dir(source)
	text, err := os.ReadFile(filepath.Join(folder, "corpus.json"))
	check(err)
	var all corpus
	check(json.Unmarshal(text, &all))
	pick := func(numbers []int) (picked [][]byte) {
		for _, number := range numbers {
			picked = append(picked, all.Certificates[number])
		}
		return picked
	}
	var lines []string
	for _, one := range all.Cases {
		said := verdict{Name: one.Name}
		leaf, err := verify(pick(one.Roots), pick(one.Chain), time.Unix(all.Now, 0).UTC())
		if err != nil {
			said.Because = err.Error()
		} else {
			said.Trusted, said.CommonName, said.Organizations = true, leaf.Subject.CommonName, leaf.Subject.Organization
		}
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		check(encoder.Encode(said))
		lines = append(lines, "    "+strings.TrimSpace(line.String()))
	}
	out := fmt.Sprintf("{\n  \"go\": %q,\n  \"verdicts\": [\n%s\n  ]\n}\n", runtime.Version(), strings.Join(lines, ",\n"))
	path := filepath.Join(folder, "verdicts.json")
	if len(os.Args) > 1 && os.Args[1] == "-check" {
		recorded, err := os.ReadFile(path)
		check(err)
		if !reflect.DeepEqual(verdictsOf(recorded), verdictsOf([]byte(out))) {
			check(fmt.Errorf("%s differs from the verdicts of %s", path, runtime.Version()))
		}
		return
	}
	check(os.WriteFile(path, []byte(out), 0o644))
	fmt.Printf("%d verdicts by %s\n", len(lines), runtime.Version())
}

func verdictsOf(text []byte) []verdict {
	var file struct {
		Verdicts []verdict `json:"verdicts"`
	}
	check(json.Unmarshal(text, &file))
	return file.Verdicts
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
