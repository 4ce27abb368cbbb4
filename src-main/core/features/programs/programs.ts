import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { ModelFacts } from '../../../../src-preload/contract/models.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import {
  type ConnectedProgram,
  type FilePreview,
  type Program,
  type ProgramId,
  type ProgramState,
  type ProgramStep,
  type ProgramTrial,
  programInfos,
} from '../../../../src-preload/contract/programs.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import type { StoredProgram } from '../../store/connectedPrograms.ts'
import { parseJson } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { agents } from './agents.ts'
import { type Machine, type ProgramDefinition, type ProgramFacts, type ProgramFile, withTools } from './definition.ts'
import { decoded, type FoundEntries, type UndoableEntry, writeEntries } from './edit/entries.ts'
import type { Edited, ProgramFileJob, ProgramFileResult } from './edit/worker.ts'
import { editors } from './editors.ts'
import {
  type ConfigFile,
  changedSince,
  deleteConfigFile,
  hashOfFile,
  readConfigFile,
  readOwnFile,
  replaceConfigFile,
} from './files.ts'
import { findFile, findPrograms } from './find.ts'
import { runTrial } from './trial.ts'

export interface ProgramsOptions {
  store: Pick<Store, 'connectedPrograms'>
  dataDir: string
  machine: Machine
  /** The app with this id. @throws StudioError `no_such_item` */
  app(id: string): App
  /** Lets the app use tools, which it may not at first. */
  allowTools(id: string): void
  /** Id of the app whose key this is and may be used now, or null. */
  ownerOf(key: string): string | null
  /** Address of the local API, also while it is off, ending in `/v1`. */
  baseUrl(): string
  /** What is known of a model of the connection in use. */
  modelFacts(model: string): Pick<ModelFacts, 'context' | 'images'> | undefined
  /** The PATH of a terminal, where this process may have another one. */
  terminalPath?(): Promise<string> | undefined
  /** Newest first. */
  requests(appId: string, since: string): Promise<RequestRow[]>
}

export type Programs = ReturnType<typeof createPrograms>

export const definitions: readonly ProgramDefinition[] = [...agents, ...editors].map(withTools)

/** Context window when nothing is known of a model, tokens. */
const usualContext = 128_000
/** Most tokens of one reply that a program may ask for. */
const maxReply = 32_000

/** Stands for a key in texts that are only shown. */
const shownKey = 'isk_…'

/** How long an edit of a file may take, ms. */
const editMs = 20_000

const trialPrompt = 'Reply with the single word OK. Do not use tools, and do not read or change any file.'

const undo = z.object({
  /** The text without our entries; null: there was no file. */
  base: z.string().nullable(),
  /** Replaced values of the entries, in their order. */
  before: z.array(z.string().nullable()),
})
type Undo = z.infer<typeof undo>

interface ConnectInput {
  program: ProgramId
  appId: string
  model: string
  /** Whether the program also gets the studio's MCP server. */
  tools: boolean
}

