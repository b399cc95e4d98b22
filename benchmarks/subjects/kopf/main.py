"""The Echo operator on kopf: one owned ConfigMap kept in step, and a status.

With CACHE=1 it only fills a cache of ConfigMaps, and says so.
"""

import asyncio
import logging
import os

import kopf
from kubernetes_asyncio import client, config

CACHE = bool(os.environ.get("CACHE"))
ECHOES = ("bench.kurator.dev", "v1", "echoes")

# Not kopf's own limit of workers: one of those keeps its place for seconds after it has done its work.
writers = asyncio.Semaphore(16)


@kopf.on.startup()
async def configure(settings: kopf.OperatorSettings, memo: kopf.Memo, **_):
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.watching.initial_streaming = True
    # One place to remember in, instead of annotations and the status.
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()
    await config.load_config()
    memo.core = client.CoreV1Api()
    if CACHE:
        first = await memo.core.list_namespaced_config_map(os.environ["NAMESPACE"], limit=1)
        memo.expected = len(first.items) + (first.metadata.remaining_item_count or 0)


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_):
    await memo.core.api_client.close()


# Plain dictionaries, kept by handlers of raw events. kopf's indexes would be the usual way, but the time to fill one
# grows with the square of the number of objects.
maps = {}
echoes = {}


@kopf.on.event("configmaps")
async def remember_map(type, name, body, memo: kopf.Memo, **_):
    keep(maps, type, name, body if CACHE else body.get("data", {}).get("message"))
    if CACHE:
        if len(maps) == memo.expected:
            print("synced", flush=True)
    elif name in echoes and maps.get(name) != message_of(echoes[name]):
        await write_child(echoes[name], memo.core)


if not CACHE:

    @kopf.on.event(*ECHOES)
    async def remember_echo(type, name, body, **_):
        keep(echoes, type, name, body)

    @kopf.on.resume(*ECHOES)
    @kopf.on.create(*ECHOES)
    @kopf.on.update(*ECHOES, field="spec")
    async def reconcile(name, body, memo: kopf.Memo, patch: kopf.Patch, **_):
        if maps.get(name) != message_of(body):
            await write_child(body, memo.core)
        status = {"ready": True, "observedGeneration": body["metadata"]["generation"]}
        if body.get("status") != status:
            patch.status.update(status)


def keep(cache, type, name, value):
    if type == "DELETED":
        cache.pop(name, None)
    else:
        cache[name] = value


def message_of(echo):
    return echo["spec"]["message"]


async def write_child(echo, core):
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": {"message": message_of(echo)}}
    kopf.adopt(child, owner=echo)
    name, namespace = echo["metadata"]["name"], echo["metadata"]["namespace"]
    child["metadata"]["name"] = name
    async with writers:
        await core.patch_namespaced_config_map(
            name, namespace, child, field_manager="echo", force=True, _content_type="application/apply-patch+yaml"
        )


logging.getLogger("kopf").setLevel(logging.WARNING)
