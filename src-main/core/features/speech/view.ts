import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Speech, SpeechDetail, SpeechPart } from '../../../../src-preload/contract/speech.ts'
import { fromNano, toNano } from '../../shared/money.ts'
import type { SpeechTable, StoredSpeech } from '../../store/speeches.ts'
import type { SpeechRun } from './speechRun.ts'

/** Estimated cost of parts of these sizes (UTF-8 bytes), SC, decimal string. Null if no price for such sizes is known. */
export type PriceOf = (model: string | null, parts: readonly number[]) => string | null

/** Speeches as shown: stored rows, combined with the state of running speeches. */
export class SpeechView {
  readonly #table: SpeechTable
  readonly #runs: ReadonlyMap<string, SpeechRun>
  readonly #priceOf: PriceOf

  constructor(table: SpeechTable, runs: ReadonlyMap<string, SpeechRun>, priceOf: PriceOf) {
    this.#table = table
    this.#runs = runs
    this.#priceOf = priceOf
  }

  /** Returns a speech, or null if it does not exist or is hidden. */
  find(id: string): Speech | null {
    const stored = this.#table.find(id)
    return stored && !stored.removed ? this.show(stored) : null
  }

  /** @throws StudioError `no_such_item` */
  get(id: string): Speech {
    return this.show(this.#table.get(id))
  }

  /** @throws StudioError `no_such_item` */
  detail(id: string): SpeechDetail {
    const stored = this.#table.get(id)
    return { ...this.show(stored), text: this.#table.text(id), partList: this.parts(id) }
  }

  page(asked: Parameters<SpeechTable['page']>[0]): Speech[] {
    return this.#table.page(asked).map((stored) => this.show(stored))
  }

  parts(id: string): SpeechPart[] {
    const run = this.#runs.get(id)
    return this.#table
      .parts(id)
      .map((part) =>
        run?.begun && part.state === 'making' && run.part === part.part
          ? { ...part, audioBytes: run.receivedBytes }
          : part,
      )
  }

  show(stored: StoredSpeech): Speech {
    const parts = this.parts(stored.id)
    const { settings, mediaBytes, removed: _, ...rest } = stored
    const making = stored.state === 'making'
    return {
      ...rest,
      ...settings,
      ...(making ? this.#expectedCost(parts, settings.model) : costOfAll(parts)),
      parts: parts.length,
      partsDone: parts.filter(({ state }) => state === 'done').length,
      audioBytes: mediaBytes > 0 && !making ? mediaBytes : parts.reduce((sum, part) => sum + part.audioBytes, 0),
    }
  }

  /**
   * Estimated cost of all parts of a running speech, ended or not. Without a price, the remaining text costs as much for each byte as the
   * ended parts, which are of about the same size.
   */
  #expectedCost(parts: readonly SpeechPart[], model: string | null): MakingCost {
    const now = costOfAll(parts)
    const rest = parts.filter(({ state, cost }) => state !== 'done' || cost === null).map(({ bytes }) => bytes)
    if (rest.length === 0) return now
    const ended = parts.filter(({ state, cost }) => state === 'done' && cost !== null)
    const unknown: MakingCost = { cost: null, costIs: 'unknown', rows: now.rows }
    const price = this.#priceOf(model, rest)
    const spent = sumOf(parts)
    if (price !== null) return { ...unknown, cost: fromNano(spent + toNano(price)), costIs: 'estimated' }
    const endedBytes = BigInt(ended.reduce((sum, { bytes }) => sum + bytes, 0))
    if (endedBytes === 0n) return unknown
    const restBytes = BigInt(rest.reduce((sum, bytes) => sum + bytes, 0))
    const more = (sumOf(ended) * restBytes + endedBytes / 2n) / endedBytes
    return { ...unknown, cost: fromNano(spent + more), costIs: 'estimated' }
  }
}

const sumOf = (parts: readonly Pick<MakingCost, 'cost'>[]): bigint =>
  parts.reduce((sum, { cost }) => sum + (cost === null ? 0n : toNano(cost)), 0n)

/** Exact sum if the cost of every ended request is known; otherwise unknown, because a partial sum would be too low. */
export function costOfAll(asked: readonly (MakingCost & { state?: string })[]): MakingCost {
  const rows = asked.flatMap((one) => one.rows)
  const ended = asked.filter((one) => one.rows.length > 0 && one.state !== 'making')
  if (ended.length === 0 || ended.some(({ cost }) => cost === null)) return { cost: null, costIs: 'unknown', rows }
  const costIs = ended.every((one) => one.costIs === 'measured') ? 'measured' : 'estimated'
  return { cost: fromNano(sumOf(ended)), costIs, rows }
}
