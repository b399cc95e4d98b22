/** What a kubelet says of pods, where there are no nodes. */
import { type Client, Pod } from '@kurator/sdk';

/** Says how a pod is: it runs and is ready, or it crashes again and again. */
export async function report(client: Client, metadata: Pod['metadata'], isWell: boolean): Promise<void> {
  const at = new Date().toISOString();
  const ended = { terminated: { exitCode: 1, reason: 'Error', startedAt: at, finishedAt: at } };
  const state = isWell
    ? { state: { running: { startedAt: at } } }
    : { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended };
  const container = { name: 'main', image: 'any', imageID: '', ready: isWell, restartCount: isWell ? 0 : 4 };
  const conditions = [{ type: 'Ready', status: isWell ? 'True' : 'False', lastTransitionTime: at }];
  const status = { phase: 'Running', conditions, containerStatuses: [{ ...container, ...state }] };
  await client.patch(Pod, metadata, { status }, { subresource: 'status' });
}
