/**
 * Closes what a sink holds open for a service whose Kurator is gone: nobody is left who would say that it is over. What is
 * open is known by its threads, which are kept in the channel's status, so that no restart forgets it; a Kurator needs no
 * finalizer for it.
 */
import { incidentName } from '../../memory/incident-object.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import type { Alert } from './alert.ts';
import type { Others } from './alerting.ts';
import { serviceOf, take } from './digest.ts';
import type { Outbox } from './outbox.ts';

/** Whose a thread is. */
export interface Origin {
  readonly namespace: string;
  readonly name: string;
  /** How the uid of its Kurator begins: one of the same name that was made later is another. */
  readonly uid: string;
}

/** The threads that were told of and not ended, by themselves or in a digest. */
export function openThreads({ open, digests }: Outbox): readonly string[] {
  const gathered = digests.flatMap(({ members }) => members.filter(({ isWell }) => !isWell));
  return [...new Set([...open, ...gathered.map(({ thread }) => thread)])];
}

export function originOf(thread: string): Origin {
  const [namespace = '', name = ''] = serviceOf(thread).split('/');
  return { namespace, name, uid: thread.slice(0, thread.indexOf('/')) };
}

/** With the word that nobody looks after these any more, and how all others do; the same outbox if they were ended meanwhile. */
export function withdrawn(
  outbox: Outbox,
  channel: AlertChannel,
  threads: readonly string[],
  at: string,
  others: (service: string) => Others,
): Outbox {
  const still = new Set(openThreads(outbox));
  const ended = threads.filter((thread) => still.has(thread));
  return ended.reduce((box, thread) => take(box, channel, alertOf(thread, at, others), at), outbox);
}

function alertOf(thread: string, at: string, others: (service: string) => Others): Alert {
  const { namespace, name, uid } = originOf(thread);
  const incident = thread.slice(uid.length + 1);
  return {
    id: `${thread}/withdrawn`,
    thread,
    group: incident,
    severity: 'resolved',
    status: 'resolved',
    namespace,
    service: name,
    uid: '',
    incident: incidentName(incident),
    stage: 'withdrawn',
    condition: 'unknown',
    cause: '',
    title: `${namespace}/${name} is not looked after any more`,
    lines: [
      `Kurator ${name} was deleted in the middle of the incident: how ${namespace}/${name} is now, nobody has looked`,
    ],
    others: others(`${namespace}/${name}`),
    startedAt: at,
    at,
    look: `kubectl -n ${namespace} get kurators`,
  };
}
