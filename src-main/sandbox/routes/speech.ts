import { Decimal } from 'decimal.js'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { admit, type Call } from '../http/call.ts'
import { readJson } from '../http/read.ts'
import { refuseWithoutPackage } from '../optionalPackage.ts'
import { findModel } from '../world/models.ts'

/** Bytes, not characters (section Limits). */
const MAX_INPUT_BYTES = 4096
const CHUNK_BYTES = 16 * 1024

const speechRequest = z.looseObject({
  model: z.string().default('tts-1'),
  input: z
    .string()
    .min(1, 'must have text to speak')
    .refine((text) => Buffer.byteLength(text) <= MAX_INPUT_BYTES, `must have at most ${MAX_INPUT_BYTES} UTF-8 bytes`),
  voice: z.enum(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']).default('alloy'),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
})

/** POST /v1/audio/speech: real speech, sent in pieces. */
export async function speech(call: Call): Promise<void> {
  const { world, key, record, reply } = call
  const request = await readJson(call.request, record, speechRequest)
  record.model = request.model
  const model = findModel(request.model, new Set())
  if (model?.kind !== 'speech')
    throw new ServiceError(404, 'model_not_found', `There is no speech model "${request.model}".`)
  admit(call, model, 0)
  const { synthesize } = await import('../speech/speech.ts')
  const { input, voice, response_format: format, speed } = request
  const spoken = await synthesize({ input, voice, format, speed }).catch((error: unknown) =>
    refuseWithoutPackage(error, 'speak'),
  )
  const cost = new Decimal(model.price.each).times(Buffer.byteLength(input)).div(1000)
  world.accounting.charge(key, { model: model.id, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost })
  const { bytes, contentType } = spoken
  const body = reply.open(200, { 'Content-Type': contentType }, bytes.length)
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) await body.write(bytes.subarray(at, at + CHUNK_BYTES))
  await body.end()
}
