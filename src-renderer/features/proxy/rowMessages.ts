import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import type { RequestRow, Who } from '../../../src-preload/contract/requests.ts'
import { problemTexts } from '../../shared/errors/texts.ts'
import type { PillTone } from '../../shared/ui/Pill.tsx'
import { plainText } from '../../shared/ui/plainText.ts'

export interface StatusTexts {
  words: string
  tone: PillTone
}

function toneOf({ state, status, retriedAfter }: RequestRow): PillTone {
  if (state === 'failed' || state === 'cut' || state === 'refused') return 'bad'
  if (state === 'waiting' || state === 'backing_off') return 'warn'
  if (state !== 'done') return 'muted'
  if ((status ?? 0) >= 400) return 'bad'
  return retriedAfter.length > 0 ? 'warn' : 'good'
}

/** Equal neighbours as one with their number, so that the reason beside them has space: `429 ×3 → 200`. */
function counted(results: readonly string[]): string[] {
  const runs: { words: string; times: number }[] = []
  for (const words of results) {
    const last = runs.at(-1)
    if (last?.words === words) last.times += 1
    else runs.push({ words, times: 1 })
  }
  return runs.map(({ words, times }) => (times === 1 ? words : `${words} ×${times}`))
}

const kindsByStatus: Readonly<Record<number, ProblemKind>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  500: 'internal',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
}

/** The problem that the service reported with its status, or null for a good reply and for a problem of another source. */
export function kindOfStatus({ state, status, problem }: RequestRow): ProblemKind | null {
  if (state !== 'done' || problem !== null || status === null || status < 400) return null
  return kindsByStatus[status] ?? 'unexpected_status'
}

/** The texts of a row, shared by the log and the inspector. */
export function useRowTexts() {
  const { t } = useTranslation(['proxy', 'problems', 'common'])
  return useMemo(() => rowTexts(t), [t])
}

function rowTexts(t: TFunction<['proxy', 'problems', 'common']>) {
  const who = (of: Who): string =>
    of.kind === 'app'
      ? of.name
      : of.kind === 'studio'
        ? t('log.studioFeature', { feature: t(`log.features.${of.feature}`) })
        : of.from
  const before = (row: RequestRow): string[] =>
    row.retriedAfter.map((status) => (status === 0 ? t('log.lost') : String(status)))
  const status = (row: RequestRow): StatusTexts => ({
    words: counted([...before(row), last(row)]).join(' → '),
    tone: toneOf(row),
  })
  /** The HTTP status when it is more specific than the state, otherwise the state. */
  const last = ({ state, status: reported, who: of }: RequestRow): string => {
    const words = t(`log.states.${state}`)
    if (reported === null) return words
    if (state === 'done') return String(reported)
    // Distinguishes a refusal by the service (`402`) from a refusal by this program (`402 refused`).
    return state === 'failed' || (state === 'refused' && of.kind === 'app') ? `${reported} ${words}` : words
  }
  /** Why the request ended as it did, in a few words or one sentence. Null after a regular end. */
  const reason = (row: RequestRow): string | null => {
    const { problem, state, cancelledBy } = row
    if (problem) return plainText(problem.message)
    const kind = kindOfStatus(row)
    if (kind) return problemTexts({ kind, status: row.status ?? undefined }).title
    if (state === 'cancelled' && cancelledBy) return t(`detail.cancelledBy.${cancelledBy}`)
    return state === 'unknown' || state === 'cut' ? t(`detail.${state}`) : null
  }
  return { t, who, status, before, reason }
}
