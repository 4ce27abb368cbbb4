import { randomUUID } from 'node:crypto'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { OutboxState } from '../../../../src-preload/contract/outbox.ts'
import { cutBefore } from '../../../helpers/cut.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'

/** The whole core, with a network that the test interrupts. */
async function studio() {
  const sandbox = await startSandbox()
  const cut = await cutBefore(sandbox.baseUrl)
  const [dataDir, secrets] = [freshFolder(), memorySecrets()]
  let core: Core = await createCore(testHost(dataDir, secrets).host)
  onTestFinished(async () => {
    await core.stop()
    await cut.close()
    await sandbox.close()
  })
  await core.connection.login({ baseUrl: cut.url, key: sandbox.apiKey })
  const feature = {
    sandbox,
    cut,
    dataDir,
    core: () => core,
    client: createRouterClient(core.router),
    async restart() {
      await core.stop()
      core = await createCore(testHost(dataDir, secrets).host)
      feature.client = createRouterClient(core.router)
    },
    async until(wished: (now: OutboxState) => boolean): Promise<OutboxState> {
      for await (const now of await feature.client.outbox.watch()) if (wished(now)) return now
      throw new Error('The queue ended before what was waited for.')
    },
    posts: () => sandbox.observe.requests().filter(({ method }) => method === 'POST'),
  }
  return feature
}

const picture = { prompt: 'A fox', n: 2, model: null, size: null, responseFormat: 'b64_json' }
const words = { text: 'The tide is in.', model: null, voice: null, format: 'wav' as const, speed: null }
const heard = { model: null, language: null, prompt: null, format: null, temperature: null }

it('requests made without a network survive a restart and are sent one after another when the service is back', {
  tags: 'long',
}, async () => {
  const feature = await studio()
  const { id: speechId } = await feature.client.speech.generate({ requestId: randomUUID(), ...words })
  await feature.until(() => true)
  for await (const change of await feature.client.speech.watch()) {
    if (change.type === 'snapshot' && change.speeches.some(({ state }) => state === 'done')) break
    if (change.type === 'speech' && change.speech.state === 'done') break
  }
  const recording = await feature.client.transcription.addSpeech({ speechId })
  const before = feature.posts().length

  await feature.cut.set('refuse')
  await feature.client.connection.retest()
  expect(feature.core().state().connection).toMatchObject({ state: 'failed', offline: { since: expect.any(String) } })
  await feature.client.outbox.add({ requestId: randomUUID(), request: { what: 'images', ...picture } })
  await feature.client.outbox.add({ requestId: randomUUID(), request: { what: 'speech', ...words } })
  await feature.client.outbox.add({
    requestId: randomUUID(),
    request: { what: 'transcript', ...heard, recordingId: recording.id },
  })
  const dropped = await feature.client.outbox.add({
    requestId: randomUUID(),
    request: { what: 'images', ...picture, prompt: 'Never' },
  })
  await feature.client.outbox.cancel({ id: dropped.id })

  await feature.restart()
  const { items } = await feature.until(({ items }) => items.length === 3)
  expect(items).toMatchObject([
    { what: 'images', label: 'A fox', amount: 2, state: 'waiting', here: true },
    { what: 'speech', label: 'The tide is in.', amount: 15 },
    { what: 'transcript', label: recording.name, recordingId: recording.id },
  ])
  expect(feature.posts()).toHaveLength(before)

  await feature.cut.set('open')
  await feature.client.connection.testIfOffline()
  const { ended, items: left } = await feature.until(({ ended }) => ended !== null)
  expect(left).toEqual([])
  expect(ended).toMatchObject({ done: 3, failed: 0, last: { what: 'transcript' } })
  const sent = feature.posts().slice(before)
  expect(sent.map(({ path }) => path)).toEqual([
    '/v1/images/generations',
    '/v1/audio/speech',
    '/v1/audio/transcriptions',
  ])
  for (const [index, { startedAt }] of sent.entries()) {
    expect(startedAt).toBeGreaterThanOrEqual(sent[index - 1]?.endedAt ?? 0)
  }
  // The items exist in their features, with their cost, as if they were requested now.
  expect((await feature.client.images.find({ search: 'fox' })).images).toHaveLength(2)
  const { transcripts } = await feature.client.transcription.get({ id: recording.id })
  expect(transcripts).toMatchObject([{ state: 'done', cost: expect.any(String) }])
})

it('a failed request can be queued only if no part of it was sent', { tags: 'long' }, async () => {
  const feature = await studio()
  const failed = async (model: string | null = null) => {
    const { id } = await feature.client.images.generate({ requestId: randomUUID(), ...picture, model })
    for await (const change of await feature.client.images.watch()) {
      const drawings = change.type === 'snapshot' ? change.drawings : change.type === 'drawing' ? [change.drawing] : []
      const over = drawings.find((one) => one.id === id && one.state === 'failed')
      if (over) return over
    }
    return expect.unreachable()
  }
  await feature.cut.set('refuse')
  const unsent = await failed()
  expect(unsent.problem).toMatchObject({ kind: 'connect_failed', unsent: true })
  const item = await feature.client.outbox.requeue({ what: 'images', id: unsent.id })
  expect(item).toMatchObject({ label: 'A fox', amount: 2 })
  for await (const change of await feature.client.images.watch()) {
    if (change.type !== 'snapshot') continue
    expect(change.drawings).toEqual([])
    break
  }
  // A second time is refused.
  await expect(feature.client.outbox.requeue({ what: 'images', id: unsent.id })).rejects.toMatchObject({
    data: { kind: 'bad_input' },
  })
  await feature.client.outbox.hold({ id: item.id, held: true })

  await feature.cut.set('open')
  const maybe = await failed('fault/reset-before-headers')
  expect(maybe.problem).not.toHaveProperty('unsent')
  await expect(feature.client.outbox.requeue({ what: 'images', id: maybe.id })).rejects.toMatchObject({
    data: { kind: 'bad_input' },
  })
  await feature.client.connection.retest()
  // A held request stays although the service is reachable.
  expect(feature.core().state().connection.state).toBe('connected')
  expect((await feature.until(() => true)).items).toMatchObject([{ id: item.id, state: 'held' }])
  await feature.client.outbox.hold({ id: item.id, held: false })
  expect((await feature.until(({ ended }) => ended !== null)).ended).toMatchObject({ done: 1, failed: 0 })
})

it('a request that cannot start shows its reason and does not block others', { tags: 'long' }, async () => {
  const feature = await studio()
  await feature.cut.set('refuse')
  await feature.client.connection.retest()
  const recordingId = '00000000-0000-4000-8000-000000000000'
  await feature.client.outbox.add({ requestId: randomUUID(), request: { what: 'transcript', ...heard, recordingId } })
  await feature.client.outbox.add({ requestId: randomUUID(), request: { what: 'images', ...picture } })
  await expect(
    feature.client.outbox.add({ requestId: randomUUID(), request: { what: 'images', ...picture, prompt: ' ' } }),
  ).rejects.toMatchObject({
    data: { kind: 'bad_input' },
  })
  await feature.cut.set('open')
  await feature.client.connection.testIfOffline()
  const { items, ended } = await feature.until(({ ended }) => ended !== null)
  expect(items).toMatchObject([{ what: 'transcript', state: 'failed', problem: { kind: 'no_such_item' } }])
  expect(ended).toMatchObject({ done: 1, failed: 1 })
})
