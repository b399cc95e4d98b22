/** Who says whether what was rolled out does well. */
import type { AuthorContext } from '@kurator/sdk';
import type { Verdict } from '../brain/decide.ts';
import type { Target } from '../workload.ts';

/** What is judged. */
export interface Subject {
  readonly target: Target;
  /** The image's text that was written. */
  readonly image: string;
  /** When it was written, in milliseconds since 1970. */
  readonly since: number;
}

/** Looks at a rollout as it is just now. For how long it has to do well, and how long that may take, is the brain's to say. */
export type Judge = (subject: Subject, context: Pick<AuthorContext, 'client' | 'signal'>) => Promise<Verdict>;
