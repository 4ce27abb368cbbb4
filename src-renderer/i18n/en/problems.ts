import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import type { StatusGroup } from '../../../src-preload/contract/statusGroup.ts'

export interface ProblemText {
  /** What happened. */
  title: string
  /** The consequence and the one thing to do, in the specification's terms. */
  meaning: string
  /** The label of the button. */
  action: string
}

const mayHaveWorked = 'The first attempt may already have caused work and cost.'

/** One entry for every kind, checked by the compiler. No text may say that nothing was charged (ERR-11). */
const kinds = {
  invalid_request: {
    title: 'The service rejected this request',
    meaning: 'The request is not valid for this model (400). Change it before you try again.',
    action: 'Edit',
  },
  unauthorized: {
    title: 'The service rejected this API key',
    meaning: 'The API key is not valid (401). Check it in Settings.',
    action: 'Check key',
  },
  insufficient_credits: {
    title: 'Not enough credits',
    meaning:
      'The account has too few SC for this request (402). Add credits where you opened the account, then try again.',
    action: 'Try again',
  },
  forbidden: {
    title: 'No permission',
    meaning: 'The API key has no permission for this (403). Use another key or ask your account’s manager.',
    action: 'Change key',
  },
  not_found: {
    title: 'Model or address not found',
    meaning:
      'The service does not know this model or address (404). Choose another model, or check the base URL in Settings.',
    action: 'Check address',
  },
  rate_limited: {
    title: 'Too many requests',
    meaning: 'A rate or capacity limit was reached (429). Wait a moment, then try again.',
    action: 'Try again',
  },
  internal: {
    title: 'Service error',
    meaning: `The service reported an internal error (500). The request was not retried automatically. ${mayHaveWorked}`,
    action: 'Try again',
  },
  not_implemented: {
    title: 'Not supported by the service',
    meaning: 'The service does not implement this (501). Use Chat instead.',
    action: 'Open Chat',
  },
  bad_gateway: {
    title: 'The service could not reach its model',
    meaning: `The service had a routing or upstream error (502). ${mayHaveWorked}`,
    action: 'Try again',
  },
  unavailable: {
    title: 'The service is unavailable',
    meaning: `The service asks to try again later (503). ${mayHaveWorked}`,
    action: 'Try again',
  },
  gateway_timeout: {
    title: 'The model took too long',
    meaning: `The service stopped waiting for the model (504). ${mayHaveWorked}`,
    action: 'Try again',
  },
  unexpected_status: {
    title: 'Unexpected reply',
    meaning: 'The service replied with a status that this program did not expect.',
    action: 'Try again',
  },
  connect_failed: {
    title: 'The service can’t be reached',
    meaning: 'Nothing responds at this address. Check the address and your network.',
    action: 'Check address',
  },
  connect_timeout: {
    title: 'Connection timed out',
    meaning: 'The address did not accept the connection. Your network may be slow, or a firewall may block it.',
    action: 'Try again',
  },
  tls_failed: {
    title: 'No secure connection',
    meaning: 'The service’s certificate could not be verified. Nothing was sent. Check the address.',
    action: 'Check address',
  },
  headers_timeout: {
    title: 'No reply in time',
    meaning: 'The request was sent, but no reply started. You may still be charged for it.',
    action: 'Try again',
  },
  idle_timeout: {
    title: 'The reply stopped',
    meaning: 'No more text arrived. Trying again requests a new reply, which costs again.',
    action: 'Try again',
  },
  connection_lost: {
    title: 'The connection was lost',
    meaning: 'The connection ended before the reply was complete. You may still be charged for it.',
    action: 'Try again',
  },
  malformed_reply: {
    title: 'Unreadable reply',
    meaning:
      'The reply does not match its content type. The service may have an error, or this is not the service’s address.',
    action: 'Try again',
  },
  incomplete_stream: {
    title: 'The reply is incomplete',
    meaning: 'The reply ended without a finish reason. Trying again requests a new reply, which costs again.',
    action: 'Try again',
  },
  foreign_address: {
    title: 'Blocked address',
    meaning: 'The service named a file outside its base URL. Your key is not sent there.',
    action: 'Check address',
  },
  cancelled: {
    title: 'Stopped',
    meaning: 'The request was cancelled. It is not retried automatically.',
    action: 'Try again',
  },
  would_wait: {
    title: 'Not sent: it would have to wait',
    meaning: 'The queue is busy, and this app asked not to wait. The request was not sent.',
    action: 'Try again',
  },
  queue_full: {
    title: 'Queue full',
    meaning: 'Too many requests are waiting. This request was not sent. Wait until some are done.',
    action: 'Try again',
  },
  queue_timeout: {
    title: 'Queue timeout',
    meaning: 'The request waited too long in the queue and was not sent.',
    action: 'Try again',
  },
  bad_input: {
    title: 'Check your input',
    meaning: 'A value is missing or not valid. Correct it and try again.',
    action: 'Edit',
  },
  not_connected: {
    title: 'Not connected',
    meaning: 'There is no connection, or its API key is missing. Connect in Settings.',
    action: 'Connect',
  },
  connection_changed: {
    title: 'The connection changed',
    meaning: 'The request was not sent, because the connection changed first. Try again to use the new connection.',
    action: 'Try again',
  },
  keychain_missing: {
    title: 'No keychain on this computer',
    meaning: 'The key can’t be stored. It can be used for this session only.',
    action: 'Open Settings',
  },
  keychain_locked: {
    title: 'The keychain is locked',
    meaning: 'Unlock the keychain in your system, then check again.',
    action: 'Check again',
  },
  no_such_item: {
    title: 'Not found',
    meaning: 'It was deleted, here or in another window.',
    action: 'Open Chat',
  },
  busy: {
    title: 'Already in progress',
    meaning: 'The same operation is running. Wait until it ends.',
    action: 'Try again',
  },
  folder_in_use: {
    title: 'The data folder is in use',
    meaning: 'Another Inference Studio is using it. Close that one first.',
    action: 'Reload',
  },
  store_newer: {
    title: 'The data is from a newer version',
    meaning: 'A newer version of Inference Studio wrote this data. Update Inference Studio. Nothing was changed.',
    action: 'Copy details',
  },
  store_damaged: {
    title: 'The data can’t be read',
    meaning: 'The database is damaged. Make a copy of the data folder first.',
    action: 'Show folder',
  },
  disk_full: {
    title: 'The disk is full',
    meaning: 'Nothing more can be saved. Free some space, then try again.',
    action: 'Show folder',
  },
  not_writable: {
    title: 'No permission to write',
    meaning: 'Inference Studio can’t write to this folder. Give your user account write access, then try again.',
    action: 'Show folder',
  },
  too_many_open_files: {
    title: 'Too many open files',
    meaning: 'Inference Studio can’t open more files now. Close other programs, then try again.',
    action: 'Try again',
  },
  database_locked: {
    title: 'The database is locked',
    meaning: 'Another program, such as a database browser, has locked it. Close that program, then try again.',
    action: 'Try again',
  },
  port_taken: {
    title: 'The port is in use',
    meaning: 'Another program uses this port. Choose another port in Settings.',
    action: 'Change port',
  },
  bug: {
    title: 'Internal error',
    meaning: 'Something went wrong in Inference Studio, not at the service. The details help to find the cause.',
    action: 'Copy details',
  },
} satisfies Record<ProblemKind, ProblemText>

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'The API key is not valid (401). Enter it again, or use another one.',
  not_found: 'The service does not know this model or address (404). Check the base URL.',
  not_connected: 'There is no connection, or its API key is missing.',
  port_taken: 'Another program uses this port. Choose another port.',
} satisfies Partial<Record<ProblemKind, string>>

