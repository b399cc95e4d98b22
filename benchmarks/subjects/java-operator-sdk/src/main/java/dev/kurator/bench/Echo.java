package dev.kurator.bench;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;

@Group("bench.kurator.dev")
@Version("v1")
@Plural("echoes")
public class Echo extends CustomResource<Echo.Spec, Echo.Status> implements Namespaced {
  public record Spec(String message) {}

  public record Status(boolean ready, Long observedGeneration) {}
}
