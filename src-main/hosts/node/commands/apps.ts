import { devNull } from 'node:os'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../../core/errors.ts'
import type { AppChanges, NewApp } from '../../../core/gateway/apps/appSettings.ts'
import type { AppCommands, Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { exitCodes, log, outputFailure, outputIsDiscarded, printJson, say, sayTable } from '../output.ts'
import { columns } from '../table.ts'
import { detailsOf, limitsOf, stateOf, toMinute } from './appLabels.ts'

interface AppsOptions {
  dataDir?: string
  json: boolean
}

/** A key is shown once: one that could not be shown is deleted again. */
export async function addAppCommand(given: NewApp, options: AppsOptions, parts: Parts): Promise<number> {
  if (outputIsDiscarded()) {
    const words = `Standard output is closed or ${devNull}, and a key is shown only once. No key was made.`
    throw new StudioError('bad_input', words)
  }
  return withApps(options, parts, async (keys) => {
    const { tool, key } = keys.add(given)
    if (options.json) printJson({ id: tool.id, name: tool.name, key })
    else say(`Made a key for ${tool.name} (${tool.id}). It is shown this once:`, '', key, '')
    const failure = await outputFailure()
    if (failure === null) return
    deleteUnseen(keys, tool)
    throw failure
  })
}

function deleteUnseen(keys: AppCommands, { id, name }: App): void {
  try {
    keys.remove(id)
    log('error', `The key for ${name} could not be shown, so it was deleted again.`)
  } catch (thrown) {
    log('error', `The key for ${name} could not be shown, and not be deleted: ${failureOf(thrown).message}`)
    log('error', `Revoke it with: inference-studio tools revoke ${id}`)
  }
}

export function setApp(which: string, changes: AppChanges, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (keys) => {
    const tool = keys.update(oneOf(keys.list(), which).id, changes)
    if (options.json) printJson(tool)
    else say(`Changed ${tool.name} (${tool.id}): ${limitsOf(tool) || 'no limits'}.`)
  })
}

/** @param which null for every key that is not revoked */
export function pauseApps(which: string | null, paused: boolean, options: AppsOptions, parts: Parts): Promise<number> {
  const done = paused ? 'Paused' : 'Resumed'
  return withApps(options, parts, (keys) => {
    if (which === null) {
      const { changed } = keys.pauseAll(paused)
      if (options.json) printJson({ changed })
      else say(`${done} ${changed} ${changed === 1 ? 'key' : 'keys'}.`)
      return
    }
    const tool = keys.pause(oneOf(keys.list(), which).id, paused)
    if (options.json) printJson(tool)
    else say(`${done} ${tool.name} (${tool.id}).`)
  })
}

export function listApps(options: AppsOptions, parts: Parts): Promise<number> {
  return withAppList(options, parts, (keys) => {
    const tools = keys.list()
    if (options.json) printJson(tools)
    else if (tools.length === 0) say('No tool keys yet. Make one: inference-studio tools add NAME')
    else
      say(
        ...columns(
          tools.map((tool) => [tool.id, tool.name, `made ${toMinute(tool.createdAt)}`, stateOf(tool), limitsOf(tool)]),
        ),
      )
  })
}

export function showApp(which: string, options: AppsOptions, parts: Parts): Promise<number> {
  return withAppList(options, parts, (keys) => {
    const tool = oneOf(keys.list(), which)
    if (options.json) printJson(tool)
    else sayTable(detailsOf(tool))
  })
}

export function revokeAppCommand(which: string, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (keys) => {
    const tool = keys.revoke(oneOf(keys.list(), which).id)
    if (options.json) printJson(tool)
    else say(`Revoked ${tool.name} (${tool.id}).`)
  })
}

/**
 * The key of an id, else of a name: of one that is not revoked before one that is.
 * @throws StudioError `no_such_item`, `bad_input` where several have the name
 */
function oneOf(tools: readonly App[], which: string): App {
  const byId = tools.find(({ id }) => id === which)
  if (byId) return byId
  const named = tools.filter(({ name }) => name === which.trim())
  const inUse = named.filter(({ revokedAt }) => revokedAt === null)
  const [found, ...others] = inUse.length > 0 ? inUse : named
  if (!found) throw new StudioError('no_such_item', `There is no tool key with the id or name ${which}.`)
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ')
    throw new StudioError('bad_input', `Several tools are called ${found.name}. Say which by its id: ${ids}.`)
  }
  return found
}

async function withAppList(
  options: AppsOptions,
  parts: Parts,
  use: (keys: Pick<AppCommands, 'list'>) => void,
): Promise<number> {
  const keys = await parts.openAppsReadOnly(findDataDir(options.dataDir))
  try {
    use(keys)
  } finally {
    keys.close()
  }
  return exitCodes.ok
}

async function withApps(
  options: AppsOptions,
  parts: Parts,
  use: (keys: AppCommands) => void | Promise<void>,
): Promise<number> {
  const keys = await parts.openApps(await openDataDir(options.dataDir))
  try {
    await use(keys)
  } finally {
    keys.close()
  }
  return exitCodes.ok
}
