/**
 * The replication slot by which a standby receives. Postgres connects again by itself, to whoever is at an address, and compares numbers of
 * timelines alone: so a slot bears the epoch. A primary has those of its epoch, and removes all others before it starts; whoever is no
 * primary has none. Slots have lower case letters, digits and `_` only.
 */
export const slotOf = (name: string, epoch: number): string => `e${epoch}_${name.replaceAll('-', '_')}`;
