import type { CacheChange, CacheLoss, PromptSectionKind, SessionTurn } from '../../../src-preload/contract/sessions.ts'
import { i18n } from '../../i18n/index.ts'
import { plainText } from '../ui/plainText.ts'

interface Place {
  kind: PromptSectionKind
  place: number
  name: string | null
}

/** The name of a section of a prompt. Names of tools come from outside. */
export function sectionName({ kind, place, name }: Place): string {
  const t = i18n.getFixedT(null, 'sessions')
  if (kind === 'tool')
    return name === null ? t('section.toolUnnamed', { place }) : t('section.tool', { place, name: plainText(name) })
  if (kind === 'system' && place === 1) return t('section.system')
  return t(kind === 'system' ? 'section.systemMore' : `section.${kind}`, { place })
}

/** What to do about a change. Empty where nothing was lost. */
export const adviceOn = (change: CacheChange): string =>
  change === 'first' || change === 'none' || change === 'unread' ? '' : i18n.t(`sessions:advice.${change}`)

/** What changed at the start of a prompt, and what to do. */
export function lossTexts({ change, section }: Pick<CacheLoss, 'change' | 'section'>): {
  what: string
  advice: string
} {
  const t = i18n.getFixedT(null, 'sessions')
  const what = t(`change.${change}`, { section: section ? sectionName(section) : t('unknown') })
  return { what, advice: adviceOn(change) }
}

/** What the cache did for a turn that lost nothing of it. A dash where the service does not say. */
export function keptText({
  row,
  loss,
}: {
  row: Pick<SessionTurn['row'], 'tokensCached'>
  loss: Pick<CacheLoss, 'change'>
}): string {
  const t = i18n.getFixedT(null, 'sessions')
  if (loss.change === 'first') return t('starts')
  if (row.tokensCached === null) return '–'
  return t(row.tokensCached === 0 ? 'notCached' : 'kept')
}
