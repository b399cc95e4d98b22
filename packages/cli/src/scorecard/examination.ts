/** How an operator is examined, and what is its own. */
import type { Client, ResourceType, UntypedObject } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { Reporter } from '@kurator/testenv';

/** One of the operator's own kinds. */
export interface Kind {
  readonly crd: CustomResourceDefinition;
  readonly type: ResourceType<UntypedObject>;
}

/** How it is examined. */
export interface Examination {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** How long one thing may take to happen. */
  readonly timeoutMs: number;
  /** Whether something may be made, deleted and restarted. */
  readonly disruptive: boolean;
  /** Another image of the operator, to upgrade to. */
  readonly upgradeTo: string | undefined;
}
