import type { ProblemKind } from '../../../src-preload/contract/problem.ts'

export interface ProblemText {
  /** What happened. */
  title: string
  /** What it means and the one thing to do, in the specification's terms. */
  meaning: string
  /** The button. */
  action: string
}

const mayHaveWorked = 'The first attempt may already have caused work at the service.'

/** One entry for every kind: the compiler refuses a missing one. Never says that nothing was charged (ERR-11). */
const kinds = {
  invalid_request: {
    title: 'The service did not accept this request',
    meaning:
      'Something in it is not valid for this model (400). Change the request; sending it again as it is won’t help.',
    action: 'Change it',
  },
  unauthorized: {
    title: 'This key was refused',
    meaning: 'The service does not know it (401). Check it in Settings.',
    action: 'Check the key',
  },
  insufficient_credits: {
    title: 'Not enough credit',
    meaning:
      'The account behind this key has too little SC for this request (402). Add credits with the service, then try again.',
    action: 'Try again',
  },
  forbidden: {
    title: 'This key may not do that',
    meaning: 'The key is valid but has no permission for it (403). Use a key that has, or ask who manages the account.',
    action: 'Change the key',
  },
  not_found: {
    title: 'No such model or address',
    meaning:
      'The service does not know what was asked for (404). Pick another model, or check the base address in Settings.',
    action: 'Check the address',
  },
  rate_limited: {
    title: 'The service asks to slow down',
    meaning: 'A rate or capacity limit is reached (429). Wait, and send less at once.',
    action: 'Try again',
  },
  internal: {
    title: 'The service failed inside',
    meaning: `It answered with an internal error (500). This was not tried again by itself. ${mayHaveWorked}`,
    action: 'Try again',
  },
  not_implemented: {
    title: 'The service does not offer this',
    meaning: 'It answered that this is not implemented (501). Use Chat instead.',
    action: 'Open Chat',
  },
  bad_gateway: {
    title: 'The service could not reach its model',
    meaning: `A routing or upstream error (502). ${mayHaveWorked}`,
    action: 'Try again',
  },
  unavailable: {
    title: 'The service is unavailable for now',
    meaning: `It asks for a later attempt (503). ${mayHaveWorked}`,
    action: 'Try again',
  },
  gateway_timeout: {
    title: 'The model took too long',
    meaning: `The service gave up waiting for it (504). ${mayHaveWorked}`,
    action: 'Try again',
  },
  unexpected_status: {
    title: 'An unexpected answer',
    meaning: 'The service answered with a status that its description does not name.',
    action: 'Try again',
  },
  connect_failed: {
    title: 'The service can’t be reached',
    meaning: 'Nothing answers at its address. Check the address and the network.',
    action: 'Check the address',
  },
  connect_timeout: {
    title: 'No connection in time',
    meaning: 'The address did not take the connection. The network may be slow, or something on the way blocks it.',
    action: 'Try again',
  },
  tls_failed: {
    title: 'No safe connection',
    meaning: 'The service’s certificate could not be verified, so nothing was sent. Check the address.',
    action: 'Check the address',
  },
  headers_timeout: {
    title: 'No answer in time',
    meaning: 'The request was sent and no reply began. A missing reply does not prove that no work was done.',
    action: 'Try again',
  },
  idle_timeout: {
    title: 'The reply stopped coming',
    meaning: 'Nothing more arrived for too long. Asking again makes a new reply, which is new work at the service.',
    action: 'Ask again',
  },
  connection_lost: {
    title: 'The connection was lost',
    meaning: 'It ended in the middle. A missing reply does not prove that no work was done.',
    action: 'Ask again',
  },
  malformed_reply: {
    title: 'The reply can’t be read',
    meaning: 'It is not what its content type says. The service may have a fault, or the address is not the service’s.',
    action: 'Try again',
  },
  incomplete_stream: {
    title: 'The reply is incomplete',
    meaning:
      'It ended without saying that it was done. Asking again makes a new reply, which is new work at the service.',
    action: 'Ask again',
  },
  foreign_address: {
    title: 'An address elsewhere was not opened',
    meaning: 'The service named a file that does not lie under its base address. Your key is not sent there.',
    action: 'Check the address',
  },
  cancelled: {
    title: 'Stopped',
    meaning: 'It was cancelled and is not tried again by itself.',
    action: 'Ask again',
  },
  would_wait: {
    title: 'It would have to wait',
    meaning: 'It is not its turn yet, and this tool asked not to wait. It was not sent to the service.',
    action: 'Try again',
  },
  queue_full: {
    title: 'Too many are waiting',
    meaning: 'The queue before the service is full. It was not sent to the service. Wait until some are done.',
    action: 'Try again',
  },
  queue_timeout: {
    title: 'Its turn did not come in time',
    meaning: 'It waited in the queue as long as a request may, and was not sent to the service.',
    action: 'Try again',
  },
  bad_input: {
    title: 'This can’t be used as it is',
    meaning: 'Something given is missing or not valid. Change it and try again.',
    action: 'Change it',
  },
  not_connected: {
    title: 'Nothing is connected',
    meaning: 'There is no service to ask, or no key for it. Connect in Settings.',
    action: 'Connect',
  },
  connection_changed: {
    title: 'Another connection was chosen',
    meaning:
      'This was not sent yet when the connection changed, so it was not sent at all. Asked again, it goes to the new one.',
    action: 'Ask again',
  },
  keychain_missing: {
    title: 'No keychain on this machine',
    meaning: 'The key can’t be kept for next time. It can be used for this session only.',
    action: 'Open Settings',
  },
  keychain_locked: {
    title: 'The keychain is locked',
    meaning: 'Unlock it in your system, then look again.',
    action: 'Look again',
  },
  no_such_item: {
    title: 'It is not there any more',
    meaning: 'It was removed, here or in another window.',
    action: 'Open Chat',
  },
  busy: {
    title: 'Already under way',
    meaning: 'The same thing is being done now. Wait for it to end.',
    action: 'Try again',
  },
  folder_in_use: {
    title: 'The data folder is in use',
    meaning: 'Another Inference Studio has it open. Close that one first.',
    action: 'Load again',
  },
  store_newer: {
    title: 'The data is newer than the program',
    meaning: 'A newer Inference Studio wrote it. Update this one; nothing was changed.',
    action: 'Copy the details',
  },
  store_damaged: {
    title: 'The data can’t be read',
    meaning: 'The database is damaged. Keep a copy of the data folder before anything else.',
    action: 'Show the folder',
  },
  disk_full: {
    title: 'The disk is full',
    meaning: 'Nothing more can be saved. Free some space, then try again.',
    action: 'Show the folder',
  },
  not_writable: {
    title: 'No permission to write',
    meaning: 'Inference Studio can’t write to this place. Give your user account write access, then try again.',
    action: 'Show the folder',
  },
  too_many_open_files: {
    title: 'Too many open files',
    meaning: 'The system lets Inference Studio open no more files for now. Close other programs, then try again.',
    action: 'Try again',
  },
  database_locked: {
    title: 'The database is locked',
    meaning: 'Another program, such as a database browser, has locked it. Close that program, then try again.',
    action: 'Try again',
  },
  port_taken: {
    title: 'The port is taken',
    meaning: 'Another program listens there. Choose another port in Settings.',
    action: 'Change the port',
  },
  bug: {
    title: 'A mistake of this program',
    meaning: 'Something went wrong inside Inference Studio, not at the service. The details help to find it.',
    action: 'Copy the details',
  },
} satisfies Record<ProblemKind, ProblemText>

export const problems = {
  kinds,
  said: 'The service said: “{{message}}”',
  wait: 'The service asks to wait {{seconds}} s.',
  kept: 'What had arrived is kept. Nothing is sent again unless you ask for it.',
  facts: { status: 'Status', code: 'Code', type: 'Type', requestId: 'Request' },
}
