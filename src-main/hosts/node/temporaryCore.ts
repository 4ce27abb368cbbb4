import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CoreOptions } from '../../core/core.ts'
import type { Parts, RunningCore } from './dependencies.ts'
import { createNodeHost } from './host.ts'

/** A core that one command uses. `close` also deletes its folder. */
export interface TemporaryCore {
  core: RunningCore
  close(): Promise<void>
}

/**
 * Starts a core in a temporary folder. Used when another process owns the data folder, or the command must not change it.
 * @param prepare fills the folder before the core starts
 */
export async function startTemporaryCore(
  parts: Parts,
  options: CoreOptions,
  prepare: (folder: string) => void = () => undefined,
): Promise<TemporaryCore> {
  const folder = await mkdtemp(join(tmpdir(), 'inference-studio-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    prepare(folder)
    const core = await parts.startCore(createNodeHost(folder), options)
    const close = async () => {
      await core.stop()
      await remove()
    }
    return { core, close }
  } catch (thrown) {
    await remove()
    throw thrown
  }
}
