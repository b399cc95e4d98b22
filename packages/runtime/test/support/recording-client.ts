import { type Client, ClientError } from '@kurator/client';

export interface RecordedWrite {
  readonly verb: 'create' | 'replace' | 'patch' | 'apply' | 'delete';
  /** For example `ConfigMap a` or `Echo a/status`. */
  readonly target: string;
  /** `ok`, or the code of the error. */
  outcome: string;
}

const verbs = ['create', 'replace', 'patch', 'apply', 'delete'] as const;

/** The same client, with a list of everything that it was asked to write. */
export function recordingClient(client: Client): { client: Client; writes: RecordedWrite[] } {
  const writes: RecordedWrite[] = [];
  const recorded = Object.fromEntries(verbs.map((verb) => [verb, recording(client, verb, writes)]));
  return { client: { ...client, ...recorded } as Client, writes };
}

type AnyWrite = (type: { kind: string }, object: NamedObject, ...rest: unknown[]) => Promise<unknown>;
type NamedObject = { name?: string; metadata?: { name?: string } };

function recording(client: Client, verb: RecordedWrite['verb'], writes: RecordedWrite[]): AnyWrite {
  return async (type, object, ...rest) => {
    const { subresource } = (rest.at(-1) ?? {}) as { subresource?: string };
    const name = object.name ?? object.metadata?.name;
    const write = { verb, target: `${type.kind} ${name}${subresource ? `/${subresource}` : ''}`, outcome: 'pending' };
    writes.push(write);
    try {
      const answer = await (client[verb] as unknown as AnyWrite)(type, object, ...rest);
      write.outcome = 'ok';
      return answer;
    } catch (error) {
      write.outcome = error instanceof ClientError ? error.code : String(error);
      throw error;
    }
  };
}

/** `apply ConfigMap a` and so on, in their order. */
export function summary(writes: readonly RecordedWrite[]): string[] {
  return writes.map(({ verb, target, outcome }) => `${verb} ${target}${outcome === 'ok' ? '' : ` (${outcome})`}`);
}
