import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { speechFormat, voices } from '../../../../src-preload/contract/speech.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { AppMedia, MadeItem, MediaCall, Via, ViaRequest } from '../../ports/appMedia.ts'
import type { Allowance, RequestLog, RequestTrace } from '../../ports/requests.ts'
import { wholeCharacters } from '../dialects/wholeCharacters.ts'
import type { RequestFileTexts } from '../proxy/fileTexts.ts'
import { openInput, readInput, writeOutput } from './folders.ts'

/** Largest document that is read, bytes. It is held in memory once. */
const maxDocument = 64 * 1024 * 1024
/** Largest file that is transcribed, bytes. It is streamed. */
const maxSound = 1024 * 1024 * 1024
/** Largest files of one result that are sent with it, bytes together. Others are named. */
const maxContent = 6 * 1024 * 1024
/** Text of a document that one call returns, characters. Agents refuse results that are too long for their model. */
const usualText = 40_000
const maxText = 200_000
/** Longest reply about models that is read, bytes. */
const maxModels = 4 * 1024 * 1024

/** What the tools use. */
export interface ToolsDependencies {
  media: AppMedia
  fileTexts: RequestFileTexts
  allowance: Allowance
  requestLog: RequestLog
  /** Activity and spend of an app. */
  use(app: App): AppUse
  /** Folder for a copy of a file while it is moved into the gallery. */
  tempDir: string
}

/** One call of a tool. */
export interface StudioToolRun extends MediaCall {
  app: App
  via: Via
}

type Content = { type: 'text'; text: string } | { type: 'image' | 'audio'; data: string; mimeType: string }

/** A tool of the MCP server. */
export interface StudioTool<T extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  /** For the model that decides whether to call it. */
  description: string
  input: T
  /** Whether it changes nothing and costs nothing. */
  isReadOnly: boolean
  /** @throws StudioError */
  run(input: z.infer<T>, run: StudioToolRun): Promise<Content[]>
}

/** Keeps the type of `input` inside `run`. */
const tool = <T extends z.ZodObject>(one: StudioTool<T>): StudioTool => ({
  ...one,
  run: (input, run) => one.run(one.input.parse(input), run),
})

const path = z.string().max(4096).describe('Whole path of a file below a folder that a person allowed for this app.')
const base64 = z.string().describe('Content of the file in base64, in place of a path.')
const fileName = z
  .string()
  .max(300)
  .describe('File name, with base64. Its ending tells the format of text files and audio.')
const model = z.string().max(200).describe('Model of the service. Leave it out for the usual one.')

