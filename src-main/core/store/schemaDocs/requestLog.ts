import { cancellers, certainties, dialects, endpoints, endStates, outcomes } from '../requestLog/codes.ts'
import type { DescribedTables } from './tables.ts'

const words = (list: readonly string[]): string => list.map((word, code) => `${code} \`${word}\``).join(', ')
const billionths = 'billionths of an SC'
const day = 'days since 1970 (UTC)'
const sums = {
  requests: 'number of requests, without those refused here',
  tokens_in: '',
  tokens_out: '',
  tokens_cached: 'a part of `tokens_in`',
  cost: `${billionths}, sum of the known costs`,
  estimated: 'requests whose cost is an estimate',
  unpriced: 'requests whose cost is unknown',
}

/** Tables of ledger.sqlite. */
export const requestLogTables: DescribedTables = {
  requests: {
    about: 'One row per request of the studio and of every app. Words are stored as numbers.',
    columns: {
      id: 'in the order of their start',
      at: 'when it began, ms since 1970 (UTC)',
      caller: 'row of `callers`',
      endpoint: words(endpoints),
      outcome: `${words(outcomes)}; null: in progress, or it was when the program died`,
      request_id: 'its id at the service',
      problem_message: '',
      problem_kind: '',
      path: 'null: the usual one of its endpoint',
      model: 'when `callers` does not have it',
      stream: '',
      state: words(endStates),
      status: 'HTTP status',
      attempts: 'number of times it was sent',
      queued_us: 'microseconds in the queue of this computer',
      backoff_us: 'microseconds of waiting before retries',
      connect_us: 'microseconds from its start until it was connected',
      first_byte_us: 'microseconds from its start to the first byte of the reply',
      duration_us: 'microseconds in total',
      bytes_up: '',
      bytes_down: '',
      tokens_in: '',
      tokens_out: '',
      tokens_cached: 'a part of `tokens_in`',
      tokens_are: words(certainties),
      cost: billionths,
      cost_is: words(certainties),
      has_bodies: '1: bodies.sqlite has its bodies',
      times: 'number of consecutive refusals of this kind',
      cancelled_by: words(cancellers),
      retried_after: 'statuses of the former attempts, separated by commas',
      method: 'null: POST',
      origin: 'description of a caller without a key',
      backoff_429_us: 'the part of `backoff_us` after a 429',
      dialect: `${words(dialects)}; null: the API of the service`,
      asked_model: 'the model that the app asked for, if another one was sent',
      answered_model: 'the model that the reply names, if another one was sent',
      finish_reason: 'why the reply ended',
      ignored: 'JSON list of what had no effect',
    },
  },
  callers: {
    about: 'Who asked for which model.',
    columns: {
      id: '',
      who: '`tool:ID` (`tool_keys` in studio.sqlite), `studio:FEATURE`, or `stranger`',
      model: 'null: the request named none',
      many: '1: all further models of this caller, whose names are in the rows',
    },
  },
  use_days: {
    about: 'Sums by account, day and caller. They stay when requests are deleted.',
    columns: { account: 'row of `accounts`', day, caller: 'row of `callers`', ...sums, failed: 'requests that failed' },
  },
  spend: { about: 'Sums by caller and day, over all accounts.', columns: { who: 'as in `callers`', day, ...sums } },
  spend_resets: {
    about: 'Total cost of an app at the time when a person reset it.',
    columns: { who: '', cost: billionths, estimated: '', at: 'ms since 1970' },
  },
  accounts: {
    about: 'Accounts that requests were sent to.',
    columns: {
      id: '',
      base_url: '',
      book: '`id` of `books` in account.sqlite; null until the account is known',
      profile: 'until then: `id` of `profiles` in studio.sqlite',
    },
  },
  links: {
    about: 'From this request on, up to the next link, requests belong to this account.',
    columns: { first_row: '`id` of `requests`', account: 'row of `accounts`' },
  },
  prices: {
    about:
      'Estimated prices, computed from the daily usage that the service reported. In 1e-18 SC per token or request.',
    columns: {
      profile: '',
      base_url: '',
      model: '',
      how: '`separate`, `in_out`, `blend`, `request` or `free`: the kind of estimate',
      fresh: 'a token of the prompt that was not cached',
      cached: 'a token of the prompt that was cached',
      out: 'a token of the reply',
      request: 'a request',
      days: 'number of days that the estimate is based on',
      as_of: 'ms since 1970',
    },
  },
  facts: {
    about: 'Small numbers about the log itself.',
    columns: {
      name: '`floor` (every row below has ended), `clock_went_back` (1: ids and times disagree), `erased_to` (no new row gets this id or a lower one)',
      value: '',
    },
  },
}

/** Tables of bodies.sqlite. */
export const bodiesTables: DescribedTables = {
  bodies: {
    about: 'Headers and bodies of requests of apps that may be logged, without secrets, until they are deleted.',
    columns: {
      id: '`id` of `requests` in ledger.sqlite',
      who: 'as in `callers`',
      at: 'ms since 1970',
      size: 'stored bytes',
      request_bytes: 'bytes of the complete body',
      request_capped: '1: only its beginning is stored',
      reply_bytes: 'bytes of the complete body',
      reply_capped: '1: only its beginning is stored',
      request_headers: 'JSON list of names and values',
      reply_headers: 'JSON list of names and values',
      request_text: '',
      reply_text: '',
    },
  },
  responses: {
    about: 'Responses that apps asked to store (OpenAI Responses API), without secrets, until they are deleted.',
    columns: {
      id: '',
      who: 'as in `callers`',
      at: 'ms since 1970',
      request: '`id` of `requests` in ledger.sqlite',
      previous: 'the response before it in the conversation',
      size: 'stored bytes',
      input: 'JSON list of the items of its request',
      reply: 'JSON object of the reply',
    },
  },
  response_items: {
    about: 'Which response has an item.',
    columns: { who: 'as in `callers`', id: 'of the item', response: '`id` of `responses`' },
  },
}
