/** What a brain is told when it begins. */

/** The argument that makes the operator's program the brain of an instance. */
export const BRAIN = 'brain';
/** The variable that has an {@link Identity}. */
export const IDENTITY = 'KURATOR_DATABASE_INSTANCE';

export interface Identity {
  readonly cluster: string;
  readonly namespace: string;
  readonly instance: string;
  /** What follows an instance's name in its host name, with the dot. */
  readonly host: string;
  readonly lease: string;
  /** What the application is given when the cluster begins. */
  readonly database: string;
  readonly owner: string;
}

export function readIdentity(environment: NodeJS.ProcessEnv = process.env): Identity {
  const text = environment[IDENTITY];
  if (!text) throw new Error(`${IDENTITY} is empty: the operator sets it in the pods that it makes`);
  return JSON.parse(text) as Identity;
}
