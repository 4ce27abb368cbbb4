import type { Cue } from '../../../../src-preload/contract/transcription.ts'
import { clean, tidyCues } from './cues.ts'
import { readTimes, stamp } from './vtt.ts'

// SubRip has no standard. A cue has a number, times with a comma, lines of text, and an empty line. SubRip has no escape syntax.

export const isSrt = (text: string): boolean =>
  /^\ufeff?\s{0,100}\d{1,9}\r?\n\d{1,8}:\d{1,2}:\d{1,2},\d{1,3} --> /.test(text)

export function readSrt(file: string): Cue[] {
  const lines = clean(file).split('\n')
  const cues: Cue[] = []
  for (let at = 0; at < lines.length; at++) {
    const times = readTimes(lines[at] ?? '')
    if (times === null) continue
    const words: string[] = []
    while (at + 1 < lines.length && lines[at + 1]?.trim() !== '') {
      at += 1
      words.push(lines[at] ?? '')
    }
    cues.push({ ...times, text: words.join('\n') })
  }
  return tidyCues(cues)
}

export function writeSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ from, to, text }, index) => `${index + 1}\n${stamp(from, ',')} --> ${stamp(to, ',')}\n${text}\n`)
    .join('\n')
}
