import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CoreOptions } from '../../core/core.ts'
import type { Parts, RunningCore } from './dependencies.ts'
import { createNodeHost } from './host.ts'

/** A core for the length of one command. */
export interface TemporaryCore {
  core: RunningCore
  close(): Promise<void>
}

/**
 * In a folder that is thrown away, for when another process owns the asked one, or when that one is only to be read.
 * @param prepare puts into that folder what the core is to find there
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
