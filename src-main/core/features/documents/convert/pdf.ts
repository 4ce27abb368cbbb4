import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import { type ConvertedDocument, TextCollector, unreadable } from './converted.ts'

/** Pages listed by number in a note. */
const maxListed = 20

/**
 * The folder of Adobe's character maps, which name the characters of Chinese, Japanese and Korean fonts: beside the chunks of a build,
 * else in the package of PDF.js.
 */
const cMapFolder = ['../pdf/cmaps/', '../../../../../node_modules/pdfjs-dist/cmaps/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

/** Reads character maps from the disk. PDF.js asks for them by name, and gets nothing else. */
class CharacterMaps {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || cMapFolder === undefined) throw new Error(`PDF.js asked for ${kind}, which is not there.`)
    return new Uint8Array(await readFile(`${cMapFolder}${basename(filename)}`))
  }
}

/**
 * Converts a PDF with PDF.js, page by page. PDF.js runs no script of the document and opens no address.
 * @param onPage called after each page with the number of finished pages and of all pages
 */
export async function convertPdf(
  path: string,
  onPage: (done: number, all: number) => void,
): Promise<ConvertedDocument> {
  const { getDocument, VerbosityLevel } = await import('unpdf/pdfjs')
  const { buffer, byteOffset, byteLength } = await readFile(path)
  const loading = getDocument({
    // PDF.js refuses a Buffer. A view of its memory saves a copy, which took half the processor time of a PDF of 50 MB.
    data: new Uint8Array(buffer, byteOffset, byteLength),
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    cMapUrl: 'cmaps/',
    cMapPacked: true,
    useWorkerFetch: false,
    BinaryDataFactory: CharacterMaps,
    enableXfa: false,
    stopAtErrors: false,
  })
  let document: PDFDocumentProxy
  try {
    document = await loading.promise
  } catch (thrown) {
    throw asUnreadable(thrown)
  }
  const out = new TextCollector()
  const broken: number[] = []
  const scanned: number[] = []
  for (let number = 1; number <= document.numPages && !out.isFull; number += 1) {
    out.begin(`Page ${number}`)
    try {
      const page = await document.getPage(number)
      const text = await pageText(page)
      if (text.trim() === '') scanned.push(number)
      out.add(text)
      page.cleanup()
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown
      broken.push(number)
    }
    out.end()
    onPage(number, document.numPages)
  }
  if (broken.length === document.numPages) throw unreadable('The PDF is damaged: no page can be read.')
  if (broken.length > 0) out.note(`${pagesNamed(broken)} could not be read.`)
  if (scanned.length > 0) {
    out.note(
      `${pagesNamed(scanned)} ${scanned.length === 1 ? 'has' : 'have'} no text, for example because of scanned pictures.`,
    )
  }
  await loading.destroy()
  return { kind: 'pdf', mime: 'application/pdf', unit: 'page', parts: out.parts, notes: out.notes() }
}

async function pageText(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent()
  let text = ''
  for (const item of items) {
    if (!('str' in item)) continue
    text += item.str
    if (item.hasEOL) text += '\n'
  }
  return text
}

function asUnreadable(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'PasswordException') {
    return unreadable('The PDF is protected by a password. Save a copy without it and add the copy.', thrown)
  }
  return unreadable('The PDF is damaged or cut off and cannot be read.', thrown)
}

function pagesNamed(numbers: readonly number[]): string {
  const listed = numbers.slice(0, maxListed).join(', ')
  const more = numbers.length > maxListed ? ` and ${numbers.length - maxListed} more` : ''
  return `${numbers.length === 1 ? 'Page' : 'Pages'} ${listed}${more}`
}
