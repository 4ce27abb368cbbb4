/** What happened to the reasoning of earlier messages in a request: it was sent as `reasoning_content`, or withheld because the model refuses it. */
export type ReasoningSent = 'sent' | 'withheld' | null

/** Most models that are remembered for one connection. The names come from apps. */
const maxModels = 1000

/** Statuses of a refusal because of the request's content, as in `findingOf` of the models' feature. */
const refusals: ReadonlySet<number> = new Set([400, 422])

/** Words of services that demand the field. A refusal that has them says the opposite. */
const demanded =
  /\bmissing\b|\brequire[sd]?\b|\bmust (?:be )?(?:pass(?:ed)?|provide[d]?|include[d]?|present|contain|have|set|sent)\b|\bneeds? to be\b/i

/**
 * The models that refuse `reasoning_content` in the messages of a request, by connection. Nothing is sent again: the refused request fails
 * with the service's own words, and the next one has no reasoning. Kept in memory only, so that a service that accepts the field after an
 * update gets it again after a restart.
 */
export class ReasoningRefusals {
  /** By the connection's object, and forgotten with it. */
  readonly #byConnection = new WeakMap<object, Set<string>>()

  /** The models that refuse the field at this connection, by the names of the service. */
  of(connection: object): ReadonlySet<string> {
    return this.#byConnection.get(connection) ?? none
  }

  /**
   * Reads the refusal of a request. A refusal that names the field is believed, whichever way: a service that demands reasoning which was
   * withheld gets it again.
   * @param model the service's name of the model
   * @param message the service's own words
   */
  learn(
    connection: object,
    model: string,
    sent: ReasoningSent,
    { status, message, param }: { status: number; message: string; param: string | null },
  ): void {
    if (sent === null || !refusals.has(status)) return
    if (!/reasoning_content/i.test(`${message} ${param ?? ''}`)) return
    if (sent === 'withheld') {
      this.#byConnection.get(connection)?.delete(model)
      return
    }
    if (demanded.test(message)) return
    const models = this.#byConnection.get(connection) ?? new Set()
    this.#byConnection.set(connection, models.add(model))
    const [oldest] = models
    if (models.size > maxModels && oldest !== undefined) models.delete(oldest)
  }
}

const none: ReadonlySet<string> = new Set()
