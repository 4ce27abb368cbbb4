/** The header that turns plain samples (16 bits, little-endian, mono) into a WAVE file. */
export function wavHead(bytes: number, rate: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(44)
  const view = new DataView(head.buffer)
  const word = (at: number, text: string): void => head.set(new TextEncoder().encode(text), at)
  word(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, bytes, true)
  return head
}

/** Makes the plain samples of a stored file playable by an audio element. The caller revokes the URL. */
export async function playablePcm(address: string, rate: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`The file cannot be read: ${response.status}.`)
  const samples = await response.blob()
  return URL.createObjectURL(new Blob([wavHead(samples.size, rate), samples], { type: 'audio/wav' }))
}
