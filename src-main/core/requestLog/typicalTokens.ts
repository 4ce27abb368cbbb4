/** Where nothing was seen yet: about what a chat model answers when it is not told how much. */
const unseen = 500
/** Newer requests count more: the mean moves by at least this part with each. */
const slowest = 1 / 200
const mostModels = 2000

interface Mean {
  tokens: number
  count: number
}

/** How many output tokens requests use, by model, for an estimate before one is sent. */
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

  /** Of a model that was not seen: the mean of all. Whole tokens, at least 1. */
  of(model: string | null): number {
    const own = model === null ? undefined : this.#byModel.get(model)
    const mean = own && own.count > 0 ? own : this.#all
    return mean.count === 0 ? unseen : Math.max(1, Math.round(mean.tokens))
  }

  #of(model: string): Mean {
    const known = this.#byModel.get(model)
    if (known) return known
    const mean = { tokens: 0, count: 0 }
    // Names that a tool makes up must not fill the memory.
    if (this.#byModel.size < mostModels) this.#byModel.set(model, mean)
    return mean
  }
}

function add(mean: Mean, tokens: number, count: number): void {
  mean.count += count
  mean.tokens += (tokens - mean.tokens) * Math.max(count / mean.count, Math.min(1, count * slowest))
}
