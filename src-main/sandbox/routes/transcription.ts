import { Decimal } from 'decimal.js'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { admit, type Call } from '../http/call.ts'
import { readForm } from '../http/multipart.ts'
import { parseWith } from '../http/read.ts'
import { refuseWithoutPackage } from '../optionalPackage.ts'
import { findModel } from '../world/models.ts'

const transcriptionRequest = z.looseObject({
  model: z.enum(['whisper-1', 'whisper-large-v3', 'whisper-large-v3-turbo']).default('whisper-1'),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z.enum(['json', 'text', 'vtt']).default('json'),
  temperature: z.coerce.number('must be a number').optional(),
})

/** `whisper-1` is an alias, not a separate model (section "POST /v1/audio/transcriptions"). */
const resolved = (name: string) => (name === 'whisper-1' ? 'whisper-large-v3-turbo' : name)

/** POST /v1/audio/transcriptions */
export async function transcription(call: Call): Promise<void> {
  const { world, key, record, reply } = call
  const { fields, file } = await readForm(call.request, record)
  const request = parseWith(transcriptionRequest, fields)
  if (!file) throw new ServiceError(400, 'invalid_request', 'file: an uploaded audio file is required')
  const model = findModel(resolved(request.model), new Set())
  if (!model) throw new ServiceError(404, 'model_not_found', `There is no model "${request.model}".`)
  record.model = request.model
  admit(call, model, 0)
  const { transcribe, toVtt, MediaError } = await import('../transcription/transcribe.ts')
  const { language, prompt } = request
  const heard = await transcribe({
    bytes: file.bytes,
    fileName: file.name,
    model: model.id,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
  }).catch((error: unknown) => {
    if (error instanceof MediaError) throw new ServiceError(400, 'unreadable_audio', error.message)
    return refuseWithoutPackage(error, 'transcribe')
  })
  // A started minute counts as a full one.
  const cost = new Decimal(model.price.each).times(Math.max(1, Math.ceil(heard.durationMs / 60_000)))
  world.accounting.charge(key, { model: model.id, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost })
  if (request.response_format === 'json') return await reply.json(200, { text: heard.text })
  const [text, type] = request.response_format === 'vtt' ? [toVtt(heard), 'text/vtt'] : [heard.text, 'text/plain']
  return await reply.bytes(200, text, { 'Content-Type': `${type}; charset=utf-8` })
}
