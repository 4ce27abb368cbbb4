import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { inBackground } from '../../shared/unexpected.ts'
import {
  type FormReader,
  openForm,
  type RequestParameters,
  unknownParameters,
} from '../../upstream/request/parameters.ts'
import type { Refusal } from './errorReplies.ts'
import { modelOf, type RequestBody } from './requestBody.ts'

/** How much of an upload is read to find a model before the file, before anything is sent to the service. Bytes. */
const maxAhead = 64 * 1024

const refusal = (why: string): Refusal => ({
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message: `This app may use certain models only, and the model of this upload can’t be determined: ${why}`,
})
const noForm = refusal('it is not plain multipart/form-data.')
const unclear = refusal('servers read a form like this in different ways.')
const twoModels = refusal('it names more than one.')
const cutShort = refusal('the form ends before its closing boundary.')

/** Whether a request has an upload whose form must be read. */
export const isUpload = (endpoint: Endpoint, { headers }: IncomingMessage): boolean =>
  endpoint === 'transcription' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/**
 * An upload for transcription, with the model that its form names. A model before the file is known before anything is sent to the service.
 * A model after the file is known only when the file has been sent.
 *
 * The file is streamed in both cases, neither spooled nor buffered. Each piece is scanned for the model before it is sent. `onModel`
 * decides before the piece that completes the `model` field or the form is sent. A request that is refused then ends with its form and its
 * HTTP body incomplete, so that the service can't process it. Memory use is one piece, and a slow service slows the app down.
 */
export class Upload implements RequestBody {
  readonly stripUsage = false
  body: RequestBody['body']
  /** Memory for the copy that a retry needs, or null. */
  memory: RequestBody['memory'] = null
  /**
   * Called once with the model, as soon as it is known and at the latest at the end. Returns why the upload must stop, or null. Set it
   * before `body` is read.
   */
  onModel: (model: string | null) => Refusal | null = () => null
  /** Called with the reason before `body` throws. */
  onRefused: (refusal: Refusal) => void = () => undefined
  readonly #form: FormReader | null
  /** Whether the app may use certain models only. An ambiguous form is then refused. */
  readonly #strict: boolean
  readonly #source: AsyncIterator<Uint8Array>
  readonly #ahead: Uint8Array[] = []
  #isModelReported = false

  private constructor(request: IncomingMessage, strict: boolean) {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
    this.#form = encoding.trim().toLowerCase() === 'identity' ? openForm(type) : null
    this.#strict = strict
    // Stopping early must not destroy the connection, because the reply is sent on it while the rest is discarded.
    this.#source = request.iterator({ destroyOnReturn: false })
    this.body = this.#pieces()
  }

  /** Reads ahead to find a model before the file. @param strict whether the app may use certain models only */
  static async open(request: IncomingMessage, strict: boolean): Promise<Upload | Refusal> {
    const upload = new Upload(request, strict)
    const refused = await upload.#readAhead()
    if (refused) upload.close()
    return refused ?? upload
  }

  /** Null while the model is unknown, because it may follow the file. */
  get asked(): RequestParameters | null {
    const model = this.#model()
    return model === null ? null : { ...unknownParameters, model }
  }

  /** Stops reading the request, so that the rest of it can be discarded. */
  close(): void {
    const closed = this.#source.return?.()
    if (closed) inBackground('An upload could not be closed', closed)
  }

  #model(): string | null {
    const [model = null] = this.#form?.models ?? []
    return this.#form?.ended === true ? (model ?? modelOf('transcription', null)) : model
  }

  async #readAhead(): Promise<Refusal | null> {
    const form = this.#form
    if (form === null) return this.#strict ? noForm : null
    for (let size = 0; size < maxAhead && form.models.size === 0 && !form.fileBegun && !form.ended && !form.unclear; ) {
      const next = await this.#source.next()
      if (next.done === true) break
      form.push(next.value)
      this.#ahead.push(next.value)
      size += next.value.length
    }
    return this.#problem()
  }

  #problem(): Refusal | null {
    if (!this.#strict) return null
    if (this.#form === null || this.#form.unclear) return unclear
    return this.#form.models.size > 1 ? twoModels : null
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      this.#check(false)
      yield* this.#ahead.splice(0)
      for (;;) {
        const next = await this.#source.next()
        if (next.done === true) break
        this.#form?.push(next.value)
        this.#check(false)
        yield next.value
      }
      this.#check(true)
    } finally {
      this.close()
    }
  }

  /** Checks what is known of the form. @throws Error if the upload must stop */
  #check(isEnd: boolean): void {
    const cut = isEnd && this.#strict && this.#form?.ended !== true ? cutShort : null
    const refused =
      this.#problem() ?? cut ?? this.#notify(this.#model() ?? (isEnd ? modelOf('transcription', null) : null))
    if (refused === null) return
    this.onRefused(refused)
    throw new Error(refused.message)
  }

  #notify(model: string | null): Refusal | null {
    if (this.#isModelReported || model === null) return null
    this.#isModelReported = true
    return this.onModel(model)
  }
}
