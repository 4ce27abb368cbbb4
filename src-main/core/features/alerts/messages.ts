import type { AlertFacts, AlertPlace } from '../../../../src-preload/contract/alerts.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'

/** A notification of the operating system: plain text on a screen that others may see. */
export interface AlertText {
  title: string
  body: string
}

const windows = { day: 'today', month: 'this month', total: 'in total' }

/**
 * The English text of a notification. Contains only numbers, times and app names, nothing that the service names: a notification's body may
 * interpret markup, and a key's name is private. App names appear only in the title, which is always plain text.
 */
export function alertText(facts: AlertFacts): AlertText {
  switch (facts.kind) {
    case 'balance':
      return { title: `Balance below ${facts.below} SC`, body: `The account has ${facts.balance} SC left.` }
    case 'spend': {
      const side = facts.source === 'service' ? 'according to the service' : 'according to this computer'
      return { title: `Spent more than ${facts.above} SC today`, body: `${facts.spent} SC, ${side}.` }
    }
    case 'budget': {
      const { tool, spent, budget, window } = facts
      const is = facts.usedUp
        ? 'budget used up'
        : facts.short
          ? 'not enough budget left for another request'
          : 'budget nearly used up'
      return { title: `${plain(tool.name)}: ${is}`, body: `${spent} of ${budget} SC ${windows[window]}.` }
    }
    case 'tokens': {
      const body = `Its usual request uses ${facts.usual} tokens. Its limit is ${facts.limit} a minute.`
      return { title: `${plain(facts.tool.name)}: token limit too low`, body }
    }
    case 'busy':
      return {
        title: `${plain(facts.tool.name)} is busy`,
        body: `${facts.requests} requests and ${facts.spent} SC in the last hour.`,
      }
    case 'app':
      return {
        title: `${plain(facts.tool.name)} is ${facts.why === 'paused' ? 'paused' : 'expired'}`,
        body: 'A request of this app was refused.',
      }
    case 'key':
      return keyTexts[facts.why]
    case 'ban': {
      const until = instantOf(facts.until)
      const body = until === null ? 'The service did not report an end.' : `Until ${utc(until)} UTC.`
      return { title: 'The service blocks requests', body }
    }
  }
}

const keyTexts: Record<Extract<AlertFacts, { kind: 'key' }>['why'], AlertText> = {
  low: { title: 'The API key’s balance is low', body: 'Less than a tenth of its limit is left.' },
  empty: { title: 'The API key’s balance is used up', body: 'The service will refuse its requests.' },
  revoked: { title: 'The API key was revoked', body: 'The service will refuse its requests.' },
  refused: { title: 'The service rejected the API key', body: 'The service replied 401.' },
  credits: { title: 'Credits are used up', body: 'The service replied 402.' },
  forbidden: { title: 'The service denied access', body: 'The service replied 403.' },
}

/** The text of one notification for several alerts. @throws RangeError for an empty list */
export function notificationText(all: readonly AlertFacts[]): AlertText {
  const [first, ...rest] = all.map(alertText)
  if (!first) throw new RangeError('There are no alerts to describe.')
  if (rest.length === 0) return first
  const shown =
    rest.length > 2 ? `${rest[0]?.title}, and ${rest.length - 1} more` : rest.map(({ title }) => title).join(', ')
  return { title: first.title, body: `Also: ${shown.replace(/[<>&]/g, ' ')}.` }
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
    case 'ban':
      return { page: 'usage', id: 'limits' }
    case 'key':
      if (facts.why === 'refused') return { page: 'settings', id: 'connection' }
      return facts.why === 'credits' ? { page: 'usage', id: null } : { page: 'keys', id: facts.keyId }
  }
}

const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

/** One line of visible characters. */
const plain = (name: string): string =>
  name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 80)
