/** Supported languages, each with its aliases in replies. */
const named = {
  asm: 'nasm assembly',
  astro: '',
  bat: 'batch cmd',
  c: 'h',
  clojure: 'clj cljs',
  cmake: '',
  cpp: 'c++ cc cxx hpp hh',
  csharp: 'cs c#',
  css: '',
  dart: '',
  diff: 'patch',
  dockerfile: 'docker containerfile',
  elixir: 'ex exs',
  erlang: 'erl',
  fsharp: 'fs f#',
  glsl: 'frag vert',
  go: 'golang',
  graphql: 'gql',
  groovy: 'gradle',
  haskell: 'hs',
  hcl: 'terraform tf',
  html: 'htm xhtml',
  http: '',
  ini: 'conf cfg dotenv env properties',
  java: '',
  javascript: 'js mjs cjs node',
  json: '',
  jsonc: 'json5 jsonl ndjson',
  jsx: '',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex',
  less: '',
  lua: '',
  makefile: 'make mk',
  markdown: 'md',
  matlab: 'octave',
  mermaid: 'mmd',
  nginx: '',
  nix: '',
  'objective-c': 'objc objectivec',
  ocaml: 'ml',
  perl: 'pl',
  php: '',
  powershell: 'ps1 pwsh ps',
  prisma: '',
  protobuf: 'proto',
  python: 'py python3 py3 pyi',
  r: 'rscript',
  ruby: 'rb',
  rust: 'rs',
  scala: '',
  scss: 'sass',
  shellscript: 'bash sh shell zsh ksh',
  shellsession: 'console terminal',
  solidity: 'sol',
  sql: 'mysql postgres postgresql pgsql sqlite plsql tsql',
  svelte: '',
  swift: '',
  toml: '',
  tsx: '',
  typescript: 'ts mts cts',
  viml: 'vim vimscript',
  vue: '',
  xml: 'svg xsd xsl plist rss',
  yaml: 'yml',
  zig: '',
}

export type Language = keyof typeof named

// A map, because a fence may name `constructor` or `__proto__`.
const byName = new Map<string, string>()
for (const [language, others] of Object.entries(named)) {
  for (const name of [language, ...others.split(' ')]) if (name !== '') byName.set(name, language)
}

/** The language of a fence's info string. Null when not supported. */
export function languageOf(info: string): string | null {
  return byName.get(labelOf(info).toLowerCase()) ?? null
}

/** The first word of a fence's info string, as written: `ts` of `ts title="a.ts" {1,3}`. */
export function labelOf(info: string): string {
  return info.split(/[\s{,:]/, 1)[0] ?? ''
}
