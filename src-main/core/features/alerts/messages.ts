import type { AlertFacts, AlertPlace } from '../../../../src-preload/contract/alerts.ts'
import { instantOf } from '../../shared/days.ts'

/** A notification of the system: plain text, on a screen that others may see. */
export interface AlertText {
  title: string
  body: string
}

const windows = { day: 'today', month: 'this month', total: 'in all' }

/**
 * English for the system's notification; the window has words of its own. Nothing of it comes from the service but numbers and times: a
 * notification may take markup, and what a key is called is nobody's to show. A tool's name stands in the title, which never does.
 */
export function wordsOf(facts: AlertFacts): AlertText {
  switch (facts.kind) {
    case 'balance':
      return { title: `Balance below ${facts.below} SC`, body: `${facts.balance} SC are left of the account.` }
    case 'spend': {
      const side = facts.source === 'service' ? 'as the service tells it' : 'as this machine counts it'
      return { title: `Spent more than ${facts.above} SC today`, body: `${facts.spent} SC, ${side}.` }
    }
    case 'budget': {
      const { tool, spent, budget, window } = facts
      const title = `${plain(tool.name)}: budget ${facts.usedUp ? 'used up' : 'nearly used up'}`
      return { title, body: `${spent} of ${budget} SC ${windows[window]}.` }
    }
    case 'key':
      return keyWords[facts.why]
    case 'ban': {
      const until = instantOf(facts.until)
      const body = until === null ? 'It does not say until when.' : `Until ${utc(until)} UTC.`
      return { title: 'The service blocks requests', body }
    }
  }
}

const keyWords: Record<Extract<AlertFacts, { kind: 'key' }>['why'], AlertText> = {
  low: { title: 'The key’s balance runs low', body: 'Less than a tenth of its limit is left.' },
  empty: { title: 'The key’s balance is used up', body: 'The service will refuse its requests.' },
  revoked: { title: 'The key was revoked', body: 'The service will refuse its requests.' },
  refused: { title: 'The service refused the key', body: 'It answered with 401.' },
  credits: { title: 'Credits are used up', body: 'The service answered with 402.' },
  forbidden: { title: 'The service denied access', body: 'It answered with 403.' },
}

/** Several at once are one notification. */
export function wordsOfAll(all: readonly AlertFacts[]): AlertText {
  const [first, ...rest] = all.map(wordsOf)
  if (!first) throw new RangeError('There is nothing to say.')
  if (rest.length === 0) return first
  const shown =
    rest.length > 2 ? `${rest[0]?.title}, and ${rest.length - 1} more` : rest.map(({ title }) => title).join(', ')
  return { title: first.title, body: `Also: ${shown.replace(/[<>&]/g, ' ')}.` }
}

/** Where it can be looked into. */
export function placeOf(facts: AlertFacts): AlertPlace {
  switch (facts.kind) {
    case 'balance':
    case 'spend':
      return { page: 'usage', id: null }
    case 'budget':
      return { page: 'proxy', id: null }
    case 'ban':
      return { page: 'usage', id: 'limits' }
    case 'key':
      if (facts.why === 'refused') return { page: 'settings', id: 'connection' }
      return facts.why === 'credits' ? { page: 'usage', id: null } : { page: 'keys', id: facts.keyId }
  }
}

const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

/** One line without what can't be seen. */
const plain = (name: string): string =>
  name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 80)
