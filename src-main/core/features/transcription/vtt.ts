import type { Cue } from '../../../../src-preload/contract/transcription.ts'
import { clean, tidyCues } from './cues.ts'

// WebVTT: The Web Video Text Tracks Format, W3C. Files come from a service and may contain anything, so every step is linear in their
// length.

export const isVtt = (text: string): boolean => /^\ufeff?WEBVTT(?:[ \t\r\n]|$)/.test(text)

/**
 * The cues of a WebVTT file, as the standard's parser (6.1) finds them. Skips notes, styles, regions and damaged blocks. Null for other
 * files.
 */
export function readVtt(file: string): Cue[] | null {
  if (!isVtt(file)) return null
  const lines = clean(file).split('\n').slice(1)
  // A line with an arrow begins the next cue, even without an empty line before it.
  const blocks = readBlocks(lines, (line) => line === '' || line.includes('-->'))
  return tidyCues(blocks.map(({ text, ...times }) => ({ ...times, text: readPayload(text) })))
}

/** The blocks that begin with a line of times. The text of a block, still escaped, ends before the first line that `ends` accepts. */
export function readBlocks(lines: readonly string[], ends: (line: string) => boolean): Cue[] {
  const blocks: Cue[] = []
  for (let at = 0; at < lines.length; at++) {
    const times = readTimes(lines[at] ?? '')
    if (times === null) continue
    const first = at + 1
    while (at + 1 < lines.length && !ends(lines[at + 1] ?? '')) at += 1
    blocks.push({ ...times, text: lines.slice(first, at + 1).join('\n') })
  }
  return blocks
}

export function writeVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ from, to, text }) => `${stamp(from, '.')} --> ${stamp(to, '.')}\n${escaped(text)}\n`)
  return ['WEBVTT\n', ...blocks].join('\n')
}

const time = String.raw`(?:(\d{1,8}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`
const timing = new RegExp(String.raw`^[ \t]*${time}[ \t]*-->[ \t]*${time}(?:[ \t]|$)`)

/** Parses `[hours:]minutes:seconds.fraction --> …`, in seconds. Ignores settings after it. Also accepts SubRip's comma. */
function readTimes(line: string): Pick<Cue, 'from' | 'to'> | null {
  const found = timing.exec(line.slice(0, 200))
  if (!found) return null
  const [, ...parts] = found
  return { from: seconds(parts.slice(0, 4)), to: seconds(parts.slice(4)) }
}

function seconds([hours = '0', minutes = '0', whole = '0', fraction = '0']: (string | undefined)[]): number {
  const ms = Number(fraction.padEnd(3, '0'))
  return ((Number(hours) * 60 + Number(minutes)) * 60_000 + Number(whole) * 1000 + ms) / 1000
}

/** A time in seconds as `00:01:02.345`, with this sign before the milliseconds. */
export function stamp(at: number, point: '.' | ','): string {
  const ms = Math.round(at * 1000)
  const pad = (value: number, width: number): string => String(value).padStart(width, '0')
  const [hours, minutes, whole] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(whole, 2)}${point}${pad(ms % 1000, 3)}`
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string): string => text.replace(/[&<>]/g, (mark) => marks[mark] ?? mark)

/** Tags of the format (4.2.2) and times inside a cue. Other text in angle brackets is spoken text. */
const tag = /^<(?:\/?(?:c|i|b|u|v|lang|ruby|rt)(?:\.[^\s<>]*)?(?:[ \t][^<>]*)?|[\d:.]+)>/
const voice = /^<v(?:\.[^\s<>]*)?[ \t]+([^<>]+)>/
const longestTag = 300

function readPayload(text: string): string {
  const pieces: string[] = []
  let from = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const here = text.slice(at, at + longestTag)
    const found = tag.exec(here)?.[0]
    if (found === undefined) continue
    pieces.push(unescaped(text.slice(from, at)))
    const [, speaker] = voice.exec(here) ?? []
    if (speaker !== undefined) pieces.push(`${unescaped(speaker.trim())}: `)
    from = at + found.length
    at = from - 1
  }
  pieces.push(unescaped(text.slice(from)))
  return pieces.join('')
}

const references: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
  quot: '"',
  apos: "'",
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|nbsp|lrm|rlm|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name !== undefined) return references[String(name).toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ''
    },
  )
}
