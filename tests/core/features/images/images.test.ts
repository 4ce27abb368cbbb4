import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { expect, onTestFinished, test } from 'vitest'
import { fileNameOf } from '../../../../src-main/core/features/images/saveImages.ts'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { openUpstream, type Upstream } from '../../../../src-main/core/upstream/client.ts'
import { Credential } from '../../../../src-main/core/upstream/credential.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'
import { killedAfter } from '../../helpers/killed.ts'
import { readDownload, uploadFile } from '../../helpers/transfers.ts'
import { canary, json, readBody, serve } from '../../upstream/helpers/service.ts'
import { gifHead, jpg, png, pngClaim, webp, webpHead } from '../media/pictures.ts'
import { changesUntil, ended, type Feature, openImages, wish } from './helpers.ts'

async function sandbox(): Promise<Upstream> {
  const service = await startSandbox()
  const upstream = openClient(service.baseUrl, service.apiKey)
  onTestFinished(async () => {
    await upstream.close()
    await service.close()
  })
  return upstream
}

/** The feature with a service that answers image requests with `data`, and serves `files` below `/files/`. */
async function featureAt(data: (url: string) => unknown, files: Record<string, Buffer> = {}) {
  const service = await serve((request, response) => {
    const file = files[request.url?.replace('/files/', '') ?? '']
    if (file) response.end(file)
    else if (request.url === '/v1/images/generations') json(response, 200, { created: 1, data: data(service.url) })
    else json(response, 404, {})
  })
  return { ...openImages(async () => service.upstream), service }
}

const files = ({ dataDir }: Pick<Feature, 'dataDir'>): string[] => readdirSync(join(dataDir, 'media'))

test('[IMG-03] images given by URL are fetched with the key and stored, each as a file, a row and a slot', {
  tags: 'long',
}, async () => {
  const upstream = await sandbox()
  const feature = openImages(async () => upstream)
  const made = await feature.images.make(wish({ n: 4 }))
  expect(made).toMatchObject({ state: 'making', n: 4, prompt: 'A harbour at dawn', tookMs: null })
  const drawing = await ended(feature, made)
  expect(drawing).toMatchObject({ state: 'done', problem: null, cost: '0.04', costIs: 'estimated' })
  expect(drawing.slots.map(({ state, address }) => [state, address])).toEqual(Array(4).fill(['kept', null]))
  expect(drawing.rows.length).toBe(5)
  expect(drawing.tookMs).toBeGreaterThan(0)
  const { images } = feature.images.find({ search: '', favourites: false })
  expect(new Set(images.map(({ id }) => id))).toEqual(new Set(drawing.slots.map(({ imageId }) => imageId)))
  for (const { mediaId, mime, width, height, bytes } of images) {
    expect([mime, [1024, 768].includes(width), [1024, 768].includes(height)]).toEqual(['image/png', true, true])
    expect(readFileSync(join(feature.dataDir, 'media', mediaId))).toHaveLength(bytes)
  }
})

test('[IMG-03] images given as base64 are stored without another request', async () => {
  const upstream = await sandbox()
  const feature = openImages(async () => upstream)
  const drawing = await ended(feature, await feature.images.make(wish({ n: 2, responseFormat: 'b64_json' })))
  expect([drawing.state, drawing.rows.length, files(feature).length]).toEqual(['done', 1, 2])
})

test('[IMG-03] with both, the bytes are used, or the URL if the bytes are invalid', async () => {
  const b64 = png(9, 9).toString('base64')
  const feature = await featureAt(
    (url) => [
      { b64_json: b64, url: `${url}/files/never.png` },
      { b64_json: '!!not base64!!', url: `${url}/files/a.jpg` },
      { b64_json: Buffer.from('text').toString('base64'), url: '/files/a.jpg?x=1' },
    ],
    { 'a.jpg': jpg(7, 5), 'a.jpg?x=1': jpg(5, 7) },
  )
  const drawing = await ended(feature, await feature.images.make(wish({ n: 3 })))
  expect(drawing.slots.map(({ state }) => state)).toEqual(['kept', 'kept', 'kept'])
  const sizes = feature.images
    .find({ search: '', favourites: false })
    .images.map(({ width, height }) => [width, height])
  expect(sizes).toContainEqual([9, 9])
  expect(sizes).toContainEqual([7, 5])
  expect(sizes).toContainEqual([5, 7])
  expect(feature.service.requests.map(({ url }) => url)).not.toContain('/files/never.png')
})

