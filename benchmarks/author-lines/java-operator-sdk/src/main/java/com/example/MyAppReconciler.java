package com.example;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

@ControllerConfiguration
@Workflow(dependents = @Dependent(type = AppDeployment.class))
public class MyAppReconciler implements Reconciler<MyApp> {
  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

  @Override
  public List<EventSource<?, MyApp>> prepareEventSources(EventSourceContext<MyApp> context) {
    var pods =
        InformerEventSourceConfiguration.from(Pod.class, MyApp.class)
            .withLabelSelector(MyApp.LABEL)
            .withSecondaryToPrimaryMapper(pod -> Set.of(appOf(pod)))
            .build();
    return List.of(new InformerEventSource<>(pods, context));
  }

  private static ResourceID appOf(Pod pod) {
    var metadata = pod.getMetadata();
    return new ResourceID(metadata.getLabels().get(MyApp.LABEL), metadata.getNamespace());
  }

  @Override
  public UpdateControl<MyApp> reconcile(MyApp app, Context<MyApp> context) {
    var metadata = app.getMetadata();
    var deployment = context.getSecondaryResource(Deployment.class).orElse(new Deployment());
    var now = Optional.ofNullable(deployment.getStatus()).orElse(new DeploymentStatus());
    var pods = context.getSecondaryResources(Pod.class);
    var status =
        new MyApp.Status(
            number(now.getReadyReplicas()), metadata.getGeneration(), List.of(ready(app, deployment, now, pods)));
    if (status.equals(app.getStatus())) return UpdateControl.noUpdate();
    // Applied server-side, hence without what is not ours.
    var patch = new MyApp();
    patch.setMetadata(
        new ObjectMetaBuilder().withName(metadata.getName()).withNamespace(metadata.getNamespace()).build());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch);
  }

  private static Condition ready(MyApp app, Deployment deployment, DeploymentStatus now, Set<Pod> pods) {
    int wanted = app.getSpec().replicas();
    var isDone =
        now.getObservedGeneration() != null
            && now.getObservedGeneration() >= deployment.getMetadata().getGeneration()
            && number(now.getReadyReplicas()) >= wanted
            && number(now.getUpdatedReplicas()) >= wanted
            && number(now.getReplicas()) <= wanted;
    var count = "%d of %d replicas are ready".formatted(number(now.getReadyReplicas()), wanted);
    var fault = pods.stream().flatMap(pod -> faultOf(pod).stream()).findFirst();
    var status = isDone && fault.isEmpty() ? "True" : "False";
    var old = app.getStatus() == null ? null : app.getStatus().conditions().get(0);
    var stays = old != null && old.getStatus().equals(status);
    return new ConditionBuilder()
        .withType("Ready")
        .withStatus(status)
        .withReason(fault.map(ContainerStateWaiting::getReason).orElse(isDone ? "AllReplicasReady" : "RollingOut"))
        .withMessage(fault.map(waits -> count + "; " + waits.getMessage()).orElse(count))
        .withObservedGeneration(app.getMetadata().getGeneration())
        .withLastTransitionTime(stays ? old.getLastTransitionTime() : Instant.now().toString())
        .build();
  }

  private static Optional<ContainerStateWaiting> faultOf(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .map(container -> container.getState() == null ? null : container.getState().getWaiting())
        .filter(Objects::nonNull)
        .filter(waits -> waits.getReason() != null && !STARTING.contains(waits.getReason()))
        .findFirst();
  }

  private static int number(Integer given) {
    return given == null ? 0 : given;
  }
}
