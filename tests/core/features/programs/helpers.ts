import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createPrograms } from '../../../../src-main/core/features/programs/programs.ts'
import { Apps } from '../../../../src-main/core/gateway/apps/apps.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { ModelFacts } from '../../../../src-preload/contract/models.ts'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'

interface Given {
  env?: Record<string, string>
  /** Files below the home folder. */
  files?: Record<string, string>
  facts?: Pick<ModelFacts, 'context' | 'images'>
}

/** The feature on a data folder and a home folder of its own, with one app. */
export function makePrograms({ env = {}, files = {}, facts }: Given = {}) {
  const root = mkdtempSync(join(tmpdir(), 'studio-programs-'))
  const home = join(root, 'home')
  const dataDir = join(root, 'data')
  for (const folder of [home, dataDir]) mkdirSync(folder, { mode: 0o700 })
  const store = openStore(dataDir)
  const apps = new Apps(store)
  const { app, key } = apps.add({ name: 'Agent' })
  const state = { baseUrl: 'http://127.0.0.1:8787/v1', requests: [] as RequestRow[] }
  const programs = createPrograms({
    store,
    dataDir,
    machine: { platform: 'linux', home, env: { PATH: `${join(home, 'bin')}:/usr/bin:/bin`, ...env } },
    app: (id) => apps.get(id),
    allowTools: (id) => void apps.update(id, { tools: true }),
    ownerOf: (presented) => {
      const verified = apps.verify(presented)
      return verified.good ? verified.app.id : null
    },
    baseUrl: () => state.baseUrl,
    modelFacts: () => facts,
    requests: async () => state.requests,
  })
  const path = (name: string): string => join(home, name)
  const write = (name: string, content: string | Uint8Array, mode = 0o644): string => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content, { mode })
    return path(name)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  onTestFinished(async () => {
    await programs.close()
    apps.close()
    store.close()
    rmSync(root, { recursive: true, force: true })
  })
  const input = (program: ProgramId, model = 'maker/model-1', tools = false) => ({
    program,
    appId: app.id,
    model,
    tools,
  })
  return {
    programs,
    apps,
    app,
    key,
    home,
    dataDir,
    store,
    state,
    path,
    write,
    input,
    read: (name: string): string => readFileSync(path(name), 'utf8'),
    mode: (name: string): number => statSync(path(name)).mode & 0o777,
    /** Previews, then connects. */
    async connect(program: ProgramId, model?: string, tools?: boolean) {
      const { seen } = await programs.preview(input(program, model, tools))
      return programs.connect({ ...input(program, model, tools), key, seen })
    },
    /** Previews, then disconnects. */
    async disconnect(id: string) {
      const { seen } = await programs.previewDisconnect({ id })
      return programs.disconnect({ id, seen })
    },
    async stateOf(id: string) {
      return (await programs.list()).connected.find((one) => one.id === id)?.state
    },
  }
}
