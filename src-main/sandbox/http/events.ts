import { ClientGone } from '../errors.ts'
import { withFieldFaults } from '../faults/fields.ts'
import type { FaultPlan } from '../faults/plan.ts'
import type { Body } from './body.ts'

const NEAT = { comments: false, multiLine: false, end: '\n' }

/** Writes a chat stream as events (section Events), with the faults that concern events and their lines. */
export class EventStream {
  readonly #body: Body
  readonly #plan: FaultPlan
  readonly #style: { comments: boolean; multiLine: boolean; end: string }
  #events = 0

  constructor(body: Body, plan: FaultPlan) {
    this.#body = body
    this.#plan = plan
    this.#style = {
      ...NEAT,
      comments: plan.has('comments'),
      multiLine: plan.has('multi-line'),
      end: plan.has('crlf') ? '\r\n' : plan.has('cr') ? '\r' : '\n',
    }
  }

  /** Sends one event with a JSON chunk. Throws ClientGone if the client has closed, or a fault has ended the stream. */
  async send(chunk: Record<string, unknown>): Promise<void> {
    const { comments, multiLine } = this.#style
    const json = JSON.stringify(withFieldFaults(chunk, this.#plan), null, multiLine ? 1 : 0)
    if (comments) await this.#body.write(this.#noise())
    await this.#data(json)
    await this.#faultsAfterEvent()
  }

  async done(): Promise<void> {
    if (!this.#plan.has('no-done') && !this.#plan.has('no-done-no-finish')) await this.#data('[DONE]')
    await this.#body.end()
  }

  async #data(text: string): Promise<void> {
    const { end } = this.#style
    const lines = text.split('\n').map((line) => `data: ${line}${end}`)
    await this.#body.write(lines.join('') + end)
  }

  async #faultsAfterEvent(): Promise<void> {
    this.#events += 1
    const plan = this.#plan
    const due = (name: 'stall' | 'malformed' | 'error-frame', after: number) =>
      plan.has(name) && this.#events === (plan.number(name, 'after') ?? after)
    if (due('malformed', 3))
      await this.#data('{"id":"chatcmpl-broken","choices":[{"index":0,"delta":{"content":"unfini')
    if (due('error-frame', 3)) {
      await this.#data(
        '{"error":{"message":"The model stopped answering.","type":"upstream_error","code":"stream_failed"}}',
      )
      await this.#body.end()
      throw new ClientGone()
    }
    if (plan.number('stall', 'bytes') === null && due('stall', 5)) await this.#body.stall()
  }

  /** Lines between events that a reader must ignore (WHATWG HTML, "Interpreting an event stream"). */
  #noise(): string {
    const { end } = this.#style
    const lines = [': keep-alive', '', ':', `id: ${this.#events}`, 'retry: 5000', 'unheard-of: field', 'event']
    return lines.map((line) => line + end).join('')
  }
}
