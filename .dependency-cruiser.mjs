/**
 * The import rules: imports point one way only (ARCHITECTURE.md draws the rooms). `npm run imports` checks
 * them, and scripts/import-rules.test.mjs proves that each rule bites.
 *
 * TypeScript 7 has no compiler API for dependency-cruiser to parse with. That is why `typescript` in
 * package.json is TypeScript 6, while `tsc` comes from TypeScript 7: docs/designs/0001-repository.md.
 */

/**
 * What each room may import, besides itself. Rooms that don't exist yet are listed too, so that the line is drawn
 * before their first file is written. The console is a web page: it talks HTTP, and imports no other room.
 *
 * @type {Record<string, string[]>}
 */
const mayImport = {
  'packages/client': [],
  'packages/pki': [],
  'packages/schema': ['packages/client'],
  'packages/runtime': ['packages/client', 'packages/pki', 'packages/schema'],
  'packages/sdk': ['packages/client', 'packages/schema', 'packages/runtime'],
  'packages/registry': [],
  'packages/object-store': [],
  'packages/testenv': ['packages/client', 'packages/pki', 'packages/registry'],
  'packages/console': [],
  'packages/command': ['packages/client'],
  'packages/cli': [
    'packages/command',
    'packages/client',
    'packages/pki',
    'packages/schema',
    'packages/runtime',
    'packages/sdk',
    'packages/registry',
    'packages/testenv',
    'packages/console',
  ],
  'packages/kubectl-kurator': [
    'packages/command',
    'packages/cli',
    'packages/client',
    'packages/schema',
    'operators/kurator',
  ],
  'packages/tour': [
    'packages/command',
    'packages/cli',
    'packages/kubectl-kurator',
    'packages/client',
    'packages/testenv',
    'operators/etcd',
    'operators/kurator',
  ],
  'packages/create-kurator': ['packages/cli'],
  'operators/[^/]+': ['packages/sdk', 'packages/pki', 'packages/object-store', 'packages/registry'],
};

/**
 * What the tests of a room may import besides. `kurator` finds the packages that bring commands by their names, and its tests
 * see what it finds; deploy/ is made in its tests, of the healer.
 *
 * @type {Record<string, string[]>}
 */
const testsMayImport = {
  'packages/cli': ['packages/kubectl-kurator', 'packages/tour', 'operators/kurator'],
  'packages/kubectl-kurator': ['packages/sdk'],
};

const anyRoom = '^(packages|operators)/|^@kurator/';
/** The importing package, or what is none: `$1` in a rule's other half. */
const importer = '^(packages/[^/]+|operators/[^/]+|examples|e2e|benchmarks|scripts)/';
const tests = ['^[^/]+/[^/]+/test/', '[.]test[.](ts|mjs)$'];

/** A room by its files' paths, and by its name: an import that can't be resolved keeps the name. */
function room(/** @type {string} */ path) {
  return [`^${path}/`, `^@kurator/${path.slice(path.indexOf('/') + 1)}(/|$)`];
}

/**
 * @param {string} name
 * @param {object} from
 * @param {object} to
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
function rule(name, from, to) {
  return { name, severity: 'error', from, to };
}

const oneWay = Object.entries(mayImport).flatMap(([path, others]) => {
  const name = `${path.replace('packages/', '').replace('/[^/]+', '')}-imports-one-way`;
  // `$1` is the importing package, so that one operator can't import another.
  const allowed = ['^$1/', ...others.flatMap(room)];
  const to = { path: anyRoom, pathNot: allowed };
  // Tests need a real Kubernetes and certificates for servers of their own, and are not published.
  const forTests = ['packages/testenv', 'packages/pki', ...(testsMayImport[path] ?? [])].flatMap(room);
  const toInTests = { path: anyRoom, pathNot: [...allowed, ...forTests] };
  return [
    rule(name, { path: `^(${path})/`, pathNot: tests }, to),
    rule(`${name}-in-tests`, { path: [`^(${path})/test/`, `^(${path})/.*[.]test[.]ts$`] }, toInTests),
  ];
});

/**
 * Examples are what an author would write: the sdk, and in tests a real Kubernetes.
 */
