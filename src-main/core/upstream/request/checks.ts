import { StudioError } from '../../errors.ts'
import type { ChatRequest, CreateImageRequest, CreateSpeechRequest, TranscriptionRequest } from '../types.ts'

// Checks the specification's own limits before a byte is sent, and nothing that the specification leaves open.

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])
const maxSpeechBytes = 4096

/** @throws StudioError `bad_input` */
export function checkChatRequest(request: ChatRequest): void {
  require(typeof request.model === 'string' && request.model !== '', 'Choose a model.')
  require(Array.isArray(request.messages) && request.messages.length > 0, 'A chat needs at least one message.')
  for (const message of request.messages) {
    require(roles.has(message.role), 'A message’s role is system, developer, user, assistant or tool.')
    if (!Array.isArray(message.content)) continue
    for (const part of message.content) {
      require(part.image_url === undefined ||
        typeof part.image_url.url === 'string', 'An image part needs its address.')
    }
  }
  const { max_tokens, stop } = request
  require(max_tokens === undefined ||
    (Number.isInteger(max_tokens) && max_tokens >= 1), 'max_tokens is a whole number from 1 on.')
  require(stop === undefined ||
    (Array.isArray(stop) && stop.every((s) => typeof s === 'string')), 'stop is a list of strings.')
}

/** @throws StudioError `bad_input` */
export function checkSpeechRequest({ input, speed }: CreateSpeechRequest): void {
  require(typeof input === 'string' && input !== '', 'Enter a text to speak.')
  const bytes = Buffer.byteLength(input)
  require(bytes <= maxSpeechBytes, `The text has ${bytes} bytes; the service accepts at most ${maxSpeechBytes}.`)
  require(speed === undefined || (speed >= 0.25 && speed <= 4), 'The speed must be between 0.25 and 4.')
}

/** @throws StudioError `bad_input` */
export function checkTranscriptionRequest({ file }: TranscriptionRequest): void {
  require(file instanceof Uint8Array || typeof file?.stream === 'function', 'Choose an audio file.')
}

/** @throws StudioError `bad_input` */
export function checkImageRequest({ prompt, n }: CreateImageRequest): void {
  require(typeof prompt === 'string' && prompt !== '', 'Describe the image.')
  require(n === undefined || (Number.isInteger(n) && n >= 1 && n <= 4), 'One to four images can be requested at once.')
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new StudioError('bad_input', message)
}
