import { execFile } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../resources/scripts/ready.mjs'
import { temporaryFolder } from '../../helpers/folders.ts'

const run = promisify(execFile)

/** Runs an unchanged script in bash with only the given environment, and returns its standard output. */
export async function bash(script: string, env: Record<string, string> = {}): Promise<string> {
  return (await run('bash', ['-c', script], { env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8' })).stdout
}

/** A folder for a user's own programs, with the packages of this project installed. */
export function ownFolder() {
  const folder = temporaryFolder('studio-setups-')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return {
    /** Saves a module, runs it on this Node, and returns its output. */
    async node(text: string, env: Record<string, string> = {}): Promise<string> {
      const file = join(folder, 'hello.mjs')
      writeFileSync(file, text)
      return (await run(process.execPath, [file], { env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8' }))
        .stdout
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
