/** What happens to a replica of a sharded operator, for logs, metrics and events. */
export type ShardingEvent =
  /** These are this replica's from now on. */
  | { readonly type: 'gained'; readonly shards: readonly number[] }
  /** These were handed over to others. */
  | { readonly type: 'released'; readonly shards: readonly number[] }
  /** These were taken away, or can't be known to be this replica's any more. */
  | { readonly type: 'lost'; readonly shards: readonly number[]; readonly reason: unknown }
  /** What is under way for these doesn't end though it was told to: they are handed over later. */
  | { readonly type: 'stuck'; readonly shards: readonly number[] }
  /** This replica took a dead member out. */
  | { readonly type: 'removed'; readonly member: string }
  /** This replica has said that it lives. */
  | { readonly type: 'renewed' }
  /** A request failed; it is tried again. */
  | { readonly type: 'trouble'; readonly doing: string; readonly error: unknown };
