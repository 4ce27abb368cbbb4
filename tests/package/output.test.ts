import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isAllowed, noticesText, packageFolder } from '../../resources/scripts/notices.ts'
import { buildIfNeeded, root } from '../../resources/scripts/ready.mjs'

// Rules about the built output, because bundled packages count as much as our own code.

const out = join(root, 'out')
const read = (path: string): string => readFileSync(join(out, path), 'utf8')

/** Built files of the main process by path, such as `main/chunks/core-a1b2.js`. */
let main: Map<string, string>
beforeAll(() => {
  buildIfNeeded()
  main = new Map(globSync('main/**/*.js', { cwd: out }).map((path) => [path, read(path)]))
})

/** Paths of all files that `entry` can load, itself included. */
function closure(entry: string, files: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found
  found.add(entry)
  const relative = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g
  for (const [, path = ''] of (files.get(entry) ?? '').matchAll(relative)) {
    closure(normalize(join(dirname(entry), path)), files, found)
  }
  return found
}

const electronImport = /(?:from|import|require)\s*\(?\s*["']electron["']/

describe('the built output', () => {
  it('only the Electron entry, what it alone loads, and the preload import electron', () => {
    const importers = [...main].filter(([, text]) => electronImport.test(text)).map(([path]) => path)
    expect(importers).toContain('main/electron.js')
    const node = closure('main/node.js', main)
    expect(node.size).toBeGreaterThan(50)
    expect(importers.filter((path) => node.has(path))).toEqual([])
    const desktop = closure('main/electron.js', main)
    expect(importers.filter((path) => !desktop.has(path))).toEqual([])
    expect(electronImport.test(read('preload/preload.cjs'))).toBe(true)
  })

  it('no part of the desktop application runs itself as Node, which the fuses forbid', () => {
    const desktop = [...closure('main/electron.js', main)].map((path) => [path, main.get(path) ?? ''] as const)
    const forks = /\bfork\b[^}]*\} from "(?:node:)?child_process"|child_process\d*\.fork\(|ELECTRON_RUN_AS_NODE/
    expect(forks.test('import { fork, spawn } from "node:child_process"')).toBe(true)
    expect(desktop.filter(([, text]) => forks.test(text)).map(([path]) => path)).toEqual([])
    // Only the start at login, the jump list and restarts use the program's own path.
    expect(desktop.filter(([, text]) => text.includes('process.execPath')).map(([path]) => path)).toEqual([
      'main/electron.js',
    ])
  })

  it('follows static and dynamic imports', () => {
    const files = new Map([
      ['a.js', 'import "./b.js";await import("./c/d.js")'],
      ['b.js', 'export * from "./c/e.js"'],
      ['c/d.js', 'import"../f.js"'],
    ])
    expect([...closure('a.js', files)].toSorted()).toEqual(['a.js', 'b.js', 'c/d.js', 'c/e.js', 'f.js'])
  })
})

/** Hashes that both OpenSSL and BoringSSL have. Node uses OpenSSL, Electron uses BoringSSL. */
const hashes = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'md5-sha1', 'sha512-256', 'blake2b256']
/** Calls whose algorithm is a variable, by the text of the call, with the reason why they are safe. */
const variable: Record<string, string> = {
  'crypto.hash(algorithm': 'undici checks subresource integrity with SHA-256, 384 and 512',
  'createHash(algorithm': 'electron-updater compares files by SHA-512',
  'createHash)(algorithm': 'electron-updater compares files by SHA-512',
  'createHash)(hashMethod': 'electron-updater makes an id by SHA-1 or MD5',
}

interface CryptoUse {
  call: string
  algorithm: string | null
}

