/** Where things are in the pods of instances. */
export const places = {
  volume: '/var/lib/kurator',
  /** PGDATA: a folder in the volume, whose own root may have a lost+found. */
  data: '/var/lib/kurator/data',
  /** What the instance has promised, on the volume, so that it outlives the pod. */
  promise: '/var/lib/kurator/promise.json',
  /** What guard and brain tell each other, and the database's socket. */
  guard: '/run/kurator',
  secrets: '/etc/kurator/secrets',
} as const;

export const majorOf = (version: string): string => version.split('.', 1)[0] ?? version;
