import { type App, busyAgentRequests } from '../../../../src-preload/contract/apps.ts'
import { unmappedPatterns } from '../../../../src-preload/contract/modelMap.ts'
import type { ConnectedProgram, ProgramId } from '../../../../src-preload/contract/programs.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import type { ProgramCommands } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayLines, sayPart, tell } from '../output.ts'
import { ownError, wordsOf } from '../ownWords.ts'
import { columns } from '../table.ts'
import { findApp } from './apps.ts'

interface ProgramOptions {
  dataDir?: string
  apiPort?: number
  json: boolean
}

interface ConnectOptions extends ProgramOptions {
  program?: string
  model?: string
  /** Absent: as the program is connected now. */
  tools?: boolean
  dryRun: boolean
}

/** `apps programs`: the programs that were found and those that are connected. */
export function listPrograms(options: ProgramOptions, parts: Parts): Promise<number> {
  return withPrograms(options, parts, async (programs) => {
    const { programs: all, connected } = await programs.list()
    if (options.json) return printJson({ programs: all, connected })
    const apps = programs.apps.list()
    const rows = all.map(({ id, name, installed, file }) => {
      const own = connected.filter((one) => one.program === id)
      const states = own.map(({ appId, state, tools }) => {
        const shown = t(`programs.state.${state}`, { app: apps.find((app) => app.id === appId)?.name ?? appId })
        return tools ? t('programs.withTools', { state: shown }) : shown
      })
      return [id, name, installed ? t('programs.found') : '', file ?? t('programs.noFile'), states.join('; ')]
    })
    const head = [
      ...[t('programs.head.id'), t('programs.head.name'), ''],
      ...[t('programs.head.file'), t('programs.head.connected')],
    ]
    sayLines(columns([head, ...rows], { cuts: [3, 4, 1] }))
  })
}

/**
 * `apps connect`. Adds the app if there is none with the name. An app whose key is not in the file already gets a new one; the previous key
 * works for 24 hours.
 * @throws StudioError `bad_input`, `no_such_item`, `not_writable`, `disk_full`, `busy`
 */
export function connectApp(which: string, options: ConnectOptions, parts: Parts): Promise<number> {
  return withPrograms(options, parts, async (programs) => {
    const { id: program, name, hasFile } = programs.named(options.program ?? which)
    const app = existingApp(programs, which)
    const model = options.model ?? app?.models?.[0] ?? programs.usualModel()
    if (model === null) throw ownError('bad_input', t('programs.noModel'))
    if (!hasFile) return showLines(programs, { program, name, model }, options)
    const before = await connectionOf(programs, program, app)
    const tools = wantsTools(programs, program, options.tools ?? before?.tools)
    const { diff, file, seen } = await programs.preview({ program, model, tools })
    if (options.dryRun) {
      if (options.json) return printJson({ file, diff })
      if (diff === '') return say(t('programs.unchanged', { file }))
      // A difference is not folded: it may be applied.
      return sayPart(`${diff.trimEnd()}\n`)
    }
    const { id: appId, name: appName, key } = appFor(programs, { which, app, program, model })
    const connected = await connectWithKey(programs, { program, appId, model, tools, seen }, key, before)
    const about = tools ? [toolsText(findApp(programs.apps.list(), appId))] : []
    if (options.json) printJson(connected)
    else say(t('programs.connected', { program: name, app: appName, file, model }), ...about)
    await warnOfOverrides(programs, program)
  })
}

/** The app with this id or name. Null: none has it, or those that had it were revoked. */
function existingApp(programs: ProgramCommands, which: string): App | null {
  const all = programs.apps.list()
  const isThere = all.some(({ id, name, revokedAt }) => id === which || (name === which.trim() && revokedAt === null))
  return isThere ? findApp(all, which) : null
}

/** The app with the model map that the program needs, added if there is none. `key`: that of an added app. */
function appFor(
  programs: ProgramCommands,
  { which, app, program, model }: { which: string; app: App | null; program: ProgramId; model: string },
): { id: string; name: string; key: string | null } {
  const modelMap = programs.modelMap(program, model)
  if (!app) {
    const added = programs.apps.add({ name: which.trim(), modelMap, busyRequests: busyAgentRequests })
    return { ...added.app, key: added.key }
  }
  const missing = unmappedPatterns(programs.named(program).modelMap, app.modelMap)
  const rules = modelMap.filter(({ pattern }) => missing.includes(pattern))
  if (rules.length > 0) programs.apps.update(app.id, { modelMap: [...app.modelMap, ...rules] })
  return { ...app, key: null }
}

