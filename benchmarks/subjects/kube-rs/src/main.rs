//! The Echo operator on kube-rs: one owned ConfigMap kept in step, and a status.
//! With CACHE=1 it only fills a cache of ConfigMaps, and says so.
//!
//! It writes only what differs from its caches: the shorter way of the examples, to apply on every event, would
//! double the writes. Its streams are filtered and shared as the book's chapter on optimization has it.

use std::{collections::BTreeMap, env, future::ready, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        predicates,
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "bench.kurator.dev", version = "v1", kind = "Echo", plural = "echoes", namespaced, status = "EchoStatus")]
struct EchoSpec {
    message: String,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct EchoStatus {
    #[serde(default)]
    ready: bool,
    observed_generation: Option<i64>,
}

struct Context {
    client: Client,
    maps: Store<ConfigMap>,
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Error(#[from] kube::Error);

async fn reconcile(echo: Arc<Echo>, context: Arc<Context>) -> Result<Action, Error> {
    let name = echo.name_any();
    let namespace = echo.namespace().unwrap_or_default();
    let manager = PatchParams::apply("echo").force();

    let wanted = child(&echo);
    let cached = context.maps.get(&ObjectRef::new(&name).within(&namespace));
    if !cached.is_some_and(|map| map.data == wanted.data && map.owner_references() == wanted.owner_references()) {
        let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
        maps.patch(&name, &manager, &Patch::Apply(&wanted)).await?;
    }

    let status = EchoStatus { ready: true, observed_generation: echo.meta().generation };
    if echo.status.as_ref() != Some(&status) {
        let echoes = Api::<Echo>::namespaced(context.client.clone(), &namespace);
        echoes.patch_status(&name, &PatchParams::default(), &Patch::Merge(json!({ "status": status }))).await?;
    }
    Ok(Action::await_change())
}

fn child(echo: &Echo) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(echo.name_any()),
            namespace: echo.namespace(),
            owner_references: echo.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("message".to_owned(), echo.spec.message.clone())])),
        ..ConfigMap::default()
    }
}

fn retry(_: Arc<Echo>, _: &Error, _: Arc<Context>) -> Action {
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let namespace = env::var("NAMESPACE")?;
    let maps = Api::<ConfigMap>::namespaced(client.clone(), &namespace);
    let (map_store, map_writer) = reflector::store();
    let map_events = watcher(maps, watcher::Config::default().streaming_lists())
        .default_backoff()
        .modify(|map| map.managed_fields_mut().clear())
        .reflect(map_writer);

    if env::var_os("CACHE").is_some() {
        tokio::spawn(map_events.for_each(|_| ready(())));
        map_store.wait_until_ready().await?;
        println!("synced");
        return Ok(until_told_to_stop().await?);
    }

    let echoes = Api::<Echo>::namespaced(client.clone(), &namespace);
    let (echo_store, echo_writer) = reflector::store();
    let echo_changes = watcher(echoes, watcher::Config::default().streaming_lists())
        .default_backoff()
        .modify(|echo| echo.managed_fields_mut().clear())
        .reflect(echo_writer)
        .applied_objects()
        // Its own status is no news.
        .predicate_filter(predicates::generation, Default::default());
    Controller::for_stream(echo_changes, echo_store)
        .owns_stream(map_events.touched_objects())
        .with_config(Config::default().concurrency(16))
        .shutdown_on_signal()
        .run(reconcile, retry, Arc::new(Context { client, maps: map_store }))
        .for_each(|_| ready(()))
        .await;
    Ok(())
}

async fn until_told_to_stop() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}
