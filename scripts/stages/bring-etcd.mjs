/** Brings the versions of etcd that end-to-end tests run: before them, for where there is no download a build takes minutes. */
import { resolveEtcd } from '@kurator/testenv';
import { ETCD_NEXT_VERSION, ETCD_VERSION } from '../../e2e/support/etcd-image.ts';

const say = (/** @type {string} */ text) => console.log(text);
const reporter = { info: say, verbose: () => {}, progress: () => {} };

for (const version of [ETCD_VERSION, ETCD_NEXT_VERSION]) await resolveEtcd({ version, reporter });