test('[GEN-01] a URL on another host is not fetched; its slot has the reason, and shows the URL without the key', async () => {
  const elsewhere = await serve((_request, response) => response.end(png(3, 3)))
  const feature = await featureAt((url) => [
    { url: `${elsewhere.url}/a.png?key=${encodeURIComponent(canary)}&${canary}` },
    { url: `${url}@evil.example/a.png` },
    { url: 'javascript:alert(1)' },
    { url: `${url}/files/a.png` },
  ])
  const drawing = await ended(feature, await feature.images.make(wish({ n: 4 })))
  expect(drawing).toMatchObject({ state: 'failed', problem: { kind: 'foreign_address' } })
  for (const slot of drawing.slots.slice(0, 3)) {
    expect(slot).toMatchObject({ state: 'refused', imageId: null, problem: { kind: 'foreign_address' } })
  }
  expect(drawing.slots[0]?.address).toContain(`${elsewhere.url}/a.png`)
  expect(drawing.slots[3]).toMatchObject({ state: 'failed', address: `${feature.service.url}/files/a.png` })
  expect(JSON.stringify(drawing)).not.toContain(canary)
  expect([elsewhere.requests.length, files(feature)]).toEqual([0, []])
})

test('[GEN-01] no redirect is followed, even from the base address; its target receives no request', async () => {
  const elsewhere = await serve((_request, response) => response.end(png(3, 3)))
  const service = await serve((request, response) => {
    const at = Number(/^\/files\/(\d)/.exec(request.url ?? '')?.[1] ?? -1)
    const to = [`${elsewhere.url}/a.png`, `//${new URL(elsewhere.url).host}/a.png`, '/files/9.png'][at]
    if (at === 9) response.end(png(3, 3))
    else if (to !== undefined) response.writeHead([302, 307, 308][at] ?? 301, { location: to }).end(png(3, 3))
    else json(response, 200, { data: [0, 1, 2].map((one) => ({ url: `/files/${one}.png` })) })
  })
  const feature = openImages(async () => service.upstream)
  const drawing = await ended(feature, await feature.images.make(wish({ n: 3 })))
  expect(drawing.slots.map(({ state, problem }) => [state, problem?.kind])).toEqual(
    Array(3).fill(['failed', 'unexpected_status']),
  )
  expect(elsewhere.requests).toEqual([])
  expect(service.requests.map(({ url }) => url)).not.toContain('/files/9.png')
  expect(files(feature)).toEqual([])
})

