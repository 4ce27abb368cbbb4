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
  tokens_cached: 'null when not reported',
  ...money,
  missing: 'JSON: how many of the reported rows lacked a figure, such as `{"cost":1}`; null: none',
}
const asked = 'when the report was requested, ms since 1970 (UTC)'

/** Tables of account.sqlite. */
export const accountTables: DescribedTables = {
  books: {
    about: 'One row per account at a base address.',
    columns: {
      no: 'its number in this file',
      id: '',
      kind: '`service` or `sandbox`',
      base_url: '',
      user_id: 'the service’s id of the account; null when it reports none',
      name: '',
      calling_key: 'the id of the key that was used last',
      offers: 'whether the service has these reports: `yes`, `no` or `unknown`',
      asked_at: asked,
      used_at: 'ms since 1970',
    },
  },
  days: {
    about: 'A day’s row: the current figures, and those first reported.',
    columns: {
      ...of,
      day,
      model: 'empty in the days of a key',
      ...figures,
      first_at: asked,
      first_requests: 'as first reported',
      first_tokens_in: '',
      first_tokens_out: '',
      first_tokens_cached: '',
      first_cost_millionths: '',
      first_cost_below: '',
      first_missing: '',
      date: 'as the service wrote it',
    },
  },
  closed: {
    about: 'Figures of a row after its day had ended (UTC), one row per change.',
    columns: { ...of, day, model: '', at: asked, corrects: '1: a correction of the former figures', ...figures },
  },
  coverage: {
    about: 'When the service reported about which days. A day without a row is a gap.',
    columns: {
      ...of,
      day,
      first_at: asked,
      last_at: 'the last such time, ms since 1970 (UTC)',
      closed_at: 'the first such time after the day had ended; null: its figures may still grow',
    },
  },
  fetches: {
    about: 'Every reply of a report.',
    columns: {
      book: of.book,
      what: '`usage`, `keys`, `current`, `days:KEY` or `totals:KEY`',
      at: asked,
      from_day: 'the days that it covers',
      to_day: '',
    },
  },
  versions: {
    about: 'Balance, lifetime spend and key records, one row per change, valid until the next.',
    columns: { book: of.book, what: '`account`, `key:KEY`, `current:KEY` or `totals:KEY`', at: asked, value: 'JSON' },
  },
  undated: {
    about: 'Rows whose date can’t be parsed, as received.',
    columns: { ...of, date: 'as the service wrote it', model: '', at: asked, ...figures },
  },
  limits: {
    about: 'The last rate-limit status of each account.',
    columns: { book: of.book, at: asked, value: 'JSON' },
  },
  places: {
    about: 'Which account each profile used last.',
    columns: {
      profile: '`id` of `profiles` in studio.sqlite; empty: the next profile that connects there',
      base_url: '',
      book: of.book,
    },
  },
}
