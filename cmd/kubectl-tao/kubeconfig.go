package main

import (
	"errors"
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
)

// noCluster says what to do where client-go finds no cluster to talk to.
func noCluster(err error) error {
	if clientcmd.IsEmptyConfig(err) {
		return errors.New("find the cluster: there is no kubeconfig: name one by --kubeconfig or the variable KUBECONFIG, " +
			"or let your cluster's tools write ~/.kube/config")
	}
	return fmt.Errorf("find the cluster: %w", err)
}
