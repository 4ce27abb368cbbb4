import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
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
import type { Machine, ProgramDefinition, ProgramFacts } from './definition.ts'
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

export const definitions: readonly ProgramDefinition[] = [...agents, ...editors]

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

  function factsOf(model: string, key: string): ProgramFacts {
    const known = options.modelFacts(model)
    const context = known?.context?.tokens ?? usualContext
    const output = Math.min(maxReply, Math.max(1, Math.floor(context / 4)))
    return { baseUrl: options.baseUrl(), key, model, context, output, images: known?.images !== 'refused' }
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

  /** The edit that takes out the entries of an earlier connection, if any, and writes new ones. */
  async function planned(
    definition: ProgramDefinition,
    file: ConfigFile,
    row: StoredProgram | null,
    facts: ProgramFacts | null,
  ) {
    if (!definition.file) throw noFile(definition)
    const state = row && (await readUndo(row.id))
    const isAsWritten = row !== null && state !== null && file.seen === row.writtenHash
    const text = file.bytes ? decoded(file.bytes) : ''
    const result = await edit(file.path, {
      format: definition.file.format,
      file: homeless(file.path, options.machine),
      text,
      remove: row ? undoable(row, state) : [],
      base: isAsWritten ? (state.base ?? '') : null,
      add: facts ? definition.file.entries(facts) : [],
    })
    /** Whether the file is only there because of us. */
    const isOurs = row ? state?.base === null : file.bytes === null
    return { ...result, isOurs }
  }

  async function targetOf(definition: ProgramDefinition): Promise<ConfigFile> {
    const { file } = await findFile(definition, await machine())
    if (file === null) throw noFile(definition)
    return readConfigFile(file)
  }

  function rowOf(id: string): StoredProgram {
    const row = table.find(id)
    if (!row) throw new StudioError('no_such_item', 'This program is not connected any more.')
    return row
  }

  async function keyIn(file: ConfigFile, row: StoredProgram): Promise<FoundEntries> {
    const { file: known } = definitionOf(row.program)
    if (!known || !file.bytes) return { isComplete: false, key: null }
    return find(file.path, { format: known.format, text: decoded(file.bytes), written: row.entries })
  }

  async function stateOf(
    row: StoredProgram,
    isInstalled: boolean,
  ): Promise<{ state: ProgramState; problem: Problem | null }> {
    try {
      const file = await readConfigFile(row.file)
      if (!file.bytes) return { state: 'fileGone', problem: null }
      const { isComplete, key } = await keyIn(file, row)
      if (!isComplete) return { state: 'linesGone', problem: null }
      if (row.baseUrl !== options.baseUrl()) return { state: 'otherAddress', problem: null }
      if (key !== null && options.ownerOf(key) !== row.appId) return { state: 'keyReplaced', problem: null }
      return { state: isInstalled ? 'connected' : 'programGone', problem: null }
    } catch (thrown) {
      return { state: 'unreadable', problem: asStudioError(thrown).toProblem() }
    }
  }

  /** Writes the entries. The row is stored first: a crash in between leaves a connection without lines, which can be taken back. */
  async function writeConnection(
    file: ConfigFile,
    row: StoredProgram | null,
    input: ConnectInput,
    key: string,
  ): Promise<StoredProgram> {
    const definition = definitionOf(input.program)
    const facts = factsOf(input.model, key)
    const { text, base, written, isOurs } = await planned(definition, file, row, facts)
    const id = row?.id ?? randomUUID()
    const former = row && (await readUndo(row.id))
    if (!row && file.bytes) await keepOriginal(id, file)
    await writeUndo(id, {
      base: isOurs && base.trim() === '' ? null : base,
      before: written.map(({ before }) => before),
    })
    const saved: StoredProgram = {
      ...input,
      id,
      file: file.path,
      baseUrl: facts.baseUrl,
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

  async function shown(row: StoredProgram): Promise<ConnectedProgram> {
    const [found] = await findPrograms([definitionOf(row.program)], await machine())
    const { entries: _, writtenHash: _hash, baseUrl: _url, ...rest } = row
    return { ...rest, ...(await stateOf(row, found?.isInstalled === true)) }
  }

  async function previewOf(file: ConfigFile, plan: Promise<Edited & { isOurs: boolean }>): Promise<FilePreview> {
    const { diff } = await plan
    return { file: file.path, exists: file.bytes !== null, diff, seen: file.seen }
  }

  return {
    async list(): Promise<{ programs: Program[]; connected: ConnectedProgram[] }> {
      const here = await machine()
      const found = await findPrograms(definitions, here)
      const programs = definitions.map((definition, index) => programOf(definition, found[index], here))
      const connected: ConnectedProgram[] = []
      for (const row of table.all()) {
        const program = programs.find(({ id }) => id === row.program)
        const { entries: _, writtenHash: _hash, baseUrl: _url, ...rest } = row
        connected.push({ ...rest, ...(await stateOf(row, program?.installed === true)) })
      }
      return { programs, connected }
    },

    async steps(input: {
      program: ProgramId
      baseUrl: string
      key: string
      model: string
    }): Promise<{ steps: ProgramStep[] }> {
      const definition = definitionOf(input.program)
      const facts = { ...factsOf(input.model, input.key), baseUrl: input.baseUrl }
      const { file } = await findFile(definition, await machine())
      return { steps: stepsOf(definition, facts, file === null ? null : homeless(file, options.machine)) }
    },

    /** @throws StudioError `bad_input`, `not_writable` */
    async preview(input: Omit<ConnectInput, 'appId'>): Promise<FilePreview> {
      const definition = definitionOf(input.program)
      const file = await targetOf(definition)
      const row = table.ofFile(file.path)
      return previewOf(file, planned(definition, file, row, factsOf(input.model, shownKey)))
    },

    /** @throws StudioError `bad_input`, `no_such_item`, `not_writable`, `disk_full`, `busy` */
    async connect({
      key,
      seen,
      ...input
    }: ConnectInput & { key: string | null; seen: string }): Promise<ConnectedProgram> {
      const { revokedAt, name } = app(input.appId)
      if (revokedAt !== null)
        throw new StudioError('bad_input', `The app key of ${name} was revoked. Add the app again.`)
      const definition = definitionOf(input.program)
      const file = await targetOf(definition)
      if (file.seen !== seen) throw changedSince(file.path)
      const row = table.ofFile(file.path)
      const known = key ?? (row && (await keyIn(file, row)).key)
      if (known === null && definition.keyPlace === 'file') {
        throw new StudioError(
          'bad_input',
          `The app key of ${name} is stored only as a hash. Replace the key, then connect ${nameOf(definition)}.`,
        )
      }
      return shown(await writeConnection(file, row, input, known ?? ''))
    },

    /** @throws StudioError as `preview` */
    async previewDisconnect({ id }: { id: string }): Promise<FilePreview> {
      const row = rowOf(id)
      const file = await readConfigFile(row.file)
      return previewOf(file, planned(definitionOf(row.program), file, row, null))
    },

    /** @throws StudioError as `connect` */
    async disconnect({ id, seen }: { id: string; seen: string }): Promise<{ left: string[] }> {
      const row = rowOf(id)
      const file = await readConfigFile(row.file)
      if (file.seen !== seen) throw changedSince(file.path)
      let left: string[] = []
      if (file.bytes) {
        const result = await planned(definitionOf(row.program), file, row, null)
        left = result.left
        if (result.isOurs && result.isEmpty) await deleteConfigFile(file)
        else if (result.text !== decoded(file.bytes)) await replaceConfigFile(file, Buffer.from(result.text))
      }
      await forget(id)
      return { left }
    },

    /** Writes the present address, and a new key of an app. Never throws for one file. */
    async rewrite({ appId, key }: { appId: string | null; key: string | null }) {
      const written: string[] = []
      const failed: { id: string; problem: Problem }[] = []
      for (const row of table.all().filter((one) => appId === null || one.appId === appId)) {
        try {
          const file = await readConfigFile(row.file)
          const now = await keyIn(file, row)
          if (!now.isComplete) {
            throw new StudioError(
              'bad_input',
              `${row.file} was changed: the lines of Inference Studio are gone. Connect the program again.`,
            )
          }
          await writeConnection(file, row, row, key ?? now.key ?? '')
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

/** The texts for a person: the same entries that Connect writes, as they are in a file that has nothing else. */
export function stepsOf(definition: ProgramDefinition, facts: ProgramFacts, file: string | null): ProgramStep[] {
  const rest = definition.steps(facts).map((step) => ({ ...step, file: null }))
  if (!definition.file) return rest
  const { format, about, entries } = definition.file
  const text = writeEntries(format, '', entries(facts)).text.trimEnd()
  return [{ about, language: format === 'dotenv' ? 'sh' : format, file, text }, ...rest]
}

function programOf(
  definition: ProgramDefinition,
  found: Awaited<ReturnType<typeof findPrograms>>[number] | undefined,
  { env }: Machine,
): Program {
  const { id, keyPlace, overrides, trial } = definition
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
    takesEffect: definition.file?.takesEffect ?? 'nextSession',
    overrides: [
      ...variables,
      ...overrides.files.map((file) => ({ kind: 'projectFile' as const, name: file, isSet: false })),
    ],
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
