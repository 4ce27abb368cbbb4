import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How Electron's binary marks where its fuses begin. @see https://github.com/electron/fuses */
export const fuseSentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const fuseCount = 9

/** Writes a folder that looks like Electron's distribution for Linux. Its program is a script with the fuses of a fresh Electron. */
export function writeStubElectron(folder: string): void {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  mkdirSync(join(folder, 'resources'))
  const fuses = Buffer.concat([Buffer.from(fuseSentinel), Buffer.from([1, fuseCount]), Buffer.from('101110100')])
  writeFileSync(join(folder, 'electron'), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), fuses, Buffer.from('\n')]))
  chmodSync(join(folder, 'electron'), 0o755)
  for (const name of [
    'LICENSE',
    'LICENSES.chromium.html',
    'version',
    'resources.pak',
    'chrome-sandbox',
    'locales/en-US.pak',
  ]) {
    writeFileSync(join(folder, name), name)
  }
}

/** Names of the fuses in their order in the binary. */
export const fuseNames = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const

/** Reads which fuses of a program are on. */
export function readFuses(program: Buffer): Record<string, boolean> {
  const start = program.indexOf(fuseSentinel) + fuseSentinel.length
  return Object.fromEntries(
    fuseNames.map((name, index) => [name, program.toString('latin1', start + 2 + index, start + 3 + index) === '1']),
  )
}
