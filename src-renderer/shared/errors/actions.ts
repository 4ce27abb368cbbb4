import type { ProblemKind } from '../../../src-preload/contract/problem.ts'

/**
 * The target of a problem's action. `retry` and `edit` need a handler of the component that shows the problem. The other targets work
 * everywhere.
 */
export type ProblemTarget =
  | 'retry'
  | 'edit'
  | 'connection'
  | 'proxy_port'
  | 'data'
  | 'chat'
  | 'recheck'
  | 'reload'
  | 'copy'

/** Every kind, checked by the compiler. */
export const problemTargets: Record<ProblemKind, ProblemTarget> = {
  invalid_request: 'edit',
  unauthorized: 'connection',
  insufficient_credits: 'retry',
  forbidden: 'connection',
  not_found: 'connection',
  rate_limited: 'retry',
  internal: 'retry',
  not_implemented: 'chat',
  bad_gateway: 'retry',
  unavailable: 'retry',
  gateway_timeout: 'retry',
  unexpected_status: 'retry',
  connect_failed: 'connection',
  connect_timeout: 'retry',
  tls_failed: 'connection',
  headers_timeout: 'retry',
  idle_timeout: 'retry',
  connection_lost: 'retry',
  malformed_reply: 'retry',
  incomplete_stream: 'retry',
  foreign_address: 'connection',
  cancelled: 'retry',
  would_wait: 'retry',
  queue_full: 'retry',
  queue_timeout: 'retry',
  bad_input: 'edit',
  not_connected: 'connection',
  connection_changed: 'retry',
  keychain_missing: 'connection',
  keychain_locked: 'recheck',
  no_such_item: 'chat',
  busy: 'retry',
  folder_in_use: 'reload',
  store_newer: 'copy',
  store_damaged: 'data',
  disk_full: 'data',
  not_writable: 'data',
  too_many_open_files: 'retry',
  database_locked: 'retry',
  port_taken: 'proxy_port',
  bug: 'copy',
}

/** Kinds shown in amber: caused by the person, or temporary. Other kinds are red. */
const mild: ReadonlySet<ProblemKind> = new Set([
  'cancelled',
  'rate_limited',
  'would_wait',
  'queue_full',
  'queue_timeout',
  'busy',
  'connection_changed',
  'keychain_locked',
  'incomplete_stream',
  'no_such_item',
  'too_many_open_files',
  'database_locked',
])
export const problemTone = (kind: ProblemKind): 'warn' | 'bad' => (mild.has(kind) ? 'warn' : 'bad')
