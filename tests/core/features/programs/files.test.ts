import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { readConfigFile, replaceConfigFile } from '../../../../src-main/core/features/programs/files.ts'
import { tries } from '../../../helpers/effort.ts'

const loop = fileURLToPath(new URL('fixtures/replaceLoop.ts', import.meta.url))
const size = 200_000

function makeFile(): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'studio-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'settings.json')
  writeFileSync(path, 'a'.repeat(size), { mode: 0o640 })
  return { folder, path }
}

it('a file that is being replaced has its old or its new content whenever the process is killed', async () => {
  const { folder, path } = makeFile()
  for (let time = 0; time < tries(6, 60); time += 1) {
    const child = spawn(process.execPath, [loop, path, String(size)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await pause((time * 7) % 40)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const text = readFileSync(path, 'utf8')
    expect(text.length).toBe(size)
    expect(new Set(text).size).toBe(1)
  }
  // What the last kill left beside the file is replaced by the next attempt.
  await replaceConfigFile(await readConfigFile(path), Buffer.from('c'))
  expect(readdirSync(folder)).toEqual(['settings.json'])
  expect(readFileSync(path, 'utf8')).toBe('c')
})
