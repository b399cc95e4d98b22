import { bundleOf, createAuthority, issueLeaf, judge, leafData, plan, type Ring, ringData, take } from '@kurator/pki';

const DAY = 86_400_000;
const now = Date.now();
const policy = { lifetime: 90 * DAY };
const makeAuthority = () => createAuthority({ name: 'shop-etcd', lifetime: 365 * DAY, now });
const makeLeaf = ({ authority }: Ring) =>
  issueLeaf(authority, {
    commonName: 'etcd-0',
    names: ['etcd-0.etcd.shop.svc', '127.0.0.1'],
    usages: ['server', 'client'],
    lifetime: policy.lifetime,
    now,
  });

let ring: Ring = { authority: makeAuthority() };
let leaf = makeLeaf(ring);
let trusts = [ring.authority.certificate.keyId];

// Somebody asks for a new authority. From here on a loop, as an operator's: look, do what is due, let the member load it.
ring = take('begin', ring, policy, now, makeAuthority);
for (;;) {
  const shows = [leaf.certificate.issuerKeyId ?? ''];
  const observed = {
    verifiers: [{ name: 'etcd-0', trusts }],
    holders: [{ name: 'etcd-0', stored: leaf.certificate, shows }],
  };
  const { step, renew, waitingFor } = plan(ring, observed, policy, now);
  process.stdout.write(`${step ?? (renew.length > 0 ? 'renew' : `waits for: ${waitingFor.join() || 'nobody'}`)}\n`);
  if (step) ring = take(step, ring, policy, now, makeAuthority);
  else if (renew.length > 0) leaf = makeLeaf(ring);
  else if (waitingFor.length === 0) break;
  // The member starts again, with what its Secret holds now.
  else trusts = [ring.authority, ring.next?.authority].flatMap((one) => one?.certificate.keyId ?? []);
}

const bundle = bundleOf(ring);
process.stdout.write(`${Object.keys(ringData(ring))} and ${Object.keys(leafData({ pair: leaf, bundle }))}\n`);
const findings = judge(leaf.certificate, { bundle, now, usage: 'server', name: 'db.example.com' });
process.stdout.write(`${findings.map(({ code, message }) => `${code}: ${message}`)}\n`);
