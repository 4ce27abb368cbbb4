/** Who may know whom: see src-main/README.md. Type-only imports count. */
const core = '^src-main/core/'
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })
const useCases =
  '^src-main/core/(chat|chatTools|library|archive|media|voice|transfers|connection|models|settings|tools|proxy|admission|ledger|metrics|speech|transcribe|images|books|alerts|keep)/'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }, 'A circle has no first room.'),
    rule(
      'contract-knows-nothing-of-ours',
      { path: '^src-preload/contract/' },
      { path: '^(src-main|src-renderer|tests)/' },
    ),
    rule('contract-no-node', { path: '^src-preload/contract/' }, { dependencyTypes: ['core'] }),
    rule('core-knows-no-host', { path: core }, { path: '^(src-main/hosts|src-renderer|tests)/' }),
    rule(
      'core-knows-only-the-sandbox-start',
      { path: core },
      { path: '^src-main/sandbox/', pathNot: '^src-main/sandbox/sandbox\\.ts$' },
    ),
    rule(
      'sandbox-knows-nothing-of-ours',
      { path: '^src-main/sandbox/' },
      { path: '^(src-main/(core|hosts)|src-preload|src-renderer)/' },
    ),
    rule(
      'listener-knows-nothing-of-ours',
      { path: '^src-main/listener/' },
      { path: '^(src-main/(core|hosts|sandbox)|src-preload|src-renderer)/' },
    ),
    rule('use-cases-apart', { path: useCases }, { path: useCases, pathNot: '^src-main/core/$1/' }),
    rule(
      'upstream-knows-no-room',
      { path: '^src-main/core/upstream/' },
      {
        path: '^src-main/core/(store|handlers|proxy|admission|ledger|metrics|chat|chatTools|library|archive|media|voice|transfers|connection|models|settings|tools|books|limits|alerts|keep)/',
      },
    ),
    rule(
      'store-knows-no-room',
      { path: '^src-main/core/store/' },
      {
        path: '^src-main/core/(upstream|handlers|proxy|admission|ledger|metrics|chat|chatTools|library|archive|media|voice|transfers|connection|models|settings|tools|books|limits|alerts|keep)/',
      },
    ),
    rule(
      'only-upstream-has-the-network',
      { path: '^src-main/(core|hosts)/', pathNot: '^src-main/core/upstream/' },
      { path: '^(undici|node_modules/undici)' },
    ),
    rule(
      'electron-only-in-its-host',
      { path: '^src-', pathNot: '^(src-main/hosts/electron/|src-preload/preload\\.ts$)' },
      { path: '(^|/)electron(/|$)', dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'unknown'] },
    ),
    rule('renderer-no-node', { path: '^src-renderer/' }, { dependencyTypes: ['core'] }),
    rule('renderer-knows-no-main', { path: '^src-renderer/' }, { path: '^(src-main|src-preload/preload|tests)' }),
    rule(
      'rooms-apart',
      { path: '^src-renderer/rooms/([^/]+)/' },
      { path: '^src-renderer/rooms/', pathNot: '^src-renderer/rooms/$1/' },
    ),
    rule('stores-are-pure', { path: '^src-renderer/stores/' }, { path: '^src-renderer/(api|rooms|ui|markdown)/' }),
    rule(
      'ui-is-domain-blind',
      { path: '^src-renderer/ui/' },
      { path: '^(src-renderer/(api|rooms|stores)|src-preload)/' },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    builtInModules: { add: ['node:sqlite', 'node:wasi'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