function cryptoUses(text: string): CryptoUse[] {
  const call =
    /\b((?:createHash|createHmac|createSign|createVerify|crypto\d*\.hash)\)?)\(\s*(?:["'`]([\w-]+)["'`]|([\w.$]+))/g
  return [...text.matchAll(call)].map(([, name = '', literal, expression]) => ({
    call: `${name}(${literal ?? expression}`,
    algorithm: literal ?? null,
  }))
}

describe('cryptography of the built output', () => {
  it('uses only hashes that BoringSSL has', () => {
    const uses = [...main.values()].flatMap(cryptoUses)
    expect(uses.length).toBeGreaterThan(10)
    const unknown = uses.filter(({ call, algorithm }) =>
      algorithm === null ? !(call in variable) : !hashes.includes(algorithm.toLowerCase()),
    )
    expect(unknown).toEqual([])
  })

  it('uses no cipher, curve or key derivation that BoringSSL lacks', () => {
    const lacking =
      /\b(?:create(?:Cipher|Decipher)iv\)?\((?!\s*["'`]aes-256-gcm["'`])|(?:createECDH|createDiffieHellman|getDiffieHellman|argon2(?:Sync)?)\)?\()|["'](?:ed448|x448|secp256k1|sha3-\d+|ripemd160|whirlpool|sm3|aes-\d+-(?:ccm|ocb|xts|wrap))["']/gi
    const found = [...main].flatMap(([path, text]) => [...text.matchAll(lacking)].map(([match]) => `${path}: ${match}`))
    expect(found).toEqual([])
  })

  it('finds what it looks for', () => {
    expect(cryptoUses('createHash("sha3-256"); crypto.hash("sha1", x); (0, c.createHash)(algorithm)')).toEqual([
      { call: 'createHash(sha3-256', algorithm: 'sha3-256' },
      { call: 'crypto.hash(sha1', algorithm: 'sha1' },
      { call: 'createHash)(algorithm', algorithm: null },
    ])
  })
})

describe('the notices of third parties', () => {
  it('name every package that the sources import and that ships, with its licence text', () => {
    const text = read('THIRD_PARTY_NOTICES.txt')
    const noticed = new Set([...text.matchAll(/^(\S+) \d\S*\nLicence: /gm)].map(([, name]) => name))
    const imported = new Set<string>()
    for (const path of globSync('src-*/**/*.{ts,tsx}', { cwd: root })) {
      const source = readFileSync(join(root, path), 'utf8')
      for (const [, name = ''] of source.matchAll(/^import (?!type\b)[^'";]*?from '((?:@[\w.-]+\/)?[\w.-]+)/gm)) {
        // `ai` is in a code sample that the page shows.
        if (/^[@a-z]/.test(name) && !/^(node|electron|ai)$/.test(name)) imported.add(name)
      }
    }
    expect(imported.size).toBeGreaterThan(40)
    expect([...imported].filter((name) => !noticed.has(name))).toEqual([])
    for (const section of text.split(/\n-{80}\n\n/).slice(1)) {
      expect(section.length, section.slice(0, 60)).toBeGreaterThan(300)
    }
  })

  it('name what is compiled into WebAssembly under a licence of its own', () => {
    const text = read('THIRD_PARTY_NOTICES.txt')
    for (const part of ['LAME (LGPL-2.0-or-later)', 'FFmpeg (LGPL-2.1-or-later)', 'mpg123 (LGPL-2.1-only)']) {
      expect(text).toContain(`Contains ${part}`)
    }
  })

  it('contain the licences that the LGPL requires beside its parts, once each', () => {
    const text = read('THIRD_PARTY_NOTICES.txt')
    for (const title of [
      /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1,/g,
      /GNU GENERAL PUBLIC LICENSE\s+Version 3,/g,
    ]) {
      expect(text.match(title)?.length, String(title)).toBe(1)
    }
  })

  it('refuse a licence that is not on the list', () => {
    const one = { name: 'x', version: '1.0.0', source: '', text: '' }
    expect(isAllowed({ name: 'x', licence: '(MIT OR GPL-3.0-only)' })).toBe(true)
    for (const licence of ['GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0-only', 'LGPL-3.0-or-later', 'unknown', '']) {
      expect(isAllowed({ name: 'x', licence }), licence).toBe(false)
      expect(() => noticesText([{ ...one, licence }])).toThrow(`x 1.0.0 (${licence})`)
    }
  })

  it('find the package of a bundled file', () => {
    expect(packageFolder('/a/node_modules/b/node_modules/@c/d/e.js?worker')).toBe('/a/node_modules/b/node_modules/@c/d')
    expect(packageFolder('\0/a/node_modules/b/index.js')).toBe('/a/node_modules/b')
    expect(packageFolder('/a/src-main/b.ts')).toBeNull()
  })
})
