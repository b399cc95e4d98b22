// The Echo operator on controller-runtime: one owned ConfigMap kept in step, and a status.
// With CACHE=1 it only fills a cache of ConfigMaps, and says so.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

type EchoSpec struct {
	Message string `json:"message"`
}

type EchoStatus struct {
	Ready              bool  `json:"ready"`
	ObservedGeneration int64 `json:"observedGeneration"`
}

type Echo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              EchoSpec   `json:"spec"`
	Status            EchoStatus `json:"status,omitempty"`
}

func (in *Echo) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

type EchoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Echo `json:"items"`
}

func (in *EchoList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]Echo, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*Echo)
	}
	return &out
}

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var echo Echo
	if err := r.Get(ctx, request.NamespacedName, &echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: echo.Name, Namespace: echo.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"message": echo.Spec.Message}
		return controllerutil.SetControllerReference(&echo, child, r.scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	wanted := EchoStatus{Ready: true, ObservedGeneration: echo.Generation}
	if echo.Status == wanted {
		return ctrl.Result{}, nil
	}
	echo.Status = wanted
	return ctrl.Result{}, r.Status().Update(ctx, &echo)
}

func main() {
	// Its conflicts are retried; a stack trace for each would be measured as work.
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	gv := schema.GroupVersion{Group: "bench.kurator.dev", Version: "v1"}
	scheme.AddKnownTypes(gv, &Echo{}, &EchoList{})
	metav1.AddToGroupVersion(scheme, gv)

	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{os.Getenv("NAMESPACE"): {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
	})
	must(err)
	ctx := ctrl.SetupSignalHandler()
	if os.Getenv("CACHE") != "" {
		_, err := manager.GetCache().GetInformer(ctx, &corev1.ConfigMap{})
		must(err)
		go func() {
			manager.GetCache().WaitForCacheSync(ctx)
			fmt.Println("synced")
		}()
	} else {
		must(ctrl.NewControllerManagedBy(manager).
			// Its own status is no news.
			For(&Echo{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
			Owns(&corev1.ConfigMap{}).
			WithOptions(controller.Options{MaxConcurrentReconciles: 16}).
			Complete(&reconciler{manager.GetClient(), scheme}))
	}
	must(manager.Start(ctx))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
