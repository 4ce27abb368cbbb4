import type { Cue } from '../../../../src-preload/contract/transcription.ts'
import { clean, tidyCues } from './cues.ts'
import { readBlocks, stamp } from './vtt.ts'

// SubRip has no standard. A cue has a number, times with a comma, lines of text, and an empty line. SubRip has no escape syntax.

export const isSrt = (text: string): boolean =>
  /^\ufeff?\s{0,100}\d{1,9}\r?\n\d{1,8}:\d{1,2}:\d{1,2},\d{1,3} --> /.test(text)

export function readSrt(file: string): Cue[] {
  const blocks = readBlocks(clean(file).split('\n'), (line) => line.trim() === '')
  return tidyCues(blocks)
}

export function writeSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ from, to, text }, index) => `${index + 1}\n${stamp(from, ',')} --> ${stamp(to, ',')}\n${text}\n`)
    .join('\n')
}