test('[GEN-01] the sandbox’s own URL on another host is refused, and the URL is shown', async () => {
  const service = await startSandbox()
  onTestFinished(() => service.close())
  const base = parseBaseAddress(service.baseUrl, { allowInsecure: false })
  const upstream = openUpstream({ base, credential: Credential.fromText(service.apiKey) })
  onTestFinished(() => upstream.close())
  const feature = openImages(async () => ({
    ...upstream,
    createImage: (request, options) => upstream.createImage({ ...request, sandbox: { fault: 'foreign-url' } }, options),
  }))
  const drawing = await ended(feature, await feature.images.make(wish()))
  expect(drawing.slots[0]).toMatchObject({ state: 'refused', problem: { kind: 'foreign_address' } })
  expect(drawing.slots[0]?.address).toMatch(/^http:\/\/images\.example\/v1\/images\//)
})

test('bytes decide: a wrong type, a file that is no image, a too large one and a decompression bomb fail on their own', async () => {
  const large = Buffer.concat([png(2, 2), Buffer.alloc(20 * 1024 * 1024)])
  const feature = await featureAt(
    (url) => [
      { url: `${url}/files/page.png` },
      { url: `${url}/files/large.png` },
      { b64_json: pngClaim(60_000, 60_000).toString('base64') },
      { url: `${url}/files/lies.txt` },
    ],
    {
      'page.png': Buffer.from('<html><script>alert(1)</script>'),
      'large.png': large,
      'lies.txt': webp(),
    },
  )
  const drawing = await ended(feature, await feature.images.make(wish({ n: 4 })))
  expect(drawing.state).toBe('done')
  const words = drawing.slots.map(({ state, problem }) => [state, problem?.kind, problem?.message ?? ''])
  expect(words[0]).toEqual(['refused', 'malformed_reply', expect.stringMatching(/not an image/)])
  expect(words[1]).toEqual(['refused', 'malformed_reply', expect.stringMatching(/20 MB/)])
  expect(words[2]).toEqual(['refused', 'malformed_reply', expect.stringMatching(/60000 × 60000/)])
  const [kept] = feature.images.find({ search: '', favourites: false }).images
  expect(kept).toMatchObject({ mime: 'image/webp', width: 1, height: 1 })
  // The page and the bomb were paid for, so they are kept as files. The large one was not read to its end.
  expect(drawing.slots.map(({ fileId }) => fileId !== null)).toEqual([true, false, true, false])
  expect(files(feature)).toHaveLength(3)
})

test('[IMG-03] each entry is judged for itself: good images arrive, each bad entry is named once, and its bytes can be saved', async () => {
  const whole = png(40, 30, 7)
  const base64 = (bytes: Buffer) => ({ b64_json: bytes.toString('base64') })
  const data = [
    null,
    base64(whole),
    'text',
    base64(whole.subarray(0, 60)),
    { url: `data:image/jpeg;base64,${jpg(8, 8).toString('base64')}` },
    { b64_json: '!!no!!' },
  ]
  const feature = await featureAt(() => data)
  const drawing = await ended(feature, await feature.images.make(wish({ n: 2 })))
  expect(drawing).toMatchObject({ state: 'done', problem: null })
  expect(drawing.slots.map(({ state, problem }) => problem?.message ?? state)).toEqual([
    'The service returned neither an image nor its URL.',
    'kept',
    'The service returned neither an image nor its URL.',
    'The image is cut off after 60 bytes.',
    'kept',
    'The image’s base64 is invalid.',
  ])
  expect(drawing.inSight.count).toBe(2)
  expect(feature.images.find({ search: '', favourites: false }).images).toHaveLength(2)
  const [cut, text] = [drawing.slots[3]?.fileId ?? '', drawing.slots[5]?.fileId ?? '']
  const saved = await feature.images.save({ ids: [cut] })
  expect(saved.name).toBe('A harbour at dawn damaged.png')
  expect(await readDownload(feature.transfers, saved.downloadId)).toEqual(whole.subarray(0, 60))
  const other = await feature.images.save({ ids: [text] })
  expect(other.name).toBe('A harbour at dawn damaged base64.txt')
  expect((await readDownload(feature.transfers, other.downloadId)).toString()).toBe('!!no!!')
  const [snapshot] = await changesUntil(feature, () => true)
  expect(snapshot).toMatchObject({ total: 2 })
})

test('a request whose images are all damaged is failed, can be hidden, and is no image of any count', async () => {
  const feature = await featureAt(() => [{ b64_json: png(40, 30).subarray(0, 60).toString('base64') }])
  const drawing = await ended(feature, await feature.images.make(wish()))
  expect(drawing).toMatchObject({ state: 'failed', problem: { kind: 'malformed_reply' }, inSight: { count: 0 } })
  const [fileId] = drawing.slots.map((slot) => slot.fileId ?? '')
  await feature.media.drop(readdirSync(join(feature.dataDir, 'media')))
  expect(files(feature)).toHaveLength(1)
  feature.images.dismiss({ drawingId: drawing.id })
  await expect(feature.images.save({ ids: [fileId ?? ''] })).rejects.toMatchObject({ kind: 'no_such_item' })
})

test('a reply with status 200 and an error is failed with the words of the service', async () => {
  const error = { message: 'Prompt rejected by the safety system', code: 'content_policy_violation' }
  const service = await serve((_request, response) => json(response, 200, { error }))
  const feature = openImages(async () => service.upstream)
  const drawing = await ended(feature, await feature.images.make(wish({ n: 2 })))
  expect(drawing).toMatchObject({ state: 'failed', problem: { said: error.message, code: error.code } })
})

test('an endless image is cut off at 20 MB, and so is one that decompresses to more', { tags: 'long' }, async () => {
  const closed = Promise.withResolvers<void>()
  const piece = Buffer.alloc(1024 * 1024)
  const service = await serve((request, response) => {
    if (request.url === '/files/endless.png') {
      response.on('close', closed.resolve)
      const more = (): void => void response.write(piece)
      response.on('drain', more)
      more()
    } else if (request.url === '/files/bomb.png') {
      // 64 kB that decompress to 64 MB.
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    } else json(response, 200, { data: [{ url: '/files/endless.png' }, { url: '/files/bomb.png' }] })
  })
  const feature = openImages(async () => service.upstream)
  const drawing = await ended(feature, await feature.images.make(wish({ n: 2 })))
  await closed.promise
  for (const { state, problem } of drawing.slots) {
    expect([state, problem?.kind, problem?.message]).toEqual([
      'refused',
      'malformed_reply',
      expect.stringMatching(/20 MB/),
    ])
  }
  expect(files(feature)).toEqual([])
})

test('[GEN-02] fewer images than requested, none, and replies without data give a message and no invented image', async () => {
  for (const [data, states] of [
    [[{ b64_json: png(4, 4).toString('base64') }], ['kept', 'refused']],
    [
      [{}, { url: null, b64_json: '' }],
      ['refused', 'refused'],
    ],
    [undefined, ['refused', 'refused']],
  ] as const) {
    const feature = await featureAt(() => data)
    const drawing = await ended(feature, await feature.images.make(wish({ n: 2 })))
    expect(drawing.slots.map(({ state }) => state)).toEqual(states)
    expect(drawing.slots.at(-1)?.problem?.message).toMatch(/fewer|neither/)
    expect(drawing.state).toBe(states[0] === 'kept' ? 'done' : 'failed')
  }
})

test('[IMG-01] [IMG-02] unset options are not sent, and set ones are sent unchanged', async () => {
  const bodies: unknown[] = []
  const service = await serve((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(JSON.parse(body.toString()))
      json(response, 200, { data: [] })
    })
  })
  const feature = openImages(async () => service.upstream)
  await ended(feature, await feature.images.make(wish()))
  await ended(feature, await feature.images.make(wish({ n: 4, model: 'm', size: '1x1', responseFormat: 'url' })))
  expect(bodies).toEqual([
    { prompt: 'A harbour at dawn', n: 1 },
    { prompt: 'A harbour at dawn', n: 4, model: 'm', size: '1x1', response_format: 'url' },
  ])
  await expect(feature.images.make(wish({ prompt: ' \n' }))).rejects.toMatchObject({ kind: 'bad_input' })
})