/** Texts for `unexpected_status`, by what the status calls for. Each begins with the message of the core. */
const statuses = {
  informational: {
    title: 'No final reply',
    meaning: `The service sent an interim reply without a final one ({{status}}). ${mayHaveWorked}`,
  },
  empty: {
    title: 'Reply without content',
    meaning: 'The service answered without the expected content ({{status}}).',
  },
  redirect: {
    title: 'The service redirects elsewhere',
    meaning: 'The service answered with a redirect ({{status}}). The key is not sent elsewhere: check the base URL.',
  },
  method: {
    title: 'Not possible at this address',
    meaning:
      'The service does not accept this kind of request at this address ({{status}}). Check the base URL in Settings.',
  },
  format: {
    title: 'Format not accepted',
    meaning: 'The service does not accept the format of this request ({{status}}). Use another format.',
  },
  proxy: {
    title: 'The network asks for a sign-in',
    meaning:
      'A network or proxy between here and the service asks for a sign-in ({{status}}). Sign in to the network, then try again.',
  },
  timeout: {
    title: 'The request took too long to arrive',
    meaning: 'The service did not receive the whole request in time ({{status}}). Check your network, then try again.',
  },
  conflict: {
    title: 'Conflict at the service',
    meaning:
      'The service reported a conflict with another request or with its current state ({{status}}). Try again in a moment.',
  },
  gone: {
    title: 'No longer available',
    meaning:
      'This address or model no longer exists at the service ({{status}}). Choose another model, or check the base URL in Settings.',
  },
  length: {
    title: 'Length required',
    meaning: 'The service needs to know the length of a request before it arrives ({{status}}).',
  },
  tooLarge: {
    title: 'Too large for the service',
    meaning:
      'The request is larger than the service accepts ({{status}}). Make it smaller or split it before you try again.',
  },
  addressTooLong: {
    title: 'Address too long',
    meaning: 'The address of the request is longer than the service accepts ({{status}}).',
  },
  range: {
    title: 'Part not available',
    meaning: 'The service does not have the requested part of the file ({{status}}).',
  },
  unprocessable: {
    title: 'The service can’t process this request',
    meaning: 'The service understood the request but can’t process it ({{status}}). Change it before you try again.',
  },
  joke: {
    title: 'The service refused this request',
    meaning: 'The service refused the request: “I’m a teapot” ({{status}}).',
  },
  wrongHost: {
    title: 'Wrong server',
    meaning:
      'The request reached a server that is not responsible for this address ({{status}}). Check the base URL in Settings.',
  },
  early: {
    title: 'Too early',
    meaning: 'The service does not want to process the request yet ({{status}}). Try again in a moment.',
  },
  upgrade: {
    title: 'Another protocol is needed',
    meaning:
      'The service asks for another protocol or a newer version of it ({{status}}). Check the base URL in Settings.',
  },
  headersTooLarge: {
    title: 'Headers too large',
    meaning: 'The headers of the request are larger than the service accepts ({{status}}).',
  },
  legal: {
    title: 'Not available for legal reasons',
    meaning: 'The service may not answer this request for legal reasons ({{status}}).',
  },
  client: {
    title: 'The service refused this request',
    meaning: 'The service refused the request ({{status}}). Change it before you try again.',
  },
  storage: {
    title: 'The service is out of storage',
    meaning: 'The service has no storage left for this request ({{status}}). Try again later.',
  },
  unreachable: {
    title: 'The service can’t be reached',
    meaning: `A gateway could not reach the service ({{status}}). ${mayHaveWorked}`,
  },
  server: {
    title: 'Service error',
    meaning: `The service reported an error ({{status}}). ${mayHaveWorked}`,
  },
  unassigned: {
    title: 'Unknown status',
    meaning: 'The service answered with a status that HTTP does not define ({{status}}).',
  },
} satisfies Record<StatusGroup, { title: string; meaning: string }>

export const problems = {
  storage: {
    title: 'Changes can’t be saved',
    meaning: 'New replies may not be saved until then.',
    action: 'Try again',
  },
  kinds,
  statuses,
  inSettings,
  said: 'The service says: “{{message}}”',
  wait: 'The service asks to wait {{seconds}} s.',
  kept: 'The reply is incomplete. What arrived is saved.',
  facts: {},
}
