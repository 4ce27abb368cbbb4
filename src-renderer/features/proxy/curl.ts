import type { RequestDetail } from '../../../src-preload/contract/requests.ts'

/** Placeholder for the app's key, which is stored nowhere. */
export const keyPlaceholder = '$APP_KEY'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Headers that curl sets itself, that belong to one connection, or that contain secrets. */
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
 * Returns the request as a curl command for the local address, with a placeholder for the key.
 * `body` is `left out` when the request's body is not completely stored.
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