test('a refusal of the service is stored with the request, which can be hidden; a request with images cannot', async () => {
  const service = await serve((_request, response) => json(response, 402, { error: { message: 'No credits.' } }))
  const feature = openImages(async () => service.upstream)
  const drawing = await ended(feature, await feature.images.make(wish()))
  expect(drawing).toMatchObject({ state: 'failed', problem: { kind: 'insufficient_credits', status: 402 } })
  expect(drawing.slots[0]).toMatchObject({ state: 'failed' })
  feature.images.dismiss({ drawingId: drawing.id })
  const [snapshot] = await changesUntil(feature, () => true)
  expect(snapshot).toEqual({ type: 'snapshot', drawings: [], total: 0 })
  const kept = await featureAt(() => [{ b64_json: png(4, 4).toString('base64') }])
  const good = await ended(kept, await kept.images.make(wish()))
  expect(() => kept.images.dismiss({ drawingId: good.id })).toThrow(/has images/)
})

test('cancelled after one image of two: it ends at once, the request is closed and the image stays', async () => {
  const closed = Promise.withResolvers<void>()
  const service = await serve((request, response) => {
    if (request.url === '/files/1.png') response.end(png(6, 6))
    else if (request.url === '/files/2.png') {
      response.writeHead(200).write(png(6, 6).subarray(0, 20))
      response.on('close', closed.resolve)
    } else json(response, 200, { data: [{ url: '/files/1.png' }, { url: '/files/2.png' }] })
  })
  const feature = openImages(async () => service.upstream)
  const made = await feature.images.make(wish({ n: 2 }))
  await changesUntil(feature, (change) => change.type === 'image' || (change.type === 'snapshot' && change.total > 0))
  expect(feature.images.cancel({ drawingId: made.id })).toMatchObject({ state: 'cancelled' })
  await closed.promise
  const drawing = await ended(feature, made)
  expect(drawing.slots.map(({ state }) => state)).toEqual(['kept', 'failed'])
  expect(feature.images.find({ search: '', favourites: false }).images).toHaveLength(1)
})

