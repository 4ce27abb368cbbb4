import type { RequestDetail } from '../../../src-preload/contract/requests.ts'

/** Stands for a key: the real one of the tool is known to nobody any more. */
export const keyPlaceholder = '$TOOL_KEY'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Headers that curl writes by itself, or that belong to one connection, or that hold secrets. */
const left = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'expect',
  'user-agent',
  'keep-alive',
  'te',
  'upgrade',
  'proxy-authorization',
])

/**
 * The request as a command line, to the local address, with a placeholder in place of the key. What was not kept is said:
 * `body` is `left out` when there was one and it is not (or not wholly) known.
 */
export function asCurl(detail: RequestDetail, baseUrl: string): { text: string; body: 'none' | 'whole' | 'left out' } {
  const { row, requestHeaders, requestBody } = detail
  const url = new URL(row.path, baseUrl).href
  const lines = [
    `curl${row.stream ? ' -N' : ''}${row.method === 'POST' || row.method === 'GET' ? '' : ` -X ${row.method}`} ${quoted(url)}`,
  ]
  lines.push(`-H "Authorization: Bearer ${keyPlaceholder}"`)
  for (const [name, value] of requestHeaders ?? []) {
    if (!left.has(name.toLowerCase()) && !/^(sec-|x-stainless-)/i.test(name))
      lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  const whole = requestBody !== null && requestBody.text !== null && !requestBody.capped
  const body = row.bytesUp === 0 && !requestBody?.bytes ? 'none' : whole ? 'whole' : 'left out'
  if (!requestHeaders && body === 'whole') lines.push(`-H 'Content-Type: application/json'`)
  if (body === 'whole') lines.push(`--data-raw ${quoted(requestBody?.text ?? '')}`)
  if (body === 'left out') lines.push('--data-binary @body')
  return { text: lines.join(' \\\n  '), body }
}
