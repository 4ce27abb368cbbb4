/** Decodes a `data:` URL. Null for any other URL: the sandbox never fetches one, so that a message cannot make it access a network. */
export function bytesOfDataUrl(url: string): Uint8Array | null {
  const match = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]*)$/.exec(url)
  return match?.[1] === undefined ? null : Buffer.from(match[1], 'base64')
}

/** One line about an image: its real format, size in bytes and pixels, and mean colour, or why that is unknown. */
export async function describeImage(url: string): Promise<string> {
  if (!url.startsWith('data:')) return `Not looked at: the sandbox fetches no remote address (\`${shown(url)}\`).`
  const bytes = bytesOfDataUrl(url)
  if (!bytes) return 'A `data:` address that is not base64; nothing could be read.'
  const { inspectImage } = await import('../vision/inspect.ts')
  const { format, width, height, meanColour } = inspectImage(bytes)
  const size = width === null || height === null ? 'dimensions unknown' : `${width} × ${height} pixels`
  const colour = meanColour === null ? 'mean colour not measured' : `mean colour \`${meanColour.hex}\``
  return `${format.toUpperCase()}, ${size}, ${bytes.length} bytes, ${colour}.`
}

const shown = (url: string) => url.slice(0, 80).replace(/[`\r\n]/g, ' ')
