/** Where requests go. */
export interface ServerAddress {
  address: string
  port: number
}

export function serverOf(baseUrl: string): ServerAddress {
  const { hostname, port, protocol } = new URL(baseUrl)
  return { address: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}
