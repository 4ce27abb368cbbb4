import type { AlertFacts, AlertPlace } from '../../../src-preload/contract/alerts.ts'
import { showCalendarDay, showInstant, showSc } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { lessSc, showSpent } from '../money/sc.ts'
import { adviceOn } from '../sessions/lossTexts.ts'
import { plainText } from '../ui/plainText.ts'

export interface AlertTexts {
  title: string
  body: string
}

/** The texts of an alert in the window's language. Names come from outside, so hidden characters are made visible. */
export function alertTexts(facts: AlertFacts): AlertTexts {
  const t = i18n.getFixedT(null, 'alerts')
  switch (facts.kind) {
    case 'balance': {
      const body = t('balance.body', { balance: showSc(facts.balance), at: showInstant(facts.asOf) })
      return { title: t('balance.title', { below: showSc(facts.below) }), body }
    }
    case 'spend': {
      const { day, spent, above, source } = facts
      const body = t(`spend.${source}`, { spent: showSc(spent), day: showCalendarDay(day) })
      return { title: t('spend.title', { above: showSc(above) }), body }
    }
    case 'budget':
      return budgetTexts(facts)
    case 'tokens': {
      const figures = { count: facts.usual, limit: facts.limit }
      return { title: t('tokens.title', { app: plainText(facts.tool.name) }), body: t('tokens.body', figures) }
    }
    case 'busy': {
      const figures = { count: facts.requests, spent: showSc(facts.spent) }
      return { title: t('busy.title', { app: plainText(facts.tool.name) }), body: t('busy.body', figures) }
    }
    case 'app':
      return { title: t(`app.${facts.why}`, { app: plainText(facts.tool.name) }), body: t('app.body') }
    case 'cache': {
      const { tool, turns, tokens, cost, change } = facts
      const body = t(cost === null ? 'cache.bodyUnpriced' : 'cache.body', {
        count: tokens,
        cost: showSc(cost ?? '0'),
        advice: adviceOn(change),
      })
      return { title: t('cache.title', { app: plainText(tool.name), count: turns }), body: body.trim() }
    }
    case 'key': {
      const figures = { left: showSc(facts.left ?? '0'), limit: showSc(facts.limit ?? '0') }
      return { title: t(`key.${facts.why}.title`), body: t(`key.${facts.why}.body`, figures) }
    }
    case 'ban': {
      const { until } = facts
      const body = until === null ? t('ban.open') : t('ban.until', { until: plainText(showInstant(until)) })
      return { title: t('ban.title'), body }
    }
  }
}

function budgetTexts(facts: Extract<AlertFacts, { kind: 'budget' }>): AlertTexts {
  const t = i18n.getFixedT(null, 'alerts')
  const { tool, window, spent, budget, usedUp, short, usual, asks } = facts
  const words = usedUp ? 'usedUp' : short ? 'short' : 'near'
  const figures = t(`budget.${window}`, { spent: showSpent(spent, budget), budget: showSc(budget) })
  const more = usedUp
    ? t(asks ? 'budget.asks' : 'budget.refused')
    : short === 'refused'
      ? t('budget.tooSmall')
      : short === 'usual' && usual !== null
        ? t('budget.usual', { left: showSc(lessSc(budget, spent)), usual: showSc(usual) })
        : ''
  return { title: t(`budget.${words}`, { app: plainText(tool.name) }), body: `${figures} ${more}`.trim() }
}

/** The affected API key, if it has a name, and the account. */
export function alertOf(facts: AlertFacts): string[] {
  if ('tool' in facts) return []
  const name = facts.kind === 'key' && facts.name ? [i18n.t('alerts:key.named', { name: plainText(facts.name) })] : []
  return [...name, plainText(facts.account.name)]
}

export const linkText = ({ page, id }: AlertPlace): string =>
  i18n.t(`alerts:go.${page !== 'usage' ? page : id === 'limits' ? 'limits' : id === null ? 'usage' : 'session'}`)
