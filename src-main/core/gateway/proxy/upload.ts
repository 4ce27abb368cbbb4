import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { type FormReader, openForm, type RequestParameters, unknownParameters } from '../../upstream/meter/request.ts'
import type { Refusal } from './errorReplies.ts'
import { modelOf, type RequestBody } from './requestBody.ts'

/** How much of an upload may be read before anything is sent upstream, to find a model that stands before the file. Bytes. */
const mostAhead = 64 * 1024

const refusal = (why: string): Refusal => ({
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message: `This tool may use certain models only, and the model of this upload can’t be told: ${why}`,
})
const noForm = refusal('it is no plain multipart/form-data.')
const unclear = refusal('servers read a form like this in different ways.')
const twoModels = refusal('it names more than one.')
const cutShort = refusal('the form ends before its closing boundary.')

/** Whether a request brings an upload to look through. */
export const isUpload = (endpoint: Endpoint, { headers }: IncomingMessage): boolean =>
  endpoint === 'transcription' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/**
 * An upload for transcription, with the model that its form names. A model before the file is known before anything is sent upstream; one after the file is known
 * only when the file has gone by.
 *
 * The file is streamed on all the same, neither spooled nor kept: no piece is passed on before it was read for the model, and `onModel` decides before the piece
 * that ends the `model` field, or the form, is passed on. A request that is refused then breaks off with its form and its HTTP body unfinished, so that the service can't
 * take it for a request. Memory holds one piece, and a slow service slows the app down.
 */
export class Upload implements RequestBody {
  readonly stripUsage = false
  body: RequestBody['body']
  /** For the copy that a retry needs. Null where there is none. */
  feature: RequestBody['feature'] = null
  /** Told once which model counts, as soon as it is known and at the end at the latest. Answers why the upload must not go on, or null. Set before `body` is read. */
  onModel: (model: string | null) => Refusal | null = () => null
  /** Told why the upload ends here, before `body` throws. */
  onRefused: (refusal: Refusal) => void = () => undefined
  readonly #form: FormReader | null
  /** Whether the app may use certain models only: a form that can't be read for sure is refused. */
  readonly #strict: boolean
  readonly #source: AsyncIterator<Uint8Array>
  readonly #ahead: Uint8Array[] = []
  #reported = false

  private constructor(request: IncomingMessage, strict: boolean) {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
    this.#form = encoding.trim().toLowerCase() === 'identity' ? openForm(type) : null
    this.#strict = strict
    // Left early, it must not close the connection: the answer goes out on it, while the rest is read past.
    this.#source = request.iterator({ destroyOnReturn: false })
    this.body = this.#pieces()
  }

  /** Reads ahead to a model that stands before the file. @param strict whether the app may use certain models only */
  static async open(request: IncomingMessage, strict: boolean): Promise<Upload | Refusal> {
    const upload = new Upload(request, strict)
    const refused = await upload.#readAhead()
    if (refused) upload.close()
    return refused ?? upload
  }

  /** Null while nothing is known of the model: it may stand behind the file. */
  get asked(): RequestParameters | null {
    const model = this.#model()
    return model === null ? null : { ...unknownParameters, model }
  }

  /** Lets go of the request, so that the rest of it can be read past. */
  close(): void {
    const left = this.#source.return?.()
    if (left) inBackground('An upload could not be left', left)
  }

  #model(): string | null {
    const [model = null] = this.#form?.models ?? []
    return this.#form?.ended === true ? (model ?? modelOf('transcription', null)) : model
  }

  async #readAhead(): Promise<Refusal | null> {
    const form = this.#form
    if (form === null) return this.#strict ? noForm : null
    for (
      let size = 0;
      size < mostAhead && form.models.size === 0 && !form.fileBegun && !form.ended && !form.unclear;
    ) {
      const next = await this.#source.next()
      if (next.done === true) break
      form.push(next.value)
      this.#ahead.push(next.value)
      size += next.value.length
    }
    return this.#wrong()
  }

  #wrong(): Refusal | null {
    if (!this.#strict) return null
    if (this.#form === null || this.#form.unclear) return unclear
    return this.#form.models.size > 1 ? twoModels : null
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      this.#decide(false)
      yield* this.#ahead.splice(0)
      for (;;) {
        const next = await this.#source.next()
        if (next.done === true) break
        this.#form?.push(next.value)
        this.#decide(false)
        yield next.value
      }
      this.#decide(true)
    } finally {
      this.close()
    }
  }

  /** @throws Error where the upload must not go on */
  #decide(over: boolean): void {
    const cut = over && this.#strict && this.#form?.ended !== true ? cutShort : null
    const refused =
      this.#wrong() ?? cut ?? this.#notify(this.#model() ?? (over ? modelOf('transcription', null) : null))
    if (refused === null) return
    this.onRefused(refused)
    throw new Error(refused.message)
  }

  #notify(model: string | null): Refusal | null {
    if (this.#reported || model === null) return null
    this.#reported = true
    return this.onModel(model)
  }
}
