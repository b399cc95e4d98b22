// Package controller keeps a Deployment in step with each MyApp.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/myapp/api/v1alpha1"
)

const label = "example.com/myapp"

type MyAppReconciler struct {
	client.Client
}

func (r *MyAppReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var app v1alpha1.MyApp
	if err := r.Get(ctx, request.NamespacedName, &app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	labels := map[string]string{label: app.Name}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		deployment.Labels = labels
		deployment.Spec.Replicas = app.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		pod := &deployment.Spec.Template.Spec
		// In place, to keep what the API server has added: else each reconcile would write.
		if len(pod.Containers) != 1 {
			pod.Containers = make([]corev1.Container, 1)
		}
		pod.Containers[0].Name, pod.Containers[0].Image = "app", app.Spec.Image
		return controllerutil.SetControllerReference(&app, deployment, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(app.Namespace), client.MatchingLabels(labels)); err != nil {
		return ctrl.Result{}, err
	}

	status := app.Status.DeepCopy()
	status.ReadyReplicas = deployment.Status.ReadyReplicas
	status.ObservedGeneration = app.Generation
	meta.SetStatusCondition(&status.Conditions, ready(&app, deployment, pods.Items))
	if equality.Semantic.DeepEqual(&app.Status, status) {
		return ctrl.Result{}, nil
	}
	app.Status = *status
	return ctrl.Result{}, r.Status().Update(ctx, &app)
}

func ready(app *v1alpha1.MyApp, deployment *appsv1.Deployment, pods []corev1.Pod) metav1.Condition {
	wanted, now := *app.Spec.Replicas, deployment.Status
	condition := metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionFalse,
		Reason:             "RollingOut",
		Message:            fmt.Sprintf("%d of %d replicas are ready", now.ReadyReplicas, wanted),
		ObservedGeneration: app.Generation,
	}
	for _, pod := range pods {
		for _, container := range pod.Status.ContainerStatuses {
			waits := container.State.Waiting
			if waits == nil || waits.Reason == "ContainerCreating" || waits.Reason == "PodInitializing" {
				continue
			}
			condition.Reason = waits.Reason
			condition.Message += fmt.Sprintf("; pod %s: %s", pod.Name, waits.Message)
			return condition
		}
	}
	if now.ObservedGeneration >= deployment.Generation && now.ReadyReplicas >= wanted &&
		now.UpdatedReplicas >= wanted && now.Replicas <= wanted {
		condition.Status, condition.Reason = metav1.ConditionTrue, "AllReplicasReady"
	}
	return condition
}

func (r *MyAppReconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.MyApp{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(appOf)).
		Complete(r)
}

func appOf(_ context.Context, pod client.Object) []reconcile.Request {
	name, found := pod.GetLabels()[label]
	if !found {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: name, Namespace: pod.GetNamespace()}}}
}
