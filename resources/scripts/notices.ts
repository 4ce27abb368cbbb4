import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A package of which code or files ship. */
export interface ShippedPackage {
  name: string
  version: string
  /** SPDX expression. */
  licence: string
  /** Address of the source code, or empty. */
  source: string
  /** Licence and notice files, joined. Empty: the package has none. */
  text: string
}

interface LicenceRules {
  /** SPDX identifiers that any package may have. */
  allowed: string[]
  /** Exceptions for one package each. docs/dependencies.md gives the reasons. */
  allowedForPackage: Record<string, string>
  /** Licences of packages whose package.json names none, as their licence files say. */
  unnamed: Record<string, string>
  /** Code of others that is compiled into a package and that the package's own licence field does not name. */
  inside: Record<string, { name: string; licence: string; source: string }[]>
}

export const licenceRules: LicenceRules = JSON.parse(
  readFileSync(join(root, 'resources', 'package', 'licences.json'), 'utf8'),
)

/** Folder of the package that the file `path` belongs to, or null for our own files. */
export function packageFolder(path: string): string | null {
  const clean = path
    .replace(/^\0/, '')
    .replace(/[?#].*$/, '')
    .replaceAll('\\', '/')
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)(?:\/|$)/.exec(clean)
  return match?.[1] ?? null
}

/** Folder of the package `name` as a file in `from` would load it, or null when it is not installed. */
function resolveFrom(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return null
  }
}

const readJson = (folder: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Folders of `names` and of everything that they depend on. A package that is not installed here is left out: it is optional. */
export function installedWith(names: readonly string[], from = root, found = new Set<string>()): Set<string> {
  for (const name of names) {
    const folder = resolveFrom(name, from)
    if (folder === null || found.has(folder)) continue
    found.add(folder)
    const { dependencies = {} } = readJson(folder) as { dependencies?: Record<string, string> }
    installedWith(Object.keys(dependencies), folder, found)
  }
  return found
}

const licenceFile = /^(licen[cs]e|copying|notice|ofl)\b/i

export function readShipped(folder: string): ShippedPackage {
  const about = readJson(folder) as {
    name: string
    version: string
    license?: string | { type?: string }
    licenses?: { type: string }[]
    repository?: string | { url?: string }
    homepage?: string
  }
  const { license, licenses, repository } = about
  const licence =
    (typeof license === 'string' ? license : license?.type) ?? licenses?.map(({ type }) => type).join(' OR ')
  const source = (typeof repository === 'string' ? repository : repository?.url) ?? about.homepage ?? ''
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
  return {
    ...{ name: about.name, version: about.version, licence: licence ?? licenceRules.unnamed[about.name] ?? 'unknown' },
    source: source.replace(/^git\+/, '').replace(/\.git$/, ''),
    text: texts.join('\n\n'),
  }
}

/** Whether the rules allow an SPDX expression. `OR` needs one allowed side, `AND` needs all. */
export function isAllowed({ name, licence }: Pick<ShippedPackage, 'name' | 'licence'>, rules = licenceRules): boolean {
  if (rules.allowedForPackage[name] === licence) return true
  const plain = licence.replace(/[()]/g, '')
  return plain.split(' OR ').some((side) => side.split(' AND ').every((id) => rules.allowed.includes(id.trim())))
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

/** The standard text for a package that contains none. @throws Error for a licence other than MIT, whose text must be added here */
function standardText(name: string, licence: string): string {
  if (licence === 'MIT') return `Copyright (c) the authors of ${name}\n\n${mit}`
  throw new Error(`${name} contains no licence text, and resources/scripts/notices.ts knows none for ${licence}`)
}

/**
 * Licences whose text must accompany the program, although the packages do not contain it. LGPL-3.0 refers to the text of GPL-3.0; "2.0 or
 * later" includes 2.1.
 */
const fullTexts: Record<string, string> = {
  ...{ 'LGPL-2.0-or-later': 'LGPL-2.1', 'LGPL-2.1-or-later': 'LGPL-2.1', 'LGPL-2.1-only': 'LGPL-2.1' },
  'LGPL-3.0-or-later': 'GPL-3.0',
}

function fullTextsFor(packages: readonly ShippedPackage[]): string[] {
  const licences = packages.flatMap(({ name, licence }) => [
    licence,
    ...(licenceRules.inside[name] ?? []).map((part) => part.licence),
  ])
  const names = new Set(licences.flatMap((licence) => fullTexts[licence] ?? []))
  const folder = join(root, 'resources', 'package', 'licences')
  return [...names].sort().map((name) => readFileSync(join(folder, `${name}.txt`), 'utf8').trimStart())
}

/** Text of the notices file. @throws Error naming every package whose licence is not allowed */
export function noticesText(packages: readonly ShippedPackage[]): string {
  const refused = packages.filter((one) => !isAllowed(one))
  if (refused.length > 0) {
    const list = refused.map(({ name, version, licence }) => `${name} ${version} (${licence})`).join(', ')
    throw new Error(`resources/package/licences.json does not allow the licence of: ${list}`)
  }
  const sections = [...packages]
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
    .map(({ name, version, licence, source, text }) => {
      const inside = (licenceRules.inside[name] ?? []).map(
        (part) => `Contains ${part.name} (${part.licence}), source: ${part.source}`,
      )
      const head = [`${name} ${version}`, `Licence: ${licence}`, ...(source ? [`Source: ${source}`] : []), ...inside]
      return `${head.join('\n')}\n\n${text || standardText(name, licence)}\n`
    })
  const rule = `\n${'-'.repeat(80)}\n\n`
  return `Inference Studio contains software of others, under these licences. Electron and Chromium have their own files,\nLICENSE.electron.txt and LICENSES.chromium.html, beside the desktop application.\n${rule}${[...sections, ...fullTextsFor(packages)].join(rule)}`
}

/**
 * Writes `out/THIRD_PARTY_NOTICES.txt`. Packages are found where the bundler found them: each module and asset of the output. Added to those
 * are packages that stay external, and packages that the bundler does not see (`alsoShipped`).
 */
export function notices(alsoShipped: readonly string[]): { build: () => Plugin; worker: () => Plugin } {
  const folders = new Set<string>()
  const collect = (): Plugin => {
    let from = root
    return {
      name: 'third-party-notices',
      apply: 'build',
      configResolved(config) {
        from = config.root
      },
      generateBundle(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const paths = file.type === 'chunk' ? Object.keys(file.modules) : file.originalFileNames
          for (const path of paths) {
            const folder = packageFolder(resolve(from, path))
            if (folder !== null) folders.add(folder)
          }
        }
      },
    }
  }
  return {
    worker: collect,
    build: () => ({
      ...collect(),
      // Each of the three builds writes what is known so far, so the last one writes everything.
      closeBundle() {
        const { dependencies, optionalDependencies } = readJson(root) as Record<string, Record<string, string>>
        const external = Object.keys({ ...dependencies, ...optionalDependencies })
        const all = new Set([...folders, ...installedWith([...external, ...alsoShipped])])
        const packages = [...all].filter((folder) => existsSync(join(folder, 'package.json'))).map(readShipped)
        const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
        writeFileSync(join(root, 'out', 'THIRD_PARTY_NOTICES.txt'), noticesText([...unique.values()]))
      },
    }),
  }
}
