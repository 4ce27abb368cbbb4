import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RequestRow, Who } from '../../../src-preload/contract/requests.ts'
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

/** The texts of a row, shared by the log and the inspector. */
export function useRowTexts() {
  const { t } = useTranslation('proxy')
  return useMemo(() => rowTexts(t), [t])
}

function rowTexts(t: TFunction<'proxy'>) {
  const who = (of: Who): string =>
    of.kind === 'app'
      ? of.name
      : of.kind === 'studio'
        ? t('log.studioFeature', { feature: t(`log.features.${of.feature}`) })
        : of.from
  const before = (row: RequestRow): string[] =>
    row.retriedAfter.map((status) => (status === 0 ? t('log.lost') : String(status)))
  const status = (row: RequestRow): StatusTexts => ({
    words: [...before(row), last(row)].join(' → '),
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
  /** Why the request ended as it did, in one sentence. Null after a regular end. */
  const reason = ({ problem, state, cancelledBy }: RequestRow): string | null => {
    if (problem) return plainText(problem.message)
    if (state === 'cancelled' && cancelledBy) return t(`detail.cancelledBy.${cancelledBy}`)
    return state === 'unknown' || state === 'cut' ? t(`detail.${state}`) : null
  }
  return { t, who, status, before, reason }
}
