/**
 * Import rules, by folder level: see docs/architecture.md. Type-only imports count. No rule names a single feature, so a new folder is covered at once.
 */
const core = '^src-main/core/'
/** The levels of core, lowest first. A file imports its own folder and lower levels, never a level above. */
const levels = [
  ['ports', 'shared'],
  ['requestLog', 'upstream', 'store'],
  ['features', 'gateway', 'data', 'observability'],
  ['handlers'],
  ['compose'],
]
const folders = (names) => `${core}(${names.join('|')})/`
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })

const upwards = levels.slice(0, -1).map((names, level) =>
  rule(
    `level-${level}-imports-nothing-above`,
    { path: folders(names) },
    { path: `${folders(levels.slice(level + 1).flat())}|${core}(core|stored)\\.ts$` },
    `${names.join(', ')} are below ${levels
      .slice(level + 1)
      .flat()
      .join(', ')}.`,
  ),
)

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }),
    ...upwards,
    rule(
      'shared-imports-nothing-of-core',
      { path: `${core}shared/` },
      { path: core, pathNot: `${core}(shared/|errors\\.ts$)` },
    ),
    rule(
      'features-apart',
      { path: `${core}features/([^/]+)/` },
      { path: `${core}features/`, pathNot: `${core}features/$1/` },
      'Two features meet in compose/ through a type in ports/.',
    ),
    rule(
      'areas-apart',
      { path: `${core}(features|gateway|data|observability)/` },
      { path: `${core}(features|gateway|data|observability)/`, pathNot: `${core}$1/` },
    ),
    rule('upstream-apart-from-store', { path: `${core}upstream/` }, { path: `${core}(store|requestLog)/` }),
    rule(
      'contents-know-no-connection',
      { path: `${core}upstream/(reply|request)/` },
      { path: `${core}upstream/(reply|request|sending|wire)/`, pathNot: `${core}upstream/$1/` },
      'reply/ and request/ say what is in bytes, wherever the bytes come from.',
    ),
    rule(
      'wire-knows-no-contents',
      { path: `${core}upstream/wire/` },
      { path: `${core}upstream/(reply|request|sending)/` },
      'wire/ moves bytes and heads.',
    ),
    rule('store-apart-from-upstream', { path: `${core}store/` }, { path: `${core}(upstream|requestLog)/` }),
    rule(
      'contract-imports-nothing-of-ours',
      { path: '^src-preload/contract/' },
      { path: '^(src-main|src-renderer|tests)/' },
    ),
    rule('contract-no-node', { path: '^src-preload/contract/' }, { dependencyTypes: ['core'] }),
    rule(
      'hosts-import-the-entries-of-core',
      { path: '^src-main/hosts/' },
      { path: core, pathNot: `${core}((core|stored|host|errors)\\.ts$|(ports|shared)/)` },
      'What a host needs of the rest of core, core.ts or stored.ts offers.',
    ),
    rule(
      'hosts-import-types-of-host-and-ports',
      { path: '^src-main/hosts/' },
      { path: `${core}(host\\.ts$|ports/)`, dependencyTypesNot: ['type-only'] },
    ),
    rule('core-knows-no-host', { path: core }, { path: '^(src-main/hosts|tests)/' }),
    rule(
      'main-knows-only-texts-of-the-renderer',
      { path: '^src-main/(core|hosts)/' },
      {
        path: '^src-renderer/',
        pathNot:
          '^src-renderer/i18n/(cli|host|language|noteText)\\.ts$|^src-renderer/i18n/en/(host/|(notes|selfCheck)\\.ts$)',
      },
      'Menus, notifications and exports have their texts in the folders of the languages.',
    ),
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
      'only-upstream-has-the-network',
      { path: '^src-main/(core|hosts)/', pathNot: `${core}upstream/` },
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
      'pages-apart',
      { path: '^src-renderer/features/([^/]+)/' },
      { path: '^src-renderer/features/', pathNot: '^src-renderer/features/$1/' },
    ),
    rule(
      'only-app-imports-app',
      { path: '^src-renderer/(features|shared|stores|api|i18n)/' },
      { path: '^src-renderer/app/' },
    ),
    rule('shared-imports-no-page', { path: '^src-renderer/(shared|api|i18n)/' }, { path: '^src-renderer/features/' }),
    rule(
      'stores-are-pure',
      { path: '^src-renderer/stores/' },
      { path: '^src-renderer/(api|features|app|shared/(ui|markdown))/' },
    ),
    rule(
      'ui-knows-no-domain',
      { path: '^src-renderer/shared/ui/' },
      { path: '^(src-renderer/(api|features|stores)|src-preload)/' },
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
