import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { freshFolder, testHost } from '../helpers/core.ts'

/** A whole core with a sandbox whose key has one slot. */
async function studio() {
  const sandbox = await startSandbox()
  const core = await createCore(testHost(freshFolder()).host)
  onTestFinished(async () => {
    await core.stop()
    await sandbox.close()
  })
  await core.connection.login({ baseUrl: sandbox.baseUrl, key: sandbox.keys.oneAtATime })
  return { sandbox, client: createRouterClient(core.router) }
}

/** The states of `id` in an event, alone or in a list of a snapshot. */
function statesOf(id: string, reported: unknown): unknown[] {
  if (typeof reported !== 'object' || reported === null) return []
  const own = Reflect.get(reported, 'id') === id ? [Reflect.get(reported, 'state')] : []
  return [...own, ...Object.values(reported).flatMap((inner) => statesOf(id, inner))]
}

/** The final state of a job. */
async function ending(changes: AsyncIterable<unknown>, { id }: { id: string }): Promise<unknown> {
  for await (const change of changes) {
    const over = statesOf(id, change).find((state) => state !== 'making')
    if (over !== undefined) return over
  }
  throw new Error('The changes ended before it did.')
}

const inference = new Set(['/v1/audio/speech', '/v1/audio/transcriptions', '/v1/images/generations'])

it('speech, transcripts and images wait in one queue, and each of their requests has its row [LIM-05] [AUTH-01]', async () => {
  const { sandbox, client } = await studio()
  const wishOf = (text: string) => ({
    requestId: randomUUID(),
    text,
    model: null,
    voice: null,
    format: 'wav' as const,
    speed: null,
  })
  const first = await client.speech.generate(wishOf('The harbour is quiet.'))
  expect(await ending(await client.speech.watch(), first)).toBe('done')
  const recording = await client.transcription.addSpeech({ speechId: first.id })

  // Simultaneously a speech, a transcript and two drawings, one of which the service delays.
  const drawing = (model: string | null) =>
    client.images.generate({
      requestId: randomUUID(),
      prompt: 'A harbour',
      n: 2,
      model,
      size: null,
      responseFormat: null,
    })
  const none = { model: null, language: null, prompt: null, format: null, temperature: null }
  const [late, speech, transcript, last] = await Promise.all([
    drawing('fault/slow-headers'),
    client.speech.generate(wishOf('The tide is in.')),
    client.transcription.transcribe({ requestId: randomUUID(), recordingId: recording.id, ...none }),
    drawing(null),
  ])
  const ends = await Promise.all([
    client.images.watch().then((changes) => ending(changes, late)),
    client.speech.watch().then((changes) => ending(changes, speech)),
    client.transcription.watch().then((changes) => ending(changes, transcript)),
    client.images.watch().then((changes) => ending(changes, last)),
  ])
  expect(ends).toEqual(['done', 'done', 'done', 'done'])

  const heard = sandbox.observe.requests()
  const worked = heard.filter(({ path }) => inference.has(path))
  expect(new Set(worked.map(({ path }) => path))).toEqual(inference)
  expect(worked.map(({ status }) => status)).toEqual(Array(worked.length).fill(200))
  const inOrder = worked.toSorted((a, b) => a.startedAt - b.startedAt)
  for (const [at, { startedAt }] of inOrder.entries()) {
    expect(startedAt).toBeGreaterThanOrEqual(inOrder[at - 1]?.endedAt ?? 0)
  }

  const { rows } = await client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 1000 })
  const lines = (all: { method: string; path: string }[]) =>
    all.flatMap(({ method, path }) => (/^\/v1\/(audio|images)\//.test(path) ? `${method} ${path}` : [])).sort()
  expect(lines(rows)).toEqual(lines(heard))
  const featuresOf = (path: string) =>
    new Set(rows.filter((row: RequestRow) => row.path.startsWith(path)).map(({ who }) => JSON.stringify(who)))
  expect(featuresOf('/v1/audio/speech')).toEqual(new Set(['{"kind":"studio","feature":"speech"}']))
  expect(featuresOf('/v1/audio/transcriptions')).toEqual(new Set(['{"kind":"studio","feature":"transcribe"}']))
  // The files of the images too.
  expect(featuresOf('/v1/images/')).toEqual(new Set(['{"kind":"studio","feature":"images"}']))
  expect(rows.filter(({ endpoint }) => endpoint === 'files')).toHaveLength(4)
})