/** All tools, in the order of the list. */
export function studioTools(dependencies: ToolsDependencies): StudioTool[] {
  const { media, fileTexts, use, tempDir } = dependencies
  return [
    tool({
      name: 'speak',
      title: 'Speak a text',
      description:
        'Turns a text of any length into speech and returns the audio. It is stored in the gallery of Inference Studio, and in the folder that a person chose for this app.',
      input: z.object({
        text: z.string().min(1).max(100_000),
        voice: z
          .string()
          .max(100)
          .describe(`A voice of the service, such as ${voices.join(', ')}.`)
          .optional(),
        model: model.optional(),
        format: speechFormat.exclude(['pcm']).default('mp3'),
        speed: z.number().min(0.25).max(4).optional(),
      }),
      isReadOnly: false,
      async run({ text, voice = null, model: named = null, format, speed = null }, run) {
        const request = { text, voice, model: named, format, speed, pcmRate: 24_000 }
        return madeContent(run.app, await media.speech(makerOf(run), request, run))
      },
    }),
    tool({
      name: 'generate_image',
      title: 'Generate an image',
      description:
        'Generates one to four images from a description and returns them. They are stored in the gallery of Inference Studio, and in the folder that a person chose for this app.',
      input: z.object({
        prompt: z.string().min(1).max(100_000),
        n: z.number().int().min(1).max(4).default(1).describe('Number of images.'),
        model: model.optional(),
      }),
      isReadOnly: false,
      async run({ prompt, n, model: named = null }, run) {
        const request = { prompt, n, model: named, size: null, responseFormat: null }
        return madeContent(run.app, await media.image(makerOf(run), request, run))
      },
    }),
    tool({
      name: 'transcribe',
      title: 'Transcribe audio',
      description:
        'Turns speech in an audio file into text. Give one of path, base64 and gallery_id. The file and its transcript are stored in Inference Studio.',
      input: z.object({
        path: path.optional(),
        base64: base64.optional(),
        gallery_id: z.string().max(100).describe('Id of a speech or recording in Inference Studio.').optional(),
        file_name: fileName.optional(),
        model: model.optional(),
        language: z.string().max(100).describe('Language of the speech, such as en.').optional(),
        prompt: z.string().max(10_000).describe('Names and words that occur in it.').optional(),
      }),
      isReadOnly: false,
      async run({ model: named = null, language = null, prompt = null, ...input }, run) {
        const request = { model: named, language, prompt, format: null, temperature: null }
        const { gallery_id: id } = onlyOne(input)
        if (id !== undefined) return transcribed(await media.transcript(makerOf(run), { id }, request, run))
        const copy = join(tempDir, `${randomUUID()}.sound`)
        try {
          const { name, bytes } = await copyInput(run, input, copy)
          const source = { path: copy, name, bytes }
          return transcribed(await media.transcript(makerOf(run), source, request, run))
        } finally {
          await rm(copy, { force: true })
        }
      },
    }),
    tool({
      name: 'read_document',
      title: 'Read a document',
      description:
        'Returns the text of a PDF, Word, Excel, PowerPoint, OpenDocument, EPUB or HTML file, with a mark before each page, slide, sheet or chapter. Give path or base64. Costs nothing. Long texts come in pieces: call it again with the start that the result names.',
      input: z.object({
        path: path.optional(),
        base64: base64.optional(),
        file_name: fileName.optional(),
        start: z.number().int().min(0).default(0).describe('First character of the piece.'),
        length: z.number().int().min(1).max(maxText).default(usualText).describe('Most characters of the piece.'),
      }),
      isReadOnly: true,
      run: ({ start, length, ...input }, run) =>
        answeredHere(dependencies, run.app, 'read_document', 'other', async () => {
          onlyOne(input)
          const file = await readAny(run.app, input)
          const { text, problem } = await fileTexts.text(run.app.id, file, run.signal)
          if (problem !== null) throw new StudioError('bad_input', problem)
          return [{ type: 'text', text: pieceOf(text, start, length) }]
        }),
    }),
    tool({
      name: 'list_models',
      title: 'List models',
      description: 'Lists the models of the service that this app may use.',
      input: z.object({}),
      isReadOnly: true,
      async run(_, { app, via, signal }) {
        const request: ViaRequest = { method: 'GET', path: '/v1/models', headers: [], body: null }
        const { status, bytes } = await via(request, { signal })
        const reply = await textOf(bytes)
        if (status !== 200) throw failureOf(status, reply)
        const { data } = modelList.safeParse(readJson(reply)).data ?? {}
        if (!data) throw new StudioError('malformed_reply', 'The service’s reply is no list of models.')
        const ids = data.flatMap((one) => namedModel.safeParse(one).data?.id ?? [])
        const usable = ids.filter((id) => app.models?.includes(id) ?? true)
        return [{ type: 'text', text: usable.length === 0 ? 'The service lists no model.' : usable.join('\n') }]
      },
    }),
    tool({
      name: 'usage_and_limits',
      title: 'Usage and limits',
      description: 'Says what this app has spent, and its budgets and limits. SC are the credits of the service.',
      input: z.object({}),
      isReadOnly: true,
      run: (_, { app }) =>
        answeredHere(dependencies, app, 'usage_and_limits', 'account', () =>
          Promise.resolve([{ type: 'text', text: usageText(app, use(app)) }]),
        ),
    }),
  ]
}

const makerOf = ({ app, via }: StudioToolRun) => ({ app: app.name, via })

/** The files of an item, and what a person or a model wants to know of it. */
async function madeContent(app: App, { id, files, cost, costIs }: MadeItem): Promise<Content[]> {
  const lines: string[] = []
  const content: Content[] = []
  let left = maxContent
  for (const { path: stored, mime, name } of files) {
    const { size } = await stat(stored)
    const isSent = size <= left
    if (isSent) {
      left -= size
      const type = mime.startsWith('audio/') ? ('audio' as const) : ('image' as const)
      content.push({ type, data: await readFile(stored, 'base64'), mimeType: mime })
    }
    lines.push(await savedLine(app, stored, name, `${Math.ceil(size / 1000)} kB`))
    if (!isSent) lines.push('It is too large to be sent with this result.')
  }
  lines.push(`Gallery id: ${id}`)
  lines.push(cost === null ? 'Cost: unknown' : `Cost: ${cost} SC${costIs === 'measured' ? '' : ' (estimated)'}`)
  return [{ type: 'text', text: lines.join('\n') }, ...content]
}

/** What was made is paid for and in the gallery, so a folder that can't be written to is no failure of the call. */
async function savedLine({ toolOutput }: App, from: string, name: string, size: string): Promise<string> {
  if (toolOutput === null) return `${name} (${size})`
  try {
    return `Saved: ${await writeOutput(toolOutput, from, name)} (${size})`
  } catch (thrown) {
    return `${name} (${size}). ${asStudioError(thrown).message}`
  }
}

function transcribed({ id, text, cost }: MadeItem & { text: string }): Content[] {
  const spent = cost === null ? 'Cost: unknown' : `Cost: ${cost} SC`
  return [
    { type: 'text', text: text === '' ? 'The service heard no words.' : text },
    { type: 'text', text: `Gallery id: ${id}\n${spent}` },
  ]
}

interface FileInput {
  path?: string | undefined
  base64?: string | undefined
  file_name?: string | undefined
}

function onlyOne<T extends FileInput & { gallery_id?: string | undefined }>(input: T): T {
  const given = [input.path, input.base64, input.gallery_id].filter((one) => one !== undefined)
  if (given.length !== 1) throw new StudioError('bad_input', 'Give exactly one file.')
  return input
}

