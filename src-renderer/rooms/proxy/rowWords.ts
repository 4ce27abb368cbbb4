import { useTranslation } from 'react-i18next'
import type { RequestRow, Who } from '../../../src-preload/contract/requests.ts'
import type { PillTone } from '../../ui/Pill.tsx'

export interface StatusWords {
  words: string
  tone: PillTone
}

/** The words of a row. Kept apart from its cells, because the inspector says the same. */
export function useRowWords() {
  const { t } = useTranslation('proxy')
  const who = (of: Who): string =>
    of.kind === 'tool'
      ? of.name
      : of.kind === 'studio'
        ? t('log.studioWho', { room: t(`log.rooms.${of.room}`) })
        : of.from
  const before = (row: RequestRow): string[] =>
    row.retriedAfter.map((status) => (status === 0 ? t('log.lost') : String(status)))
  const status = (row: RequestRow): StatusWords => {
    const steps = before(row)
    if (row.state === 'done' && row.status !== null) {
      const tone = row.status >= 400 ? 'bad' : steps.length > 0 ? 'warn' : 'good'
      return { words: [...steps, String(row.status)].join(' → '), tone }
    }
    const state = t(`log.states.${row.state}`)
    if (row.state === 'refused') {
      return { words: row.who.kind === 'tool' && row.status !== null ? String(row.status) : state, tone: 'bad' }
    }
    if (row.state === 'failed' || row.state === 'cut') {
      const last = row.state === 'failed' && row.status !== null ? `${row.status} ${state}` : state
      return { words: [...steps, last].join(' → '), tone: 'bad' }
    }
    return {
      words: [...steps, state].join(' → '),
      tone: row.state === 'backing_off' || row.state === 'waiting' ? 'warn' : 'muted',
    }
  }
  return { who, status, before }
}
