import type { DescribedTables } from './tables.ts'

const of = {
  book: '`no` of `books`',
  what: '`usage` (days of the account, by model), or `days:KEY` (days of a key)',
}
const day = 'days since 1970, of the service’s calendar'
const money = {
  cost_millionths: 'whole millionths of an SC',
  cost_below: 'and 1e-18 SC below them',
}
const figures = {
  requests: '',
  tokens_in: '',
  tokens_out: '',
  tokens_cached: 'null where it was not told',
  ...money,
}
const asked = 'when the service was asked, ms since 1970 (UTC)'

/** What the service said of its accounts. Nothing of it is ever deleted, but the book of a sandbox. */
export const accountTables: DescribedTables = {
  books: {
    about: 'One row an account at a base address.',
    columns: {
      no: 'its number in this file',
      id: '',
      kind: '`service` or `sandbox`',
      base_url: '',
      user_id: 'as the service calls the account; null where it does not say',
      name: '',
      calling_key: 'the id of the key that was used last',
      offers: 'whether the service has these read-outs: `yes`, `no` or `unknown`',
      asked_at: asked,
      used_at: 'ms since 1970',
    },
  },
  days: {
    about: 'A day’s row: what it says now, and what was said first.',
    columns: {
      ...of,
      day,
      model: 'empty in the days of a key',
      ...figures,
      first_at: asked,
      first_requests: 'what was said first',
      first_tokens_in: '',
      first_tokens_out: '',
      first_tokens_cached: '',
      first_cost_millionths: '',
      first_cost_below: '',
      date: 'as the service wrote it',
    },
  },
  closed: {
    about: 'What a row said after its day had ended (UTC), where it changed.',
    columns: { ...of, day, model: '', at: asked, corrects: '1: it corrects what was said before', ...figures },
  },
  coverage: {
    about: 'Of which days the service spoke when. A day without a row is a gap.',
    columns: {
      ...of,
      day,
      first_at: asked,
      last_at: 'the same of the last time',
      closed_at: 'the first time after the day had ended; null: its figures may still grow',
    },
  },
  fetches: {
    about: 'Every answer of a read-out.',
    columns: {
      book: of.book,
      what: '`usage`, `keys`, `current`, `days:KEY` or `totals:KEY`',
      at: asked,
      from_day: 'the days that it speaks of',
      to_day: '',
    },
  },
  versions: {
    about: 'Balance, lifetime spend and key records, a row where one changed: it stands until the next.',
    columns: { book: of.book, what: '`account`, `key:KEY`, `current:KEY` or `totals:KEY`', at: asked, value: 'JSON' },
  },
  undated: {
    about: 'Rows whose date can’t be read, as they came.',
    columns: { ...of, date: 'as the service wrote it', model: '', at: asked, ...figures },
  },
  limits: { about: 'The last rate-limit status of each book.', columns: { book: of.book, at: asked, value: 'JSON' } },
  places: {
    about: 'Which book each profile led to last.',
    columns: {
      profile: '`id` of `profiles` in studio.sqlite; empty: whoever comes there first',
      base_url: '',
      book: of.book,
    },
  },
}
