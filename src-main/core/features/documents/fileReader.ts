import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../../../src-preload/contract/note.ts'
import type { FileReader } from '../../ports/fileReader.ts'
import { badInput, note } from '../../shared/notes.ts'
import type { ForkProgram } from '../../shared/processWorker.ts'
import { oneLine } from '../../shared/text/tags.ts'
import type { DocumentPart } from '../../store/documents.ts'
import { DocumentConversion } from './conversion.ts'

/** How long one file of a request may take, ms. Programs wait for it. */
const timeoutMs = 60_000

/** A converter for files that are not stored. @param folder for a copy of a file while it is read */
export function createFileReader({ fork, folder }: { fork: ForkProgram; folder: string }): FileReader {
  const conversion = new DocumentConversion(fork, { timeoutMs })
  return {
    async read({ bytes, name }, maxCharacters) {
      const path = join(folder, `${randomUUID()}.document`)
      const start = new TextStart(maxCharacters)
      try {
        await writeFile(path, bytes, { mode: 0o600 })
        const { notes } = await conversion.convert({ path, name }, (progress) => {
          if ('parts' in progress) for (const part of progress.parts) start.add(part)
        })
        if (start.text === '') throw badInput(note('unreadable.scans'))
        const ends = start.isCut
          ? ['The rest of this file was left out, because it is too long.', ...notes.map(textOf)]
          : notes.map(textOf)
        return [start.text.toWellFormed(), ...ends.map((words) => `[${oneLine(words)}]`)].join('\n\n')
      } finally {
        await rm(path, { force: true })
      }
    },
    terminate: conversion.close,
  }
}

/** The beginning of a text that arrives in parts, with a label before each page, slide, sheet or chapter. */
class TextStart {
  text = ''
  isCut = false
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add({ label, text }: Pick<DocumentPart, 'label' | 'text'>): void {
    if (text === '' || this.isCut) return
    const heading = label === '' ? '' : `[${oneLine(label)}]\n`
    const whole = `${this.text}${this.text === '' ? '' : '\n\n'}${heading}${text}`
    this.isCut = whole.length > this.#most
    this.text = this.isCut ? whole.slice(0, this.#most) : whole
  }
}