/** @throws StudioError `bad_input` */
async function readAny({ toolInputs }: App, { path: named, ...input }: FileInput) {
  if (named !== undefined) return readInput(toolInputs, named, maxDocument)
  return { name: input.file_name ?? '', bytes: decoded(input.base64 ?? '') }
}

/** Copies a file, so that it can be moved into the gallery. */
async function copyInput(
  { app: { toolInputs }, signal }: StudioToolRun,
  { path: named, ...input }: FileInput,
  to: string,
): Promise<{ name: string; bytes: number }> {
  if (named === undefined) {
    const bytes = decoded(input.base64 ?? '')
    await writeFile(to, bytes, { flag: 'wx', mode: 0o600 })
    return { name: input.file_name ?? 'audio', bytes: bytes.length }
  }
  const { handle, name, bytes } = await openInput(toolInputs, named, maxSound)
  try {
    // Never more than was checked, even when the file grows meanwhile. An empty one is refused by the gallery.
    if (bytes === 0) throw new StudioError('bad_input', `${named} is empty.`)
    const from = handle.createReadStream({ end: bytes - 1, autoClose: false })
    await pipeline(from, createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal })
    return { name, bytes }
  } finally {
    await handle.close()
  }
}

/** Clients send a data URL here too. */
function decoded(text: string): Buffer {
  const content = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length === 0) throw new StudioError('bad_input', 'This base64 has no content.')
  return bytes
}

function pieceOf(text: string, start: number, length: number): string {
  const whole = wholeCharacters(text.slice(start, start + length))
  // A piece of one unit may be half of a character.
  const piece = whole.text === '' ? text.slice(start, start + length + 1).toWellFormed() : whole.text
  const end = start + piece.length
  if (piece === '') return `The text ends at character ${text.length}.`
  return end >= text.length
    ? piece
    : `${piece}\n\n[Characters ${start} to ${end} of ${text.length}. Next: start ${end}.]`
}

const modelList = z.object({ data: z.array(z.unknown()) })
const namedModel = z.object({ id: z.string() })

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxModels) throw new StudioError('malformed_reply', 'The service’s list of models is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const errorReply = z.object({ error: z.object({ message: z.string() }) })

/** The words of a failed reply, which are the relay's or the service's. */
function failureOf(status: number, reply: string): StudioError {
  const { data } = errorReply.safeParse(readJson(reply))
  return new StudioError('unexpected_status', data?.error.message ?? `The service answered with status ${status}.`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Answers a call from this computer, with the app's limits and a row in the log. It costs nothing, so no budget refuses it. */
async function answeredHere<T>(
  { allowance, requestLog }: ToolsDependencies,
  app: App,
  name: string,
  endpoint: Endpoint,
  answer: () => Promise<T>,
): Promise<T> {
  const reservation = allowance.begin(app, endpoint, true)
  const [method, where] = ['POST', `/mcp/${name}`]
  if ('status' in reservation) {
    const { status, code, message } = reservation
    requestLog.refused({ appId: app.id, from: app.name, method, path: where, status, code, message })
    throw new StudioError('forbidden', message)
  }
  const requester = { kind: 'app', id: app.id, failFast: app.failFast } as const
  const open = { requester, method, path: where, endpoint, model: null, stream: false, logBodies: false }
  try {
    return await recorded(requestLog.open(open), answer)
  } finally {
    reservation.settle(null)
  }
}

async function recorded<T>(trace: RequestTrace, answer: () => Promise<T>): Promise<T> {
  try {
    if (trace.written) await trace.written
    const result = await answer()
    trace.replied(200, null)
    trace.ends({ state: 'done' }, null)
    return result
  } catch (thrown) {
    const { kind, message } = asStudioError(thrown)
    if (kind === 'cancelled') trace.ends({ state: 'cancelled', by: 'app' }, null)
    else trace.ends({ state: 'failed', problem: { kind, message } }, null)
    throw thrown
  }
}

const windows = [
  ['today (UTC)', 'spentDay', 'budgetDay'],
  ['this month (UTC)', 'spentMonth', 'budgetMonth'],
  ['in total', 'spentTotal', 'budgetTotal'],
] as const

function usageText(app: App, use: AppUse): string {
  const spent = windows.map(([when, spentKey, budgetKey]) => {
    const budget = app[budgetKey]
    return `Spent ${when}: ${use[spentKey]} SC${budget === null ? ', no budget' : ` of ${budget} SC`}`
  })
  const limits = [
    ['Requests a minute', app.requestsPerMinute],
    ['Tokens a minute', app.tokensPerMinute],
    ['Requests at once', app.concurrent],
  ].map(([what, most]) => `${what}: ${most ?? 'no limit'}`)
  return [
    ...spent,
    ...(use.estimated ? ['These figures are partly estimates.'] : []),
    `Requests today: ${use.requestsToday}`,
    ...limits,
    `Models: ${app.models?.join(', ') ?? 'all'}`,
    `Endpoints: ${app.endpoints?.join(', ') ?? 'all'}`,
  ].join('\n')
}
