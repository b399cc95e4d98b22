package dev.kurator.bench;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;

/** The child is brought in step before this runs: what is left is the status. */
@ControllerConfiguration
@Workflow(dependents = @Dependent(type = Child.class))
public class EchoReconciler implements Reconciler<Echo> {
  @Override
  public UpdateControl<Echo> reconcile(Echo echo, Context<Echo> context) {
    var metadata = echo.getMetadata();
    var wanted = new Echo.Status(true, metadata.getGeneration());
    if (wanted.equals(echo.getStatus())) return UpdateControl.noUpdate();
    // Applied server-side, hence without what is not ours.
    var patch = new Echo();
    patch.setMetadata(
        new ObjectMetaBuilder().withName(metadata.getName()).withNamespace(metadata.getNamespace()).build());
    patch.setStatus(wanted);
    return UpdateControl.patchStatus(patch);
  }
}