test('killed when two of four images have arrived: those are complete, and the request is marked as cut', {
  tags: 'long',
}, async () => {
  const whole = [png(50, 40, 1), png(50, 40, 2)]
  const service = await serve((request, response) => {
    const index = Number(/^\/files\/(\d)/.exec(request.url ?? '')?.[1] ?? -1)
    if (index < 0) json(response, 200, { data: [0, 1, 2, 3].map((one) => ({ url: `/files/${one}.png` })) })
    else if (whole[index]) response.end(whole[index])
    else response.writeHead(200).write(png(50, 40, 3).subarray(0, 30))
  })
  const dataDir = freshFolder()
  const printed = await killedAfter(2, new URL('drawForever.ts', import.meta.url), [dataDir, service.url])
  const feature = openImages(async () => service.upstream, { dataDir })
  await feature.media.swept
  const [snapshot] = await changesUntil(feature, () => true)
  if (snapshot?.type !== 'snapshot') throw new Error('The first change is the snapshot.')
  expect(snapshot.total).toBe(2)
  expect(snapshot.drawings).toMatchObject([{ state: 'cut', problem: { kind: 'cancelled' }, costIs: 'estimated' }])
  expect(snapshot.drawings[0]?.slots.map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'kept', 'kept'])
  const { images } = feature.images.find({ search: '', favourites: false })
  expect(images.map(({ id }) => id).sort()).toEqual(printed.sort())
  const kept = images.map(({ mediaId }) => readFileSync(join(dataDir, 'media', mediaId)))
  expect(kept.every((bytes) => whole.some((one) => one.equals(bytes)))).toBe(true)
  expect(files(feature)).toHaveLength(2)
})

test('when the program ends during a request, it is marked as cut, not failed', async () => {
  const service = await serve(() => undefined)
  const feature = openImages(async () => service.upstream)
  const made = await feature.images.make(wish())
  await feature.images.close()
  expect(feature.store.images.drawing(made.id)).toMatchObject({ state: 'cut', slots: [{ state: 'failed' }] })
})

