/** Whether this machine can run the end-to-end tests, which start real nodes with real containers. */
import { readFileSync } from 'node:fs';

/** Linux capabilities by their bit: namespaces and mounts need the one, links and packet rules the other. */
const NEEDED = { CAP_SYS_ADMIN: 21n, CAP_NET_ADMIN: 12n };

/**
 * @typedef {object} Machine
 * @property {string} platform as `process.platform`
 * @property {number | undefined} uid the effective user
 * @property {bigint} capabilities the effective set
 */

/** @returns {Machine} */
export function thisMachine() {
  return { platform: process.platform, uid: process.geteuid?.(), capabilities: effectiveCapabilities() };
}

/**
 * What keeps the machine from running containers, as the end of a sentence; undefined where nothing does.
 *
 * @param {Machine} machine
 */
export function missingForContainers({ platform, uid, capabilities }) {
  if (platform !== 'linux') return `they need Linux, and this is ${platform}`;
  if (uid !== 0) return 'they need root, and this is an ordinary user (try `sudo npm run test:e2e`)';
  const missing = Object.entries(NEEDED).filter(([, bit]) => (capabilities & (1n << bit)) === 0n);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name]) => name).join(' and ');
  return `they need ${names}, which root lacks here (a container without \`--privileged\`?)`;
}

function effectiveCapabilities() {
  try {
    const [, hex] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return BigInt(`0x${hex ?? '0'}`);
  } catch {
    return 0n;
  }
}

/**
 * How the end-to-end tests count that did not run: on a developer's machine as skipped; in CI as failed, because
 * there nobody would notice.
 *
 * @param {{ files: number, ci: boolean }} options
 */
export function countsWithoutContainers({ files, ci }) {
  return ci ? { passed: 0, failed: files, skipped: 0 } : { passed: 0, failed: 0, skipped: files };
}
