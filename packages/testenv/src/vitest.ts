/** Vitest's global set-up: one control plane for a whole test run. `globalSetup: ['@kurator/testenv/vitest']`. */
export { startSharedControlPlane as setup } from './shared-control-plane.ts';
