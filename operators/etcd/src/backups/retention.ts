/** Which backups stay. Pure. */

/** What is asked of one. */
export interface Kept {
  readonly key: string;
  readonly takenAt: string;
  readonly verifiedAt?: string | undefined;
}

/**
 * The newest ones, as many as are wanted; and, if none of these was ever restored, the newest that was. Newest last.
 */
export function retained<Backup extends Kept>(backups: readonly Backup[], maxBackups: number): Backup[] {
  const sorted = backups.toSorted((a, b) => Date.parse(a.takenAt) - Date.parse(b.takenAt));
  const newest = sorted.slice(-maxBackups);
  if (newest.some(({ verifiedAt }) => verifiedAt)) return newest;
  const proven = sorted.findLast(({ verifiedAt }) => verifiedAt);
  return proven ? [proven, ...newest] : newest;
}

/** The keys that go once one more is there that counts. `verify`: whether that one will have been restored. */
export function outdatedAfterNext(backups: readonly Kept[], maxBackups: number, verify: boolean): string[] {
  const next: Kept = { key: '', takenAt: new Date(8.64e15).toISOString(), ...(verify ? { verifiedAt: 'then' } : {}) };
  const stay = new Set(retained([...backups, next], maxBackups).map(({ key }) => key));
  return backups.map(({ key }) => key).filter((key) => !stay.has(key));
}
