/** The average before the first request, tokens: about the length of a chat model's answer without a limit. */
const unseen = 500
/** The minimum weight of a request in the average, so that newer requests count more. */
const slowest = 1 / 200
const maxModels = 2000

interface Mean {
  tokens: number
  count: number
}

/** Average output tokens by model, for an estimate before a request is sent. */
export class TypicalTokens {
  readonly #byModel = new Map<string, Mean>()
  readonly #all: Mean = { tokens: 0, count: 0 }

  load(model: string | null, mean: number, count: number): void {
    add(this.#all, mean, count)
    if (model !== null) add(this.#of(model), mean, count)
  }

  saw(model: string | null, tokensOut: number | null): void {
    if (tokensOut === null || tokensOut === 0) return
    this.load(model, tokensOut, 1)
  }

  /** Whole tokens, at least 1. An unknown model has the average of all. */
  of(model: string | null): number {
    const own = model === null ? undefined : this.#byModel.get(model)
    const mean = own && own.count > 0 ? own : this.#all
    return mean.count === 0 ? unseen : Math.max(1, Math.round(mean.tokens))
  }

  #of(model: string): Mean {
    const known = this.#byModel.get(model)
    if (known) return known
    const mean = { tokens: 0, count: 0 }
    // Invented model names of an app must not fill the memory.
    if (this.#byModel.size < maxModels) this.#byModel.set(model, mean)
    return mean
  }
}

function add(mean: Mean, tokens: number, count: number): void {
  mean.count += count
  mean.tokens += (tokens - mean.tokens) * Math.max(count / mean.count, Math.min(1, count * slowest))
}