/** How the program is connected with this app now, or null. */
async function connectionOf(programs: ProgramCommands, program: ProgramId, app: App | null) {
  const { connected } = await programs.list()
  return connected.find((one) => one.program === program && one.appId === app?.id) ?? null
}

/** @throws StudioError `bad_input` for a program without MCP servers in a file */
function wantsTools(programs: ProgramCommands, program: ProgramId, tools = false): boolean {
  const { name, canUseTools } = programs.named(program)
  if (!tools || canUseTools) return tools
  throw ownError('bad_input', t('programs.noTools', { program: name }))
}

/** What a program may do with its tools. */
function toolsText({ toolOutput, toolInputs }: App): string {
  const saved = toolOutput === null ? t('programs.savedHere') : t('programs.savedIn', { folder: toolOutput })
  const read =
    toolInputs.length === 0 ? t('programs.readNothing') : t('programs.readFrom', { folders: toolInputs.join(', ') })
  return [t('programs.toolsOn'), saved, read].join(' ')
}

/**
 * Connects with the given key, else with the key that the file has, else with a new one, which all connected files of the app get.
 * @param before the connection of the program with this app
 */
async function connectWithKey(
  programs: ProgramCommands,
  input: Omit<Parameters<ProgramCommands['connect']>[0], 'key'>,
  key: string | null,
  before: ConnectedProgram | null,
) {
  const isConnected = before !== null && before.state !== 'keyReplaced' && before.state !== 'linesGone'
  // A program that keeps keys out of its file has one there with its tools only.
  const hasKey = !input.tools || before?.tools === true || programs.named(input.program).keyPlace === 'file'
  if (key !== null || (isConnected && hasKey)) return programs.connect({ ...input, key })
  const replaced = programs.apps.rotate(input.appId, 24)
  tell('info', t('programs.newKey', { app: replaced.app.name }))
  const result = await programs.connect({ ...input, key: replaced.key })
  const { failed } = await programs.rewrite({ appId: input.appId, key: replaced.key })
  for (const { problem } of failed) tell('warn', wordsOf(problem))
  return result
}

/** For a program that takes its address from its terminal only: the lines with a placeholder for the key. */
async function showLines(
  programs: ProgramCommands,
  { program, name, model }: { program: ProgramId; name: string; model: string },
  options: ConnectOptions,
): Promise<void> {
  const facts = { model, baseUrl: programs.baseUrl(), key: 'YOUR_APP_KEY', tools: false }
  const { steps } = await programs.steps({ program, ...facts })
  if (options.json) printJson({ steps })
  else say(t('programs.lines', { program: name }), '', ...steps.map(({ text }) => text))
}

async function warnOfOverrides(programs: ProgramCommands, program: string): Promise<void> {
  const found = (await programs.list()).programs.find(({ id }) => id === program)
  const set = found?.overrides.filter(({ isSet }) => isSet).map(({ name }) => name) ?? []
  if (set.length > 0) tell('warn', t('programs.overrides', { names: set.join(', '), count: set.length }))
  if (found?.keyPlace === 'secretStore') tell('warn', t('programs.secretStore', { program: found.name }))
}

/** `apps disconnect`. @throws StudioError `no_such_item`, and kinds of `connectApp` */
export function disconnectApp(
  which: string,
  options: ProgramOptions & { program?: string },
  parts: Parts,
): Promise<number> {
  return withPrograms(options, parts, async (programs) => {
    const app = findApp(programs.apps.list(), which)
    const program = options.program === undefined ? null : programs.named(options.program).id
    const { connected } = await programs.list()
    const own = connected.filter((one) => one.appId === app.id && (program === null || one.program === program))
    if (own.length === 0) throw ownError('no_such_item', t('programs.notConnected', { app: app.name }))
    for (const { id, program: connectedProgram, file } of own) {
      const { seen } = await programs.previewDisconnect({ id })
      const { left } = await programs.disconnect({ id, seen })
      if (options.json) printJson({ id, program: connectedProgram, file, left })
      else say(t('programs.disconnected', { program: programs.named(connectedProgram).name, file }))
      if (left.length > 0) tell('warn', t('programs.left', { names: left.join(', ') }))
    }
  })
}

async function withPrograms(
  options: ProgramOptions,
  parts: Parts,
  use: (programs: ProgramCommands) => Promise<void>,
): Promise<number> {
  const programs = await parts.openPrograms(await openDataDir(options.dataDir), options.apiPort)
  try {
    await use(programs)
  } finally {
    await programs.close()
  }
  return exitCodes.ok
}
