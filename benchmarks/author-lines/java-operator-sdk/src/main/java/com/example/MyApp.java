package com.example;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

@Group("example.com")
@Version("v1alpha1")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class MyApp extends CustomResource<MyApp.Spec, MyApp.Status> implements Namespaced {
  public static final String LABEL = "example.com/myapp";

  public record Spec(
      @Default("1") @Min(0) @PrinterColumn(name = "Replicas") Integer replicas,
      @Required @Size(min = 1) @PrinterColumn(name = "Image") String image) {}

  public record Status(int readyReplicas, Long observedGeneration, List<Condition> conditions) {}
}
