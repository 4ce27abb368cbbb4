import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Speech, SpeechDetail, SpeechPart } from '../../../../src-preload/contract/speech.ts'
import { fromNano, toNano } from '../../shared/money.ts'
import type { SpeechTable, StoredSpeech } from '../../store/speeches.ts'
import type { SpeechRun } from './speechRun.ts'

/** Speeches as shown: stored rows, combined with the state of running speeches. */
export class SpeechView {
  readonly #table: SpeechTable
  readonly #runs: ReadonlyMap<string, SpeechRun>

  constructor(table: SpeechTable, runs: ReadonlyMap<string, SpeechRun>) {
    this.#table = table
    this.#runs = runs
  }

  /** Null if it does not exist or is hidden. */
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
      ...costOfAll(parts),
      parts: parts.length,
      partsDone: parts.filter(({ state }) => state === 'done').length,
      audioBytes: mediaBytes > 0 && !making ? mediaBytes : parts.reduce((sum, part) => sum + part.audioBytes, 0),
    }
  }
}

/** Exact sum if the cost of every ended request is known; else unknown, because a partial sum would be too low. */
export function costOfAll(asked: readonly (MakingCost & { state?: string })[]): MakingCost {
  const rows = asked.flatMap((one) => one.rows)
  const ended = asked.filter((one) => one.rows.length > 0 && one.state !== 'making')
  const known = ended.flatMap(({ cost }) => (cost === null ? [] : [toNano(cost)]))
  if (ended.length === 0 || known.length < ended.length) return { cost: null, costIs: 'unknown', rows }
  const costIs = ended.every((one) => one.costIs === 'measured') ? 'measured' : 'estimated'
  return { cost: fromNano(known.reduce((sum, cost) => sum + cost, 0n)), costIs, rows }
}
