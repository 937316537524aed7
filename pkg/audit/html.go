package audit

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"time"
)

// About says what a page is about, since it is passed on. What is empty is left out.
type About struct {
	// Subject names the files or the cluster that was judged.
	Subject string
	Time    time.Time
	// Version is that of taojob.
	Version string
}

//go:embed html
var pageFiles embed.FS

// writeHTML writes one page that asks for nothing else: an auditor can read
// it, print it and send it on.
func writeHTML(w io.Writer, r *Report, style Style) error {
	t, err := template.ParseFS(pageFiles, "html/page.tmpl")
	if err != nil {
		return err
	}
	css, err := pageFiles.ReadFile("html/page.css")
	if err != nil {
		return err
	}
	js, err := pageFiles.ReadFile("html/page.js")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = t.Execute(&out, struct {
		page
		About  About
		Policy string
		CSS    template.CSS
		JS     template.JS
	}{newPage(r), style.About, contentPolicy(css, js), template.CSS(css), template.JS(js)})
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}

// contentPolicy allows the page's own style and script and nothing else, so
// that even a name that got past the escaping could do nothing.
func contentPolicy(css, js []byte) string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hashed(css) + "; script-src " + hashed(js)
}

func hashed(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