const examples = [
  rule('examples-import-the-sdk', { path: '^examples/src/' }, { path: anyRoom, pathNot: room('packages/sdk') }),
  rule(
    'examples-import-the-sdk-in-tests',
    { path: '^examples/', pathNot: '^examples/src/' },
    { path: anyRoom, pathNot: ['packages/sdk', 'packages/testenv'].flatMap(room) },
  ),
];

/**
 * What two folders need lies outside of internal/, or in the folder below both. One rule for each depth that a file may be in:
 * `$1` is the importing package, `$2` and so on are the folders down to the file, and what is in the `internal/` of one of these
 * is its own. Tests in test/ may look at anything.
 */
const DEEPEST = 6;
const privateInternals = Array.from({ length: DEEPEST + 1 }, (_, depth) => {
  const importer = `^((?:packages|operators)/[^/]+)/src/${'([^/]+)/'.repeat(depth)}[^/]+$`;
  const folders = Array.from({ length: depth + 1 }, (_, level) =>
    ['^$1/src', ...Array.from({ length: level }, (_, i) => `$${i + 2}`), 'internal/'].join('/'),
  );
  return rule('internal-is-private-to-its-folder', { path: importer }, { path: '/internal/', pathNot: folders });
});

/**
 * What each room of the healer may import, besides itself: along the way that data takes, and never back. ARCHITECTURE.md
 * has the same table.
 *
 * @type {Record<string, string[]>}
 */
const healerMayImport = {
  resources: [],
  access: [],
  memory: ['resources', 'access', 'brain'],
  senses: ['resources', 'access', 'brain', 'memory'],
  hands: ['resources', 'access', 'brain', 'memory'],
  voice: ['resources', 'access', 'brain', 'memory', 'senses'],
};

const healer = '^operators/kurator/src';
const healerOneWay = Object.entries(healerMayImport).map(([path, others]) =>
  rule(
    `healer-${path}-imports-one-way`,
    { path: `${healer}/${path}/`, pathNot: tests },
    { path: `${healer}/`, pathNot: [path, ...others].map((other) => `${healer}/${other}/`) },
  ),
);

/**
 * What each folder of the brain may import, besides itself and what lies beside the folders: the same way, one step after the other.
 *
 * @type {Record<string, string[]>}
 */
const brainMayImport = {
  perception: [],
  evidence: ['perception'],
  diagnosis: ['perception', 'evidence'],
  scaling: [],
  incident: ['perception', 'evidence', 'diagnosis'],
  cluster: ['evidence', 'incident'],
  dependencies: ['diagnosis', 'incident'],
  alerts: ['perception', 'diagnosis', 'incident'],
  recovery: ['evidence', 'diagnosis', 'incident', 'cluster', 'dependencies', 'alerts'],
};

const brainOneWay = Object.entries(brainMayImport).map(([path, others]) =>
  rule(
    `healer-brain-${path}-imports-one-way`,
    { path: `${healer}/brain/${path}/`, pathNot: tests },
    { path: `${healer}/brain/[^/]+/`, pathNot: [path, ...others].map((other) => `${healer}/brain/${other}/`) },
  ),
);

/**
 * Alerts arrive at the same sinks, and servers show the same certificates, whether in a test's own process or for a pod; clusters of
 * etcd live the same lives on simulated members and on real ones.
 */