/** Connects programs of this computer with the local API, by entries in their configuration files. */
export function createPrograms(options: ProgramsOptions) {
  const { store, dataDir, app } = options
  const table = store.connectedPrograms
  const editor = new WorkerClient<ProgramFileJob, ProgramFileResult>({
    name: 'program file',
    start: async () => (await import('./edit/worker.ts')).startProgramFileWorker(),
    idleMs: 30_000,
  })
  const undoFolder = join(dataDir, 'programs')
  const undoFile = (id: string): string => join(undoFolder, `${id}.json`)
  const originalFile = (id: string): string => join(undoFolder, `${id}.original`)

  async function machine(): Promise<Machine> {
    const path = await options.terminalPath?.()
    const { machine: known } = options
    return path === undefined ? known : { ...known, env: { ...known.env, PATH: path } }
  }

  async function runJob(path: string, job: ProgramFileJob): Promise<ProgramFileResult> {
    try {
      return await editor.run(() => job, { timeoutMs: editMs })
    } catch (thrown) {
      if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) {
        throw new StudioError(
          'bad_input',
          `${path} is too large or too deep to be edited here. Copy the lines by hand.`,
        )
      }
      const { kind, message, facts } = asStudioError(thrown)
      throw kind === 'bad_input' ? new StudioError(kind, `${path}: ${message}`, facts, { cause: thrown }) : thrown
    }
  }
  // Safe: `handle` of the worker returns this for the kind of job.
  const edit = async (path: string, job: Omit<ProgramFileJob & { do: 'edit' }, 'do'>): Promise<Edited> =>
    (await runJob(path, { do: 'edit', ...job })) as Edited
  const find = async (path: string, job: Omit<ProgramFileJob & { do: 'find' }, 'do'>): Promise<FoundEntries> =>
    (await runJob(path, { do: 'find', ...job })) as FoundEntries

  function factsOf({ model, tools }: Pick<ConnectInput, 'model' | 'tools'>, key: string): ProgramFacts {
    const known = options.modelFacts(model)
    const context = known?.context?.tokens ?? usualContext
    const output = Math.min(maxReply, Math.max(1, Math.floor(context / 4)))
    return { baseUrl: options.baseUrl(), key, model, context, output, images: known?.images !== 'refused', tools }
  }

  async function readUndo(id: string): Promise<Undo | null> {
    const text = await readOwnFile(undoFile(id))
    return text === null ? null : (undo.safeParse(parseJson(text)).data ?? null)
  }

  async function writeUndo(id: string, state: Undo): Promise<void> {
    await mkdir(undoFolder, { recursive: true, mode: 0o700 })
    await writeFile(undoFile(id), JSON.stringify(state), { mode: 0o600, flush: true })
  }

  /** Entries that can be taken out again. Without their undo file, the values that they replaced are unknown. */
  const undoable = (row: StoredProgram, state: Undo | null): UndoableEntry[] =>
    row.entries.map((entry, index) => ({ ...entry, before: state?.before[index] ?? null }))

  /** A file of a program, as it is now, with its row if it is connected. */
  interface Part {
    index: number
    known: ProgramFile
    file: ConfigFile
    row: StoredProgram | null
  }

  /** The edit that takes out the entries of an earlier connection, if any, and writes new ones. */
  async function planned({ known, file, row }: Part, facts: ProgramFacts | null) {
    const state = row && (await readUndo(row.id))
    const isAsWritten = row !== null && state !== null && file.seen === row.writtenHash
    const result = await edit(file.path, {
      format: known.format,
      file: homeless(file.path, options.machine),
      text: file.bytes ? decoded(file.bytes) : '',
      remove: row ? undoable(row, state) : [],
      base: isAsWritten ? (state.base ?? '') : null,
      add: facts ? known.entries(facts) : [],
    })
    /** Whether the file is only there because of us. */
    const isOurs = file.bytes === null || (state !== null && state.base === null)
    return { ...result, isOurs }
  }

  /**
   * The files of a program that is to be connected. Those that get nothing now are among them when they have entries of an earlier connection.
   * @throws StudioError `bad_input` when it has none
   */
  async function partsToConnect(definition: ProgramDefinition, facts: ProgramFacts): Promise<Part[]> {
    const here = await machine()
    if (definition.files.length === 0) throw noFile(definition)
    const parts: Part[] = []
    for (const [index, known] of definition.files.entries()) {
      if (known.entries(facts).length > 0) {
        const file = await readConfigFile((await findFile(known, here)).file)
        parts.push({ index, known, file, row: table.ofFile(file.path) })
      } else {
        const main = parts[0]?.row
        const row = main && rowsOf(main).find(({ part }) => part === index)
        if (row) parts.push({ index, known, file: await readConfigFile(row.file), row })
      }
    }
    return parts
  }

  /** The rows of a connected program: `main`, and others of the same app. */
  function rowsOf(main: StoredProgram): StoredProgram[] {
    const others = table
      .all()
      .filter(({ program, appId, part }) => program === main.program && appId === main.appId && part > 0)
    return [main, ...others]
  }

  /** Its files. */
  async function partsOf(main: StoredProgram): Promise<Part[]> {
    const parts: Part[] = []
    for (const row of rowsOf(main)) {
      const known = definitionOf(row.program).files[row.part]
      if (known) parts.push({ index: row.part, known, file: await readConfigFile(row.file), row })
    }
    return parts
  }

  /** Whether Connect wrote the MCP server to the files of this program. */
  function hasTools(main: StoredProgram): boolean {
    const { tools } = definitionOf(main.program)
    if (!tools) return false
    const { part, path: place } = tools
    const row = rowsOf(main).find((one) => one.part === part)
    return row?.entries.some(({ path }) => isDeepStrictEqual(path.slice(0, place.length), place)) === true
  }

  function rowOf(id: string): StoredProgram {
    const row = table.find(id)
    if (!row) throw new StudioError('no_such_item', 'This program is not connected any more.')
    return row
  }

  async function foundIn({ known, file, row }: Part): Promise<FoundEntries> {
    if (!row || !file.bytes) return { isComplete: false, key: null }
    return find(file.path, { format: known.format, text: decoded(file.bytes), written: row.entries })
  }

  async function stateOf(
    row: StoredProgram,
    isInstalled: boolean,
  ): Promise<{ state: ProgramState; problem: Problem | null }> {
    try {
      const parts = await partsOf(row)
      if (parts.some(({ file }) => !file.bytes)) return { state: 'fileGone', problem: null }
      const found = await Promise.all(parts.map(foundIn))
      if (found.some(({ isComplete }) => !isComplete)) return { state: 'linesGone', problem: null }
      if (row.baseUrl !== options.baseUrl()) return { state: 'otherAddress', problem: null }
      const key = found[0]?.key ?? null
      if (key !== null && options.ownerOf(key) !== row.appId) return { state: 'keyReplaced', problem: null }
      return { state: isInstalled ? 'connected' : 'programGone', problem: null }
    } catch (thrown) {
      return { state: 'unreadable', problem: asStudioError(thrown).toProblem() }
    }
  }

  /** Writes the entries to all files, or to none. @returns the row of the first file */
  async function writeParts(parts: readonly Part[], input: ConnectInput, key: string): Promise<StoredProgram> {
    const facts = factsOf(input, key)
    const plans = await Promise.all(parts.map(async (part) => ({ part, plan: await planned(part, facts) })))
    const written: StoredProgram[] = []
    try {
      for (const { part, plan } of plans) {
        if (plan.written.length > 0) written.push(await writePart(part, plan, input, facts.baseUrl))
        else if (part.row) await takeOut(part.row)
      }
    } catch (thrown) {
      for (const row of written) if (parts.every((part) => part.row?.id !== row.id)) await takeOut(row)
      throw thrown
    }
    const [main] = written
    if (!main) throw new RangeError('A connection needs a file.')
    return main
  }

  /** Writes one file. The row is stored first: a crash in between leaves a connection without lines, which can be taken back. */
  async function writePart(
    { index, file, row }: Part,
    { text, base, written, isOurs }: Awaited<ReturnType<typeof planned>>,
    { program, appId, model }: ConnectInput,
    baseUrl: string,
  ): Promise<StoredProgram> {
    const id = row?.id ?? randomUUID()
    const former = row && (await readUndo(row.id))
    if (!row && file.bytes) await keepOriginal(id, file)
    await writeUndo(id, {
      base: isOurs && base.trim() === '' ? null : base,
      before: written.map(({ before }) => before),
    })
    const saved: StoredProgram = {
      ...{ id, program, appId, model, baseUrl },
      file: file.path,
      part: index,
      entries: written.map(({ before: _, ...entry }) => entry),
      writtenHash: hashOfFile(text),
      connectedAt: row?.connectedAt ?? new Date().toISOString(),
    }
    table.save(saved)
    try {
      await replaceConfigFile(file, Buffer.from(text))
    } catch (thrown) {
      if (row && former) {
        table.save(row)
        await writeUndo(row.id, former)
      } else if (!row) await forget(id)
      throw thrown
    }
    return saved
  }

  /** Takes the entries of one file out. @returns the entries that stay */
  async function takeOut(row: StoredProgram): Promise<string[]> {
    const known = definitionOf(row.program).files[row.part]
    const file = await readConfigFile(row.file)
    let left: string[] = []
    if (known && file.bytes) {
      const result = await planned({ index: row.part, known, file, row }, null)
      left = result.left
      if (result.isOurs && result.isEmpty) await deleteConfigFile(file)
      else if (result.text !== decoded(file.bytes)) await replaceConfigFile(file, Buffer.from(result.text))
    }
    await forget(row.id)
    return left
  }

  /** Keeps the file as it was before the first connection, for a person who wants to copy it back by hand. */
  async function keepOriginal(id: string, { bytes, mode }: ConfigFile): Promise<void> {
    await mkdir(undoFolder, { recursive: true, mode: 0o700 })
    await writeFile(originalFile(id), bytes ?? '', { mode: 0o600, flush: true })
    if (mode !== null) await chmod(originalFile(id), mode & 0o777)
  }

  async function forget(id: string): Promise<void> {
    table.remove(id)
    await Promise.all([undoFile(id), originalFile(id)].map((path) => rm(path, { force: true })))
  }

  async function shown(row: StoredProgram, isInstalled?: boolean): Promise<ConnectedProgram> {
    const [found] = isInstalled === undefined ? await findPrograms([definitionOf(row.program)], await machine()) : []
    const { id, program, file, appId, model, connectedAt } = row
    return {
      id,
      program,
      file,
      appId,
      model,
      tools: hasTools(row),
      connectedAt,
      ...(await stateOf(row, isInstalled ?? found?.isInstalled === true)),
    }
  }

  async function previewOf(parts: readonly Part[], facts: ProgramFacts | null): Promise<FilePreview> {
    const plans = await Promise.all(parts.map((part) => planned(part, facts)))
    const diff = plans.map((plan) => plan.diff).join('')
    const [main] = parts
    if (!main) throw new RangeError('A connection needs a file.')
    return { file: main.file.path, exists: main.file.bytes !== null, diff, seen: seenOf(parts) }
  }

  const seenOf = (parts: readonly Part[]): string => parts.map(({ file }) => file.seen).join(' ')

  function assertSeen(parts: readonly Part[], seen: string): void {
    const [main] = parts
    if (main && seenOf(parts) !== seen) throw changedSince(main.file.path)
  }

  return {
    async list(): Promise<{ programs: Program[]; connected: ConnectedProgram[] }> {
      const here = await machine()
      const found = await findPrograms(definitions, here)
      const programs = definitions.map((definition, index) => programOf(definition, found[index], here))
      const connected: ConnectedProgram[] = []
      for (const row of table.all().filter(({ part }) => part === 0)) {
        connected.push(await shown(row, programs.find(({ id }) => id === row.program)?.installed === true))
      }
      return { programs, connected }
    },

    async steps(input: {
      program: ProgramId
      baseUrl: string
      key: string
      model: string
      tools: boolean
    }): Promise<{ steps: ProgramStep[] }> {
      const definition = definitionOf(input.program)
      const facts = { ...factsOf(input, input.key), baseUrl: input.baseUrl }
      const here = await machine()
      const files = await Promise.all(definition.files.map((known) => findFile(known, here)))
      return {
        steps: stepsOf(
          definition,
          facts,
          files.map(({ file }) => homeless(file, options.machine)),
        ),
      }
    },

    /** @throws StudioError `bad_input`, `not_writable` */
    async preview(input: Omit<ConnectInput, 'appId'>): Promise<FilePreview> {
      const facts = factsOf(input, shownKey)
      return previewOf(await partsToConnect(definitionOf(input.program), facts), facts)
    },

    /** @throws StudioError `bad_input`, `no_such_item`, `not_writable`, `disk_full`, `busy` */
    async connect({
      key,
      seen,
      ...given
    }: ConnectInput & { key: string | null; seen: string }): Promise<ConnectedProgram> {
      const { revokedAt, name } = app(given.appId)
      if (revokedAt !== null)
        throw new StudioError('bad_input', `The app key of ${name} was revoked. Add the app again.`)
      const definition = definitionOf(given.program)
      const input = { ...given, tools: given.tools && definition.tools !== undefined }
      const parts = await partsToConnect(definition, factsOf(input, shownKey))
      assertSeen(parts, seen)
      const inFile = parts[0] ? (await foundIn(parts[0])).key : null
      // The file may have the key of another app.
      const known = key ?? (inFile !== null && options.ownerOf(inFile) === input.appId ? inFile : null)
      if (known === null && (definition.keyPlace === 'file' || input.tools)) {
        throw new StudioError(
          'bad_input',
          `The app key of ${name} is stored only as a hash. Replace the key, then connect ${nameOf(definition)}.`,
        )
      }
      const row = await writeParts(parts, input, known ?? '')
      // Last: a permission that no file needs would stay unnoticed. Without it, the program is told where to switch tools on.
      if (input.tools) options.allowTools(input.appId)
      return shown(row)
    },

    /** @throws StudioError as `preview` */
    async previewDisconnect({ id }: { id: string }): Promise<FilePreview> {
      return previewOf(await partsOf(rowOf(id)), null)
    },

    /** @throws StudioError as `connect` */
    async disconnect({ id, seen }: { id: string; seen: string }): Promise<{ left: string[] }> {
      const parts = await partsOf(rowOf(id))
      assertSeen(parts, seen)
      const left: string[] = []
      // The first file last: until then the connection is listed.
      for (const { row } of parts.toReversed()) if (row) left.unshift(...(await takeOut(row)))
      return { left }
    },

    /** Writes the present address, and a new key of an app. Never throws for one file. */
    async rewrite({ appId, key }: { appId: string | null; key: string | null }) {
      const written: string[] = []
      const failed: { id: string; problem: Problem }[] = []
      for (const row of table.all().filter((one) => one.part === 0 && (appId === null || one.appId === appId))) {
        try {
          const parts = await partsOf(row)
          const found = await Promise.all(parts.map(foundIn))
          if (found.some(({ isComplete }) => !isComplete)) {
            throw new StudioError(
              'bad_input',
              `${row.file} was changed: the lines of Inference Studio are gone. Connect the program again.`,
            )
          }
          await writeParts(parts, { ...row, tools: hasTools(row) }, key ?? found[0]?.key ?? '')
          written.push(row.id)
        } catch (thrown) {
          failed.push({ id: row.id, problem: asStudioError(thrown).toProblem() })
        }
      }
      return { written, failed }
    },

    /** @throws StudioError `no_such_item`, `bad_input`, `cancelled` */
    async try({ id }: { id: string }, signal?: AbortSignal): Promise<ProgramTrial> {
      const row = rowOf(id)
      const definition = definitionOf(row.program)
      const here = await machine()
      const [found] = await findPrograms([definition], here)
      const { trial } = definition
      if (!trial)
        throw new StudioError('bad_input', `${nameOf(definition)} has no mode for a trial. Start it yourself.`)
      if (!found?.command)
        throw new StudioError('bad_input', `The command of ${nameOf(definition)} was not found. Start it yourself.`)
      const since = new Date().toISOString()
      const { command } = found
      const args = trial.args(trialPrompt, { model: row.model })
      const env = { ...withoutStudio(here.env), NO_COLOR: '1', TERM: 'dumb', ...trial.env }
      const result = await runTrial({ command, args, env }, signal)
      return { ...result, requests: (await options.requests(row.appId, since)).toReversed() }
    },

    close: () => editor.terminate(),
  }
}

