package cluster

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// adminKubeconfig names the administrator's kubeconfig and certificate.
const adminKubeconfig = "admin.kubeconfig"

// writeKubeconfig issues a client certificate and writes a kubeconfig that
// carries all it needs, so that the one file can be copied elsewhere.
func (p *pki) writeKubeconfig(path, url, user string, groups ...string) error {
	name := filepath.Base(path)
	if err := p.client(name, user, groups...); err != nil {
		return err
	}
	c := api.NewConfig()
	c.Clusters["taojob"] = &api.Cluster{Server: url, CertificateAuthority: p.certFile("ca")}
	c.AuthInfos[user] = &api.AuthInfo{ClientCertificate: p.certFile(name), ClientKey: p.keyFile(name)}
	c.Contexts["taojob"] = &api.Context{Cluster: "taojob", AuthInfo: user}
	c.CurrentContext = "taojob"
	if err := api.FlattenConfig(c); err != nil {
		return fmt.Errorf("fill kubeconfig: %w", err)
	}
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}
