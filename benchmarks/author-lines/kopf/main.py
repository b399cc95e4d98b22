"""MyApp on kopf: a Deployment kept in step, ready replicas, and a condition that tells a broken rollout."""

from datetime import datetime, timezone

import kopf
from kubernetes_asyncio import client, config

MYAPPS = ("example.com", "v1alpha1", "myapps")
LABEL = "example.com/myapp"
APPLY = {"field_manager": "myapp", "force": True, "_content_type": "application/apply-patch+yaml"}
STARTING = (None, "ContainerCreating", "PodInitializing")


@kopf.on.startup()
async def connect(memo: kopf.Memo, **_):
    await config.load_config()
    memo.api = client.ApiClient()


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_):
    await memo.api.close()


@kopf.on.resume(*MYAPPS)
@kopf.on.create(*MYAPPS)
@kopf.on.update(*MYAPPS, field="spec")
async def changed(body, memo: kopf.Memo, **_):
    await reconcile(body, memo.api)


@kopf.on.event("deployments", labels={LABEL: kopf.PRESENT})
@kopf.on.event("pods", labels={LABEL: kopf.PRESENT})
async def child_changed(namespace, labels, memo: kopf.Memo, **_):
    group, version, plural = MYAPPS
    apps = client.CustomObjectsApi(memo.api)
    try:
        app = await apps.get_namespaced_custom_object(group, version, namespace, plural, labels[LABEL])
    except client.ApiException as error:
        if error.status != 404:
            raise
        return
    if "deletionTimestamp" not in app["metadata"]:
        await reconcile(app, memo.api)


async def reconcile(app, api):
    name, namespace = app["metadata"]["name"], app["metadata"]["namespace"]
    labels = {LABEL: name}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": app["spec"]["replicas"],
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "app", "image": app["spec"]["image"]}]},
            },
        },
    }
    kopf.append_owner_reference(deployment, owner=app)
    deployment = await client.AppsV1Api(api).patch_namespaced_deployment(name, namespace, deployment, **APPLY)
    pods = await client.CoreV1Api(api).list_namespaced_pod(namespace, label_selector=f"{LABEL}={name}")

    old = app.get("status", {})
    status = {
        "readyReplicas": deployment.status.ready_replicas or 0,
        "observedGeneration": app["metadata"]["generation"],
        "conditions": [ready(app, deployment, pods.items, old.get("conditions", [None])[0])],
    }
    if any(old.get(field) != value for field, value in status.items()):
        group, version, plural = MYAPPS
        await client.CustomObjectsApi(api).patch_namespaced_custom_object_status(
            group, version, namespace, plural, name, {"status": status}, _content_type="application/merge-patch+json"
        )


def ready(app, deployment, pods, old):
    wanted, now = app["spec"]["replicas"], deployment.status
    message = f"{now.ready_replicas or 0} of {wanted} replicas are ready"
    is_done = (
        (now.observed_generation or 0) >= deployment.metadata.generation
        and (now.ready_replicas or 0) >= wanted
        and (now.updated_replicas or 0) >= wanted
        and (now.replicas or 0) <= wanted
    )
    status, reason = ("True", "AllReplicasReady") if is_done else ("False", "RollingOut")
    for pod in pods:
        for container in pod.status.container_statuses or []:
            waits = container.state and container.state.waiting
            if waits and waits.reason not in STARTING:
                status, reason = "False", waits.reason
                message += f"; pod {pod.metadata.name}: {waits.message}"
    stays = old and old["status"] == status
    return {
        "type": "Ready",
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": app["metadata"]["generation"],
        "lastTransitionTime": old["lastTransitionTime"] if stays else datetime.now(timezone.utc).isoformat(),
    }
