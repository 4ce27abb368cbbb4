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
import { makePrograms } from './helpers.ts'

const loop = fileURLToPath(new URL('fixtures/replaceLoop.ts', import.meta.url))
const connectLoop = fileURLToPath(new URL('fixtures/connectLoop.ts', import.meta.url))
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

it('both files of a program are whole whenever the process that connects it is killed, and Disconnect restores them', async () => {
  const files = {
    '.claude/settings.json': '{\n  "model": "opus", // mine\n  "env": { "ANTHROPIC_MODEL": "opus" }\n}\n',
    '.claude.json': '{ "numStartups": 1, "mcpServers": { "docs": { "command": "npx" } } }',
  }
  for (let time = 0; time < tries(3, 40); time += 1) {
    const here = makePrograms({ files })
    const given = [here.home, here.dataDir, here.app.id, here.key]
    const child = spawn(process.execPath, [connectLoop, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await pause((time * 37) % 150)
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const { id } of (await here.programs.list()).connected) expect(await here.disconnect(id)).toEqual({ left: [] })
    for (const [name, text] of Object.entries(files)) expect(here.read(name), name).toBe(text)
    // The row of a second file has no connection of its own.
    expect(here.store.connectedPrograms.all()).toEqual([])
  }
})
