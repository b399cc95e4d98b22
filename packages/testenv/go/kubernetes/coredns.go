// CoreDNS as one more program of the binary, with the plugins that cluster DNS needs, and no others.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
)

func init() {
	programs["coredns"] = func() int {
		dnsserver.Directives = []string{"reload", "health", "ready", "errors", "cache", "loadbalance", "kubernetes"}
		coremain.Run()
		return 0
	}
}
