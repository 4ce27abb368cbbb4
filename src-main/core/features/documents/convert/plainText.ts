import { analyse } from 'chardet'
import { unreadable } from './converted.ts'

/** Bytes that are examined to guess an encoding. */
const sampleBytes = 128 * 1024

/** A decoded text, and the name of its encoding. */
export interface DecodedText {
  text: string
  encoding: string
}

/**
 * Decodes text in any common encoding: by its byte order mark, as UTF-8 when it is valid, and otherwise by the frequency of letters.
 * @throws StudioError `bad_input` for a file that is not text
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): DecodedText {
  const encoding = encodingOf(bytes, declared)
  const text = decode(bytes, encoding)
  if (isBinary(text)) throw notText()
  return { text: text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'), encoding }
}

const notText = (): Error =>
  unreadable(
    'This file is neither text nor a type of document that can be read. Supported types: PDF, DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, HTML, Markdown, CSV, code and plain text.',
  )

function encodingOf(bytes: Uint8Array, declared: string | null): string {
  const [a, b, c, d] = bytes
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return 'UTF-32LE'
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32BE'
  if (a === 0xff && b === 0xfe) return 'UTF-16LE'
  if (a === 0xfe && b === 0xff) return 'UTF-16BE'
  const wide = wideEncoding(bytes)
  if (wide !== null) return wide
  if (isUtf8(bytes)) return 'UTF-8'
  if (declared !== null && isSupported(declared)) return declared
  const best = analyse(bytes.subarray(0, sampleBytes)).find(({ name }) => !name.startsWith('UTF') && isSupported(name))
  return best?.name ?? 'windows-1252'
}

/** UTF-16 without a byte order mark: every second byte of Latin text is zero. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 4096)
  if (sample.length < 4 || bytes.length % 2 !== 0) return null
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const half = sample.length / 2
  const [even = 0, odd = 0] = zeros
  if (odd > half * 0.4 && even < half * 0.05) return 'UTF-16LE'
  return even > half * 0.4 && odd < half * 0.05 ? 'UTF-16BE' : null
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function isSupported(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== ''
  } catch {
    return false
  }
}

function decode(bytes: Uint8Array, encoding: string): string {
  if (!encoding.startsWith('UTF-32')) return new TextDecoder(encoding).decode(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: string[] = []
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'UTF-32LE')
    pieces.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
  }
  return pieces.join('')
}

/** Whether a decoded file is not text: it has zero characters, or many control characters or invalid sequences. */
function isBinary(text: string): boolean {
  // Escape sequences of terminals occur in logs.
  const sample = text.slice(0, 64 * 1024).replaceAll('\u001b', '')
  if (sample.includes('\0')) return true
  const odd = sample.match(/[^\P{Cc}\t\n\r\f\v]|\ufffd/gu)?.length ?? 0
  return odd > Math.max(8, sample.length * 0.02)
}
