import { ALL_FORMATS, BufferSource, type EncodedPacket, EncodedPacketSink, Input, UrlSource } from 'mediabunny'
import { bucketsOf, Peaks } from './peakBuckets.ts'
import { measurePackets, NoDecoder, type Packet } from './peaksDecode.ts'
import { type Frames, flacFramesAt, framesOf } from './peaksFrames.ts'
import { measureSamples, pcmLayout, wavLayout } from './peaksSamples.ts'

/** A file to measure. `address` is absolute. `pcmRate`: samples per second of plain samples without a header. */
export interface PeaksQuestion {
  address: string
  pcmRate: number | null
}
/** One byte per bucket. `unreadable`: unknown format. `undecodable`: known format, but the browser has no decoder for it. */
export type PeaksAnswer =
  | { type: 'some' | 'all'; peaks: Uint8Array<ArrayBuffer>; seconds: number }
  | { type: 'failed'; why: 'missing' | 'unreadable' | 'undecodable'; message: string }

/** Larger files are read in pieces, bytes. */
const maxInMemory = 256_000_000
/** Number of places for the rough measurement, and packets per place. All packets except the last only prepare the decoder. */
const firstPlaces = 360
const packetsAPlace = 3

class Missing extends Error {}
class Unreadable extends Error {}

const notify = (answer: PeaksAnswer): void => {
  postMessage(answer)
}
const postPeaks = (type: 'some' | 'all', peaks: Peaks): void =>
  notify({ type, peaks: peaks.bytes(), seconds: peaks.seconds })

addEventListener('message', ({ data }: MessageEvent<PeaksQuestion>) => {
  measureFile(data).catch((thrown: unknown) => {
    const why = thrown instanceof Missing ? 'missing' : thrown instanceof NoDecoder ? 'undecodable' : 'unreadable'
    notify({ type: 'failed', why, message: thrown instanceof Error ? thrown.message : String(thrown) })
  })
})

async function measureFile({ address, pcmRate }: PeaksQuestion): Promise<void> {
  const response = await fetch(address)
  if (!response.ok || !response.body) throw new Missing(`The file cannot be read: ${response.status}.`)
  const bytes = Number(response.headers.get('content-length') ?? 0)
  if (pcmRate !== null) {
    const layout = pcmLayout(pcmRate)
    return postPeaks('all', await measureSamples(response.body, layout, bytes, (some) => postPeaks('some', some)))
  }
  const { head, stream } = await withHead(response.body)
  const layout = wavLayout(head)
  if (layout) {
    return postPeaks('all', await measureSamples(stream, layout, bytes, (some) => postPeaks('some', some)))
  }
  if (bytes > maxInMemory) {
    await stream.cancel()
    return measureInput(new Input({ formats: ALL_FORMATS, source: new UrlSource(address) }), null)
  }
  const file = new Uint8Array(await new Response(stream).arrayBuffer())
  await measureInput(new Input({ formats: ALL_FORMATS, source: new BufferSource(file) }), file)
}

/** Returns the first 64 KB, and a stream of the whole file. */
async function withHead(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ head: Uint8Array; stream: ReadableStream<Uint8Array<ArrayBuffer>> }> {
  const reader = body.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  let ended = false
  while (length < 65_536 && !ended) {
    const { done, value } = await reader.read()
    if (value) {
      parts.push(value)
      length += value.length
    }
    ended = done
  }
  const head = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    head.set(part, at)
    at += part.length
  }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (control) => control.enqueue(head),
    async pull(control) {
      const { done, value } = await reader.read()
      if (value) control.enqueue(value)
      if (done) control.close()
    },
    cancel: (why) => reader.cancel(why),
  })
  return { head, stream }
}

/** First measures roughly at evenly spaced places, then measures everything. */
async function measureInput(input: Input, file: Uint8Array | null): Promise<void> {
  try {
    const track = await input.getPrimaryAudioTrack().catch(() => null)
    if (!track) throw new Unreadable('No sound was found in this file.')
    const config = await track.getDecoderConfig()
    if (!config) throw new NoDecoder('The audio format of this file is unknown.')
    const format = (await input.getFormat()).name
    const frames = file && framesFor(format, file)
    const seconds = frames ? frames.seconds : await track.computeDuration()
    const sink = new EncodedPacketSink(track)
    const coarse = new Peaks(firstPlaces, seconds)
    const places =
      frames && file ? someFrames(frames, file) : ((file && someFlacFrames(file)) ?? somePackets(sink, format, seconds))
    await measurePackets(places, config, coarse, () => postPeaks('some', coarse))
    postPeaks('some', coarse)
    const fine = new Peaks(bucketsOf(seconds), seconds, coarse)
    const all = frames && file ? allFrames(frames, file) : allPackets(sink)
    await measurePackets(all, config, fine, () => postPeaks('some', fine))
    postPeaks('all', fine)
  } finally {
    input.dispose()
  }
}

function framesFor(format: string, file: Uint8Array): Frames | null {
  if (format === 'MP3') return framesOf(file, 'mp3')
  return format === 'ADTS' ? framesOf(file, 'adts') : null
}

const packetAt = ({ frames, seconds }: Frames, file: Uint8Array, index: number): Packet | null => {
  const frame = frames[index]
  if (!frame) return null
  const until = frames[index + 1]?.time ?? seconds
  return { data: file.subarray(frame.at, frame.at + frame.bytes), time: frame.time, seconds: until - frame.time }
}

function* allFrames(frames: Frames, file: Uint8Array): Generator<Packet> {
  for (let index = 0; ; index++) {
    const packet = packetAt(frames, file, index)
    if (!packet) return
    yield packet
  }
}

function* someFrames(frames: Frames, file: Uint8Array): Generator<Packet> {
  const step = Math.max(packetsAPlace, frames.frames.length / firstPlaces)
  for (let place = 0; place < firstPlaces; place++) {
    const first = Math.floor(place * step)
    for (let index = first; index < first + packetsAPlace; index++) {
      const packet = packetAt(frames, file, index)
      if (!packet) return
      yield packet
    }
  }
}

function someFlacFrames(file: Uint8Array): Packet[] | null {
  const frames = flacFramesAt(file, firstPlaces)
  return frames?.map(({ at, bytes, time, seconds }) => ({ data: file.subarray(at, at + bytes), time, seconds })) ?? null
}

const packetOf = ({ data, timestamp, duration }: EncodedPacket): Packet => ({
  data,
  time: timestamp,
  seconds: duration,
})

async function* allPackets(sink: EncodedPacketSink): AsyncGenerator<Packet> {
  for await (const packet of sink.packets()) yield packetOf(packet)
}

/** When seeking is expensive (FLAC has no index), reads all packets and uses some of them. */
async function* somePackets(sink: EncodedPacketSink, format: string, seconds: number): AsyncGenerator<Packet> {
  if (format === 'FLAC') {
    const step = seconds / firstPlaces
    let next = 0
    for await (const packet of sink.packets()) {
      if (packet.timestamp < next) continue
      next = Math.max(next + step, packet.timestamp)
      yield packetOf(packet)
    }
    return
  }
  for (let place = 0; place < firstPlaces; place++) {
    let packet = await sink.getPacket((place * seconds) / firstPlaces)
    for (let count = 0; count < packetsAPlace && packet; count++) {
      yield packetOf(packet)
      packet = count + 1 < packetsAPlace ? await sink.getNextPacket(packet) : null
    }
  }
}
