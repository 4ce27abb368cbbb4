/** Statuses that call for the same words, apart from those that the specification names. */
export const statusGroups = [
  'informational', // 1xx: no final reply
  'empty', // 2xx where content was expected
  'redirect', // 3xx
  'method', // 405
  'format', // 406, 415: what is accepted or sent
  'proxy', // 407, 511: something between here and the service asks for a sign-in
  'timeout', // 408
  'conflict', // 409, 412, 423, 424, 428
  'gone', // 410
  'length', // 411
  'tooLarge', // 413
  'addressTooLong', // 414
  'range', // 416
  'unprocessable', // 417, 422
  'joke', // 418
  'wrongHost', // 421
  'early', // 425
  'upgrade', // 426, 505
  'headersTooLarge', // 431
  'legal', // 451
  'client', // any other 4xx
  'storage', // 507
  'unreachable', // 520 to 530: a gateway could not reach the service
  'server', // any other 5xx
  'unassigned', // below 100, and from 600 on
] as const
export type StatusGroup = (typeof statusGroups)[number]

const groups: Readonly<Record<number, StatusGroup>> = {
  405: 'method',
  406: 'format',
  407: 'proxy',
  408: 'timeout',
  409: 'conflict',
  410: 'gone',
  411: 'length',
  412: 'conflict',
  413: 'tooLarge',
  414: 'addressTooLong',
  415: 'format',
  416: 'range',
  417: 'unprocessable',
  418: 'joke',
  421: 'wrongHost',
  422: 'unprocessable',
  423: 'conflict',
  424: 'conflict',
  425: 'early',
  426: 'upgrade',
  428: 'conflict',
  431: 'headersTooLarge',
  451: 'legal',
  505: 'upgrade',
  507: 'storage',
  511: 'proxy',
}

/** The group of a status that the specification does not name (RFC 9110, section 15). */
export function statusGroupOf(status: number): StatusGroup {
  const known = groups[status]
  if (known) return known
  if (status >= 520 && status <= 530) return 'unreachable'
  const classes: readonly StatusGroup[] = ['informational', 'empty', 'redirect', 'client', 'server']
  return classes[Math.floor(status / 100) - 1] ?? 'unassigned'
}

/** Groups for which the same request can succeed later. For the others, the request or the settings must change first. */
export const passingGroups: ReadonlySet<StatusGroup> = new Set([
  ...(['informational', 'timeout', 'conflict', 'early', 'storage', 'unreachable', 'server'] as const),
])
