package dev.kurator.bench;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;

/** The owned ConfigMap: the SDK compares what is wanted with its cache, and writes only what differs. */
public class Child extends CRUDKubernetesDependentResource<ConfigMap, Echo> {
  @Override
  protected ConfigMap desired(Echo echo, Context<Echo> context) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(echo.getMetadata().getName())
        .withNamespace(echo.getMetadata().getNamespace())
        .endMetadata()
        .addToData("message", echo.getSpec().message())
        .build();
  }
}