const supportOfAllTests = [
  '^operators/kurator/test/support/(alertmanager|alerting/http-sink|checks/certificate)[.]ts$',
  '^operators/etcd/test/support/(as-wanted|crash-lives|simulated-members)[.]ts$',
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...oneWay,
    ...healerOneWay,
    ...brainOneWay,
    ...examples,
    ...privateInternals,
    // What a brain decides can be replayed, simulated and proven only if nothing but its arguments goes into it. The names that
    // need no import, such as Date.now, are kept out by scripts/purity.test.mjs. `$1` is the operator.
    // Some libraries are functions of their arguments too: times of a schedule, versions, expressions in linear time.
    rule(
      'brains-are-pure',
      { path: '^(operators/[^/]+)/src/brain/', pathNot: tests },
      { pathNot: ['^$1/src/brain/', '^node_modules/(@types/)?(croner|re2js|semver)/'] },
    ),
    // Any tool can use it: it knows the client's types and how things are written, and loads nothing that talks to a server.
    rule(
      'schema-loads-no-client',
      { path: '^packages/schema/src/', pathNot: tests },
      { path: '^packages/client/src/', pathNot: '/notation[.]ts$', dependencyTypesNot: ['type-only'] },
    ),
    // A cluster is put together of them, by its supervisor; none of them knows what it becomes a part of.
    rule(
      'testenv-parts-know-no-cluster',
      {
        path: '^packages/testenv/src/(machines|faults|preflight|addons|pulling|images|binaries|process|internal)/',
        pathNot: tests,
      },
      { path: '^packages/testenv/src/(cluster|kit|crash)/' },
    ),
    // Whoever reaches past another package's index depends on how its files lie. The generated kinds are doors of their
    // own (`@kurator/client/apps/v1`): nobody should load all of Kubernetes for one.
    rule(
      'only-through-the-front-door',
      { path: importer },
      {
        path: '^(packages|operators)/',
        pathNot: [
          '^$1/',
          '^(packages|operators)/[^/]+/src/index[.]ts$',
          '^packages/client/src/(generated/|notation[.]ts$)',
          // Pure, and light: whoever explains an incident needs none of what heals.
          '^operators/kurator/src/brain/index[.]ts$',
          // A command that asks no cluster loads no client; and what is declared is loaded before what is done.
          '^packages/command/src/(compile-cache|(kube|testing)/index)[.]ts$',
          '^packages/cli/src/toolchain[.]ts$',
          // Unit tests that need a clock need no cluster.
          '^packages/testenv/src/kit/manual-clock[.]ts$',
          // Light as well: which process left something behind is all that the command wants to know of it.
          '^packages/testenv/src/process/owner[.]ts$',
          ...supportOfAllTests,
        ],
      },
    ),
    // A relative path into another package works in the clone, and breaks once it is published.
    rule(
      'another-package-by-its-name',
      { path: importer },
      {
        path: '^(packages|operators)/',
        pathNot: ['^$1/', ...supportOfAllTests],
        dependencyTypes: ['local'],
        dependencyTypesNot: ['aliased'],
      },
    ),
    rule('tests-are-nobodys-dependency', { pathNot: [...tests, '^(e2e|benchmarks)/'] }, { path: tests }),
    rule(
      'no-import-of-the-workshop',
      { path: '^(packages|operators|examples)/' },
      { path: '^(scripts|e2e|benchmarks)/' },
    ),
    // They run before anything is installed.
    rule(
      'set-up-needs-nothing-but-node',
      { path: '^scripts/(run[.]mjs$|setup/)', pathNot: tests },
      { pathNot: '^scripts/setup/', dependencyTypesNot: ['core'] },
    ),
    rule(
      'only-declared-dependencies',
      { path: '^(packages|operators|examples)/', pathNot: [...tests, '^examples/test/'] },
      // An optional peer is declared, and there for our own tests as well.
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),
    rule('no-cycles', {}, { circular: true }),
    rule('no-import-that-leads-nowhere', {}, { couldNotResolve: true }),
  ],
  options: {
    parser: 'tsc',
    // `import type` ties two packages together as much as a value does.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // What client-node's subject needs is installed into the benchmark's own cache, not here.
    exclude: { path: ['^[^/]+/[^/]+/dist/', '^benchmarks/subjects/client-node/main[.]mjs$'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
