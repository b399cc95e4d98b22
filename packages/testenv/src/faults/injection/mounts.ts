/** Which file system is mounted where, from `/proc/PID/mountinfo`. Pure. */

/** A folder of a file system, and where it is mounted. */
export interface Mount {
  /** `major:minor`. */
  readonly device: string;
  /** The folder of that file system which is mounted. */
  readonly root: string;
  readonly path: string;
}

/** In mountinfo, a space and some other characters are written as a backslash and three octal digits. */
const decode = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Reads a mountinfo file, in its order. */
export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [, , device, root, path] = line.split(' ');
    return device && root && path ? [{ device, root: decode(root), path: decode(path) }] : [];
  });
}

/** What a process sees at `path`: of several mounts on the same place, the last one. */
export function mountAt(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.findLast((mount) => mount.path === path);
}

/** Where else a mounted folder can be reached, for somebody with other mounts; undefined if nowhere. */
export function pathOf({ device, root }: Mount, mounts: readonly Mount[]): string | undefined {
  const wide = mounts.find((mount) => mount.device === device && isWithin(root, mount.root));
  if (!wide) return undefined;
  const rest = wide.root === '/' ? root : root.slice(wide.root.length);
  return `${wide.path === '/' ? '' : wide.path}${rest === '/' ? '' : rest}` || '/';
}

/** Whether a path is a folder, or somewhere below it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
