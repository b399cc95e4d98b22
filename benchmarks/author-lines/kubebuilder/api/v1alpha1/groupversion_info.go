// Package v1alpha1 has the kinds of example.com/v1alpha1.
// +kubebuilder:object:generate=true
// +groupName=example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "example.com", Version: "v1alpha1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &MyApp{}, &MyAppList{})
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)
