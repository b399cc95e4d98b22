//! MyApp on kube-rs: a Deployment kept in step, ready replicas, and a condition that tells a broken rollout.
//! `myapp crd` prints the definition.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{ListParams, Patch, PatchParams},
    runtime::{Controller, controller::Action, reflector::ObjectRef, watcher},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const LABEL: &str = "example.com/myapp";

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "example.com",
    version = "v1alpha1",
    kind = "MyApp",
    namespaced,
    status = "MyAppStatus",
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#,
    printcolumn = r#"{"name":"Replicas","type":"integer","jsonPath":".spec.replicas"}"#,
    printcolumn = r#"{"name":"Image","type":"string","jsonPath":".spec.image"}"#
)]
struct MyAppSpec {
    #[serde(default = "one")]
    #[schemars(range(min = 0))]
    replicas: i32,
    #[schemars(length(min = 1))]
    image: String,
}

fn one() -> i32 {
    1
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct MyAppStatus {
    ready_replicas: i32,
    observed_generation: Option<i64>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

async fn reconcile(app: Arc<MyApp>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let name = app.name_any();
    let namespace = app.namespace().unwrap_or_default();
    let labels = json!({ LABEL: name });
    let manager = PatchParams::apply("myapp").force();

    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "labels": labels, "ownerReferences": [app.controller_owner_ref(&())] },
        "spec": {
            "replicas": app.spec.replicas,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "app", "image": app.spec.image }] },
            },
        },
    });
    let deployments = Api::<Deployment>::namespaced(Client::clone(&client), &namespace);
    let deployment = deployments.patch(&name, &manager, &Patch::Apply(deployment)).await?;
    let pods = Api::<Pod>::namespaced(Client::clone(&client), &namespace);
    let pods = pods.list(&ListParams::default().labels(&format!("{LABEL}={name}"))).await?.items;

    let old = app.status.clone().unwrap_or_default();
    let status = MyAppStatus {
        ready_replicas: deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0),
        observed_generation: app.meta().generation,
        conditions: vec![ready(&app, &deployment, &pods, old.conditions.first())],
    };
    if app.status.as_ref() != Some(&status) {
        let apps = Api::<MyApp>::namespaced(Client::clone(&client), &namespace);
        apps.patch_status(&name, &PatchParams::default(), &Patch::Merge(json!({ "status": status }))).await?;
    }
    Ok(Action::await_change())
}

fn ready(app: &MyApp, deployment: &Deployment, pods: &[Pod], old: Option<&Condition>) -> Condition {
    let wanted = app.spec.replicas;
    let now = deployment.status.clone().unwrap_or_default();
    let count = format!("{} of {wanted} replicas are ready", now.ready_replicas.unwrap_or(0));
    let is_done = now.observed_generation >= deployment.metadata.generation
        && now.ready_replicas.unwrap_or(0) >= wanted
        && now.updated_replicas.unwrap_or(0) >= wanted
        && now.replicas.unwrap_or(0) <= wanted;
    let (status, reason, message) = match pods.iter().find_map(fault) {
        Some((reason, fault)) => ("False", reason, format!("{count}; {fault}")),
        None if is_done => ("True", "AllReplicasReady".to_owned(), count),
        None => ("False", "RollingOut".to_owned(), count),
    };
    let since = old.filter(|old| old.status == status).map(|old| old.last_transition_time.clone());
    Condition {
        type_: "Ready".to_owned(),
        status: status.to_owned(),
        reason,
        message,
        observed_generation: app.meta().generation,
        last_transition_time: since.unwrap_or_else(|| Time(Timestamp::now())),
    }
}

fn fault(pod: &Pod) -> Option<(String, String)> {
    let containers = pod.status.as_ref()?.container_statuses.as_ref()?;
    let waits = containers.iter().find_map(|container| container.state.as_ref()?.waiting.clone())?;
    let reason = waits.reason.filter(|reason| !["ContainerCreating", "PodInitializing"].contains(&reason.as_str()))?;
    let message = format!("pod {}: {}", pod.name_any(), waits.message.as_ref().unwrap_or(&reason));
    Some((reason, message))
}

fn retry(_: Arc<MyApp>, error: &kube::Error, _: Arc<Client>) -> Action {
    eprintln!("{error}");
    Action::requeue(Duration::from_secs(5))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().any(|arg| arg == "crd") {
        println!("{}", serde_json::to_string(&MyApp::crd())?);
        return Ok(());
    }
    let client = Client::try_default().await?;
    Controller::new(Api::<MyApp>::all(client.clone()), watcher::Config::default())
        .owns(Api::<Deployment>::all(client.clone()), watcher::Config::default())
        .watches(Api::<Pod>::all(client.clone()), watcher::Config::default().labels(LABEL), |pod| {
            let app = pod.labels().get(LABEL)?;
            Some(ObjectRef::new(app).within(&pod.namespace()?))
        })
        .shutdown_on_signal()
        .run(reconcile, retry, Arc::new(client))
        .for_each(|_| std::future::ready(()))
        .await;
    Ok(())
}