test('prompts are found by case-folded words and prefixes in every script; favourites only, if requested', async () => {
  const random = randomNumbers()
  const feature = await featureAt(() => [{ b64_json: png(4, 4, Math.floor(random() * 65_000)).toString('base64') }])
  for (const prompt of ['Ein Hafen, früh am Morgen', '東京の夜', 'harbor of cats']) {
    await ended(feature, await feature.images.make(wish({ prompt })))
  }
  const found = (search: string, favourites = false): string[] =>
    feature.images.find({ search, favourites }).images.map(({ prompt }) => prompt)
  expect(found('')).toEqual(['harbor of cats', '東京の夜', 'Ein Hafen, früh am Morgen'])
  expect(found('FRUH haf')).toEqual(['Ein Hafen, früh am Morgen'])
  expect(found('京の')).toEqual(['東京の夜'])
  expect(found('ats')).toEqual([])
  expect(found('%')).toEqual([])
  const [first] = feature.images.find({ search: '', favourites: false }).images
  feature.images.favourite({ ids: [first?.id ?? ''], favourite: true })
  expect(found('', true)).toEqual(['harbor of cats'])
})

test('images made from another image are linked to it, from the first prompt to the last', async () => {
  let seed = 0
  const feature = await featureAt(() => [{ b64_json: png(4, 4, ++seed).toString('base64') }])
  const draw = async (prompt: string, fromImageId: string | null) => {
    const { slots } = await ended(feature, await feature.images.make({ ...wish({ prompt }), fromImageId }))
    return slots[0]?.imageId ?? ''
  }
  const root = await draw('a', null)
  const [left, right] = [await draw('a, red', root), await draw('a, blue', root)]
  const leaf = await draw('a, red, large', left)
  await draw('another', null)
  const { lineage } = feature.images.get({ id: leaf })
  expect(lineage.drawings.map(({ prompt }) => prompt)).toEqual(['a', 'a, red', 'a, blue', 'a, red, large'])
  expect(lineage.images.map(({ id }) => id)).toEqual([root, left, right, leaf])
  feature.images.remove({ ids: [root] })
  expect(feature.images.get({ id: leaf }).lineage.images.map(({ id }) => id)).toEqual([left, right, leaf])
  await expect(draw('b', randomUUID())).resolves.toBeTruthy()
})

test('deleted images disappear at once and can be restored; watchers are notified of both', async () => {
  const feature = await featureAt(() => [{ b64_json: png(4, 4, 1).toString('base64') }])
  const { slots } = await ended(feature, await feature.images.make(wish()))
  const id = slots[0]?.imageId ?? ''
  const watching = feature.images.watch()
  await watching.next()
  expect(feature.images.remove({ ids: [id, randomUUID()] })).toEqual({ removed: 1 })
  expect((await watching.next()).value).toEqual({ type: 'gone', imageIds: [id] })
  // The request shows the number of its remaining images.
  const none = { count: 0, lookId: null }
  expect((await watching.next()).value).toMatchObject({ type: 'drawing', drawing: { inSight: none } })
  expect(() => feature.images.get({ id })).toThrow(/no longer exists/)
  expect(feature.images.restore({ ids: [id] })).toEqual({ restored: 1 })
  const { mediaId: lookId } = feature.images.get({ id }).image
  expect((await watching.next()).value).toMatchObject({ type: 'image', image: { id } })
  expect((await watching.next()).value).toMatchObject({ type: 'drawing', drawing: { inSight: { count: 1, lookId } } })
  // Permanent deletion removes requests too, so watchers get a new snapshot.
  feature.images.erased()
  expect((await watching.next()).value).toMatchObject({ type: 'snapshot', total: 1 })
  await watching.return?.()
  expect(files(feature)).toHaveLength(1)
})

test('the number of images follows each deletion and each undo', async () => {
  let seed = 0
  const feature = await featureAt(() => [1, 2, 3].map(() => ({ b64_json: png(4, 4, ++seed).toString('base64') })))
  const { slots } = await ended(feature, await feature.images.make(wish({ n: 3 })))
  const ids = slots.map(({ imageId }) => imageId ?? '')
  const totals: number[] = []
  for await (const change of feature.images.watch()) {
    if (change.type === 'snapshot' || change.type === 'total') totals.push(change.total)
    if (totals.length === 1) feature.images.remove({ ids })
    if (totals.length === 2) feature.images.restore({ ids: ids.slice(1) })
    if (totals.length === 3) break
  }
  expect(totals).toEqual([3, 0, 2])
})

