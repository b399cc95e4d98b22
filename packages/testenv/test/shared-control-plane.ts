/** Vitest's global set-up for the integration tests of every package. */
export { startSharedControlPlane as default } from '../src/shared-control-plane.ts';
