/** Imports point one way only; see ARCHITECTURE.md. */
const core = (name) => `^src/core/${name}/`;
/** Modules of core from the lowest up; each may import what stands before it (and ports, which only name shapes). */
const LAYERS = ['net', 'wire', 'route', 'policy', 'rib', 'fib'];

const layerRules = LAYERS.map((layer, index) => ({
  name: `layer-${layer}`,
  severity: 'error',
  comment: `core/${layer} imports only ${LAYERS.slice(0, index).join(', ') || 'nothing of core'} and ports`,
  from: { path: core(layer) },
  to: { path: '^src/', pathNot: [...LAYERS.slice(0, index + 1).map(core), core('ports')] },
}));

const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: '^src/', pathNot: [from, ...allowed] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...layerRules,
    only('ports', core('ports'), [core('net')], 'ports name shapes only'),
    only('session', core('session'), ['net', 'wire', 'ports'].map(core), 'a session knows no routes'),
    only('discovery', core('discovery'), ['net', 'wire', 'ports'].map(core), 'discovery knows no sessions'),
    only(
      'dlb',
      core('dlb'),
      ['fib', 'ports'].map(core),
      'load balancing knows loads and shares, neither routes nor sessions',
    ),
    only('bpf', core('bpf'), [core('net')], 'an assembler knows no routers'),
    only(
      'ebpf-plane',
      core('ebpf-plane'),
      ['bpf', 'net', 'wire', 'ports', 'fib'].map(core),
      'a forwarding plane knows no sessions',
    ),
    only('rlb', core('rlb'), ['net', 'wire'].map(core), 'what the hosts do knows no routes and no sessions'),
    only('bfd', core('bfd'), ['net', 'wire', 'ports'].map(core), 'BFD knows no BGP'),
    only('speaker', core('speaker'), ['^src/core/'], 'a whole speaker is core'),
    {
      name: 'core-below-speaker',
      severity: 'error',
      from: { path: '^src/core/', pathNot: core('speaker') },
      to: { path: core('speaker') },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'no I/O in core; test files may read captures',
      from: { path: '^src/core/', pathNot: '\\.test\\.ts$|contract\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    only('edge-linux', '^src/edge/linux/', ['^src/core/'], 'edges do not know each other'),
    only('edge-control', '^src/edge/control/', ['^src/core/'], 'edges do not know each other'),
    only('edge-record', '^src/edge/record/', ['^src/core/'], 'edges do not know each other'),
    only('edge-bmp', '^src/edge/bmp/', ['^src/core/'], 'edges do not know each other'),
    {
      name: 'native-only-in-edge-linux',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/edge/linux/' },
      to: { path: 'node_modules/(netlink|raw-socket|koffi)' },
    },
    {
      name: 'rehearsal-reaches-nobody',
      severity: 'error',
      comment: 'a rehearsal runs the core and writes netlink messages that go nowhere',
      from: { path: '^src/app/rehearsal/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot: ['^src/app/rehearsal/', '^src/core/', '^src/edge/linux/(fib-messages|rtnetlink/request-queue)\\.ts$'],
      },
    },
    only('simulator', '^src/simulator/', ['^src/core/'], 'the simulator runs the core and nothing else'),
    {
      name: 'cli-through-control',
      severity: 'error',
      comment: 'commands talk to a daemon through the control API; only run starts one',
      from: { path: '^src/app/cli/', pathNot: 'commands/run\\.ts$' },
      to: { path: '^src/app/daemon/|^src/edge/linux/|^src/core/speaker/speaker' },
    },
    only(
      'ui',
      '^src/ui/',
      [
        '^src/edge/control/(page/shapes|events|schema)',
        '^src/app/picture/(curve|layout|style|fabric-picture)\\.ts$',
        '^src/app/cli/render/(event|fabric-marks|paint|words)\\.ts$',
      ],
      'the fabric page runs in a browser: it knows shapes, words and colours, and nothing that runs in a router',
    ),
    {
      name: 'ui-in-a-browser',
      severity: 'error',
      comment: 'what the page is built of has no Node.js, and of packages Preact alone',
      from: { path: '^src/ui/', pathNot: '\\.test\\.ts$' },
      to: { path: 'node_modules/', pathNot: 'node_modules/(preact|@types)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ui-is-built',
      severity: 'error',
      comment: 'others serve the page as it was built, and import nothing of it',
      from: { path: '^src/(?!ui/)' },
      to: { path: '^src/ui/' },
    },
    {
      name: 'fuzz-is-a-tool',
      severity: 'error',
      comment: 'nothing of the product imports the fuzzers; they look at decoders, not at running edges',
      from: { path: '^src/(?!fuzz/|dst/)' },
      to: { path: '^src/fuzz/' },
    },
    {
      name: 'scale-is-a-tool',
      severity: 'error',
      comment: 'nothing of the product imports the measurements of large fabrics',
      from: { path: '^src/(?!scale/)' },
      to: { path: '^src/scale/' },
    },
    {
      name: 'dst-is-a-tool',
      severity: 'error',
      comment: 'nothing of the product imports the deterministic tests of whole fabrics',
      from: { path: '^src/(?!dst/)' },
      to: { path: '^src/dst/' },
    },
    {
      name: 'properties-from-one-seed',
      severity: 'error',
      comment: 'fast-check is had from test/harness/properties.ts, which seeds it',
      from: { path: '^src/' },
      to: { path: 'node_modules/fast-check' },
    },
    { name: 'daemon-not-cli', severity: 'error', from: { path: '^src/app/daemon/' }, to: { path: '^src/app/cli/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