test('a valid thumbnail is stored and replaces the one before', async () => {
  const feature = await featureAt(() => [{ b64_json: png(40, 40, 1).toString('base64') }])
  const { slots } = await ended(feature, await feature.images.make(wish()))
  const id = slots[0]?.imageId ?? ''
  for (const bad of [jpg(10, 10), gifHead(10, 10), png(513, 2), Buffer.from('x'), Buffer.alloc(310_000)]) {
    const uploadId = await uploadFile(feature.transfers, '', bad)
    await expect(feature.images.saveThumbnail({ id, uploadId })).rejects.toMatchObject({ kind: 'bad_input' })
  }
  expect(files(feature)).toHaveLength(1)
  const add = async (bytes: Buffer) =>
    feature.images.saveThumbnail({ id, uploadId: await uploadFile(feature.transfers, '', bytes) })
  const first = await add(webpHead('VP8L', 20, 20))
  const second = await add(png(20, 20, 7))
  expect(first.thumbId).not.toBe(second.thumbId)
  expect(new Set(files(feature))).toEqual(new Set([second.mediaId, second.thumbId]))
  expect(readdirSync(feature.transfers.folder)).toEqual([])
})

test('one image is saved unchanged, several as a zip with unique names; the download is a copy, never the stored file', async () => {
  let seed = 0
  const feature = await featureAt(() => [{ b64_json: png(4, 4, ++seed).toString('base64') }])
  const ids: string[] = []
  for (const prompt of ['A cat: “no/way”?', 'a CAT  no way', '..']) {
    const { slots } = await ended(feature, await feature.images.make(wish({ prompt })))
    ids.push(slots[0]?.imageId ?? '')
  }
  const read = async ({ downloadId, bytes }: { downloadId: string; bytes: number }): Promise<Buffer> => {
    const data = await readDownload(feature.transfers, downloadId)
    expect(data).toHaveLength(bytes)
    return data
  }
  const one = await feature.images.save({ ids: ids.slice(0, 1) })
  expect(one).toMatchObject({ name: 'A cat “no way”.png', mime: 'image/png' })
  expect((await read(one)).equals(png(4, 4, 1))).toBe(true)
  const all = await feature.images.save({ ids: [...ids, ...ids] })
  const entries = unzipSync(await read(all))
  expect(Object.keys(entries)).toEqual(['A cat “no way”.png', 'a CAT no way.png', 'picture.png'])
  expect(files(feature)).toHaveLength(3)
  expect(readdirSync(feature.transfers.folder)).toEqual([])
  await expect(feature.images.save({ ids: [randomUUID()] })).rejects.toMatchObject({ kind: 'no_such_item' })
})

test('names are cut between characters and contain no invisible or direction characters', () => {
  const family = '👩‍👩‍👧‍👦'
  expect(fileNameOf({ prompt: family.repeat(70), mime: 'image/webp' }).endsWith('.webp')).toBe(true)
  expect(fileNameOf({ prompt: 'photo\u202egnp.exe\0', mime: 'image/png' })).toBe('photo gnp.exe.png')
})

test('an image in a draft stays, even if it is deleted permanently among the images', async () => {
  const feature = await featureAt(() => [{ b64_json: png(12, 9, 1).toString('base64') }])
  const { slots } = await ended(feature, await feature.images.make(wish()))
  const attached = feature.images.asAttachment({ id: slots[0]?.imageId ?? '' })
  expect(attached).toMatchObject({ name: 'A harbour at dawn.png', mime: 'image/png', width: 12, height: 9 })
  await feature.media.drop([attached.mediaId])
  const file = await feature.media.open(attached.mediaId)
  if (!file) throw new Error('It is not there.')
  expect((await buffer(file.read(0, file.bytes - 1))).equals(png(12, 9, 1))).toBe(true)
})
