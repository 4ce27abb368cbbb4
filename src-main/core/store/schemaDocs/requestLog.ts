import { cancellers, certainties, endpoints, endStates, outcomes } from '../requestLog/codes.ts'
import type { DescribedTables } from './tables.ts'

const words = (list: readonly string[]): string => list.map((word, code) => `${code} \`${word}\``).join(', ')
const billionths = 'billionths of an SC'
const day = 'days since 1970 (UTC)'
const sums = {
  requests: 'how many; those that were refused here are not in it',
  tokens_in: '',
  tokens_out: '',
  tokens_cached: 'a part of `tokens_in`',
  cost: `${billionths}, as far as anybody can tell`,
  estimated: 'requests whose cost is an estimate',
  unpriced: 'requests whose cost nobody knows',
}

/** Every request of this machine. */
export const requestLogTables: DescribedTables = {
  requests: {
    about: 'One row a request, of the studio and of every tool. Words are numbers here.',
    columns: {
      id: 'in the order in which they began',
      at: 'when it began, ms since 1970 (UTC)',
      caller: 'row of `callers`',
      endpoint: words(endpoints),
      outcome: `${words(outcomes)}; null: under way, or it was when the program died`,
      request_id: 'what the service calls it',
      problem_message: '',
      problem_kind: '',
      path: 'null: the usual one of its endpoint',
      model: 'where `callers` does not have it',
      stream: '',
      state: words(endStates),
      status: 'HTTP status',
      attempts: 'how often it was sent',
      queued_us: 'microseconds in the queue of this machine',
      backoff_us: 'microseconds of waiting before it was sent again',
      connect_us: 'microseconds from its beginning until it was connected',
      first_byte_us: 'microseconds from its beginning to the first byte of the reply',
      duration_us: 'microseconds in all',
      bytes_up: '',
      bytes_down: '',
      tokens_in: '',
      tokens_out: '',
      tokens_cached: 'a part of `tokens_in`',
      tokens_are: words(certainties),
      cost: billionths,
      cost_is: words(certainties),
      has_bodies: '1: bodies.sqlite has its texts',
      times: 'how often a refusal of this kind came in a row',
      cancelled_by: words(cancellers),
      retried_after: 'statuses of the attempts before, with commas between',
      method: 'null: POST',
      origin: 'who a stranger was, in words',
      backoff_429_us: 'the part of `backoff_us` that was for a 429',
    },
  },
  callers: {
    about: 'Who asked for which model.',
    columns: {
      id: '',
      who: '`tool:ID` (`tool_keys` in studio.sqlite), `studio:ROOM`, or `stranger`',
      model: 'null: none was named',
      many: '1: stands for all further models of this one, whose names are in the rows',
    },
  },
  use_days: {
    about: 'Sums by account, day and caller. They stay when requests are erased.',
    columns: { account: 'row of `accounts`', day, caller: 'row of `callers`', ...sums, failed: 'requests that failed' },
  },
  spend: { about: 'Sums by caller and day, over all accounts.', columns: { who: 'as in `callers`', day, ...sums } },
  spend_resets: {
    about: 'What had been spent when a person set the spend of a tool back to nothing.',
    columns: { who: '', cost: billionths, estimated: '', at: 'ms since 1970' },
  },
  accounts: {
    about: 'Where requests went.',
    columns: {
      id: '',
      base_url: '',
      book: '`id` of `books` in account.sqlite; null until it is told whose they are',
      profile: 'until then: `id` of `profiles` in studio.sqlite',
    },
  },
  links: {
    about: 'From this request on, up to the next link, they went to this account.',
    columns: { first_row: '`id` of `requests`', account: 'row of `accounts`' },
  },
  prices: {
    about: 'What models seem to cost, learned of the days that the service told. In 1e-18 SC for a token or a request.',
    columns: {
      profile: '',
      base_url: '',
      model: '',
      how: '`separate`, `in_out`, `blend`, `request` or `free`: how they were told apart',
      fresh: 'a token of the prompt that was not cached',
      cached: 'one that was',
      out: 'a token of the reply',
      request: 'a request',
      days: 'days that it was learned of',
      as_of: 'ms since 1970',
    },
  },
  facts: {
    about: 'What the log remembers about itself.',
    columns: {
      name: '`floor` (every row below has ended), `clock_went_back` (1: ids and times disagree), `erased_to` (no row gets such an id again)',
      value: '',
    },
  },
}

/** Kept texts. */
export const bodiesTables: DescribedTables = {
  bodies: {
    about: 'Headers and bodies of requests of the tools that may be logged, without secrets, until they are erased.',
    columns: {
      id: '`id` of `requests` in ledger.sqlite',
      who: 'as in `callers`',
      at: 'ms since 1970',
      size: 'bytes of all that is kept of it',
      request_bytes: 'bytes of the whole body',
      request_capped: '1: only its beginning is kept',
      reply_bytes: 'bytes of the whole body',
      reply_capped: '1: only its beginning is kept',
      request_headers: 'JSON list of names and values',
      reply_headers: 'JSON list of names and values',
      request_text: '',
      reply_text: '',
    },
  },
}