export function definitionOf(id: ProgramId): ProgramDefinition {
  const found = definitions.find((one) => one.id === id)
  if (!found) throw new StudioError('no_such_item', `No program has the id ${id}.`)
  return found
}

/**
 * The texts for a person: the same entries that Connect writes, as they are in files that have nothing else.
 * @param paths of the files, as they are shown
 */
export function stepsOf(definition: ProgramDefinition, facts: ProgramFacts, paths: readonly string[]): ProgramStep[] {
  const files = definition.files.flatMap(({ format, about, entries }, index): ProgramStep[] => {
    const written = entries(facts)
    if (written.length === 0) return []
    const text = writeEntries(format, '', written).text.trimEnd()
    return [{ about, language: format === 'dotenv' ? 'sh' : format, file: paths[index] ?? null, text }]
  })
  return [...files, ...definition.steps(facts).map((step) => ({ ...step, file: null }))]
}

function programOf(
  definition: ProgramDefinition,
  found: Awaited<ReturnType<typeof findPrograms>>[number] | undefined,
  { env }: Machine,
): Program {
  const { id, keyPlace, overrides, tools, trial } = definition
  const { name, where = null, kind, npm, verified, modelMap, note = null } = programInfos[id]
  const variables = overrides.variables.map((variable) => ({
    kind: 'variable' as const,
    name: variable,
    isSet: Boolean(env[variable]),
  }))
  return {
    id,
    name,
    where,
    kind,
    npm,
    verified,
    modelMap,
    note,
    keyPlace,
    installed: found?.isInstalled === true,
    command: found?.command ?? null,
    file: found?.file ?? null,
    hasFile: found?.hasFile === true,
    takesEffect: definition.takesEffect,
    overrides: [
      ...variables,
      ...overrides.files.map((file) => ({ kind: 'projectFile' as const, name: file, isSet: false })),
    ],
    canUseTools: tools !== undefined,
    canTry: trial !== undefined && found?.command != null,
  }
}

/** A path with `~` for the home folder. */
const homeless = (path: string, { home }: Machine): string =>
  path.startsWith(home + sep) ? `~/${path.slice(home.length + 1).replaceAll(sep, '/')}` : path

/** The environment for a trial, without the variables of this program, which may contain the service's key. */
const withoutStudio = (env: Machine['env']): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:INFERENCE_STUDIO|STUDIO)_/.test(name)))

const nameOf = ({ id }: ProgramDefinition): string => programInfos[id].name

const noFile = (definition: ProgramDefinition): StudioError =>
  new StudioError(
    'bad_input',
    `${nameOf(definition)} has no configuration file for an address. Use the lines for its terminal.`,
  )
