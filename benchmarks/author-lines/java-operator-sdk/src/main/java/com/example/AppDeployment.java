package com.example;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import java.util.Map;

/** The owned Deployment: the SDK compares what is wanted with its cache, and writes only what differs. */
public class AppDeployment extends CRUDKubernetesDependentResource<Deployment, MyApp> {
  @Override
  protected Deployment desired(MyApp app, Context<MyApp> context) {
    var name = app.getMetadata().getName();
    var labels = Map.of(MyApp.LABEL, name);
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(app.getMetadata().getNamespace())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withReplicas(app.getSpec().replicas())
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("app")
        .withImage(app.getSpec().image())
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
