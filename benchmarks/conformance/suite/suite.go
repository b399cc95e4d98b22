//go:build suite

// Package suite names what the conformance suite is built of, so that `go mod tidy` brings the modules. Nothing is
// compiled here: the programs are built by their own paths.
package suite

import (
	_ "github.com/onsi/ginkgo/v2/ginkgo"
	_ "k8s.io/kubernetes/test/e2e"
	_ "k8s.io/kubernetes/test/images/agnhost"
	_ "k8s.io/kubernetes/test/images/nonewprivs"
	_ "k8s.io/sample-apiserver"
)
