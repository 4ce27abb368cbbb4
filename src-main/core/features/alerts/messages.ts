import type { AlertFacts, AlertPlace } from '../../../../src-preload/contract/alerts.ts'
import { showSc } from '../../../../src-preload/contract/amountText.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'

/** A notification of the operating system: plain text on a screen that others may see. */
export interface AlertText {
  title: string
  body: string
}

/**
 * The text of a notification. Contains only numbers, times and app names, nothing that the service names: a notification's body may
 * interpret markup, and a key's name is private. App names appear only in the title, which is always plain text.
 */
export function alertText(facts: AlertFacts, { t, locale }: Pick<Words, 't' | 'locale'>): AlertText {
  const sc = (amount: string): string => showSc(amount, locale)
  switch (facts.kind) {
    case 'balance':
      return {
        title: t('core:alert.balance', { below: sc(facts.below) }),
        body: t('core:alert.balanceBody', { balance: sc(facts.balance) }),
      }
    case 'spend':
      return {
        title: t('core:alert.spend', { above: sc(facts.above) }),
        body: t(facts.source === 'service' ? 'core:alert.spendService' : 'core:alert.spendHere', {
          spent: sc(facts.spent),
        }),
      }
    case 'budget': {
      const { tool, spent, budget, window } = facts
      const state = facts.usedUp ? 'budgetUsedUp' : facts.short ? 'budgetShort' : 'budgetNearly'
      return {
        title: t(`core:alert.${state}`, { app: plain(tool.name) }),
        body: t(`core:alert.budgetBody.${window}`, { spent: sc(spent), budget: sc(budget) }),
      }
    }
    case 'tokens':
      return {
        title: t('core:alert.tokens', { app: plain(facts.tool.name) }),
        body: t('core:alert.tokensBody', {
          count: facts.usual,
          limit: facts.limit,
        }),
      }
    case 'busy':
      return {
        title: t('core:alert.busy', { app: plain(facts.tool.name) }),
        body: t('core:alert.busyBody', { count: facts.requests, spent: sc(facts.spent) }),
      }
    case 'app': {
      const title = facts.why === 'paused' ? 'core:alert.appPaused' : 'core:alert.appExpired'
      return { title: t(title, { app: plain(facts.tool.name) }), body: t('core:alert.appBody') }
    }
    case 'cache': {
      const { tool, turns, tokens, cost } = facts
      const lost = { count: turns, app: plain(tool.name) }
      return {
        title: t('core:alert.cache', lost),
        body: t(cost === null ? 'core:alert.cacheBody' : 'core:alert.cacheBodyCost', {
          count: tokens,
          cost: sc(cost ?? '0'),
        }),
      }
    }
    case 'key':
      return { title: t(`core:alert.key.${facts.why}.title`), body: t(`core:alert.key.${facts.why}.body`) }
    case 'ban': {
      const until = instantOf(facts.until)
      const body = until === null ? t('core:alert.banOpen') : t('core:alert.banUntil', { until: utc(until, locale) })
      return { title: t('core:alert.ban'), body }
    }
  }
}

/** The text of one notification for several alerts. @throws RangeError for an empty list */
export function notificationText(all: readonly AlertFacts[], words: Pick<Words, 't' | 'locale'>): AlertText {
  const [first, ...rest] = all.map((facts) => alertText(facts, words))
  if (!first) throw new RangeError('There are no alerts to describe.')
  if (rest.length === 0) return first
  const [title = '', ...others] = rest.map((one) => one.title.replace(/[<>&]/g, ' '))
  const list = new Intl.ListFormat(words.locale, { style: 'narrow' })
  const body =
    others.length > 1
      ? words.t('core:alert.alsoMore', { title, count: others.length })
      : words.t('core:alert.also', { titles: list.format([title, ...others]) })
  return { title: first.title, body }
}

/** The page where a person can act on the alert. */
export function placeOf(facts: AlertFacts): AlertPlace {
  switch (facts.kind) {
    case 'balance':
    case 'spend':
      return { page: 'usage', id: null }
    case 'budget':
    case 'app':
    case 'busy':
    case 'tokens':
      return { page: 'proxy', id: null }
    case 'cache':
      return { page: 'usage', id: `session-${facts.session}` }
    case 'ban':
      return { page: 'usage', id: 'limits' }
    case 'key':
      if (facts.why === 'refused') return { page: 'settings', id: 'connection' }
      return facts.why === 'credits' ? { page: 'usage', id: null } : { page: 'keys', id: facts.keyId }
  }
}

const utc = (ms: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }).format(ms)

/** One line of visible characters. */
const plain = (name: string): string =>
  name
    .replace(/(?:(?![\u200c\u200d])\p{C}|\p{Z})+/gu, ' ')
    .trim()
    .slice(0, 80)
