// The part of kubebuilder's main.go without which nothing runs.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"example.com/myapp/api/v1alpha1"
	"example.com/myapp/internal/controller"
)

func main() {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(v1alpha1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme})
	must(err)
	must((&controller.MyAppReconciler{Client: manager.GetClient()}).SetupWithManager(manager))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "can't go on")
		os.Exit(1)
	}
}
