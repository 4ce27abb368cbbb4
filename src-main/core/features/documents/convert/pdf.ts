import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import * as z from 'zod'
import { badInput, note } from '../../../shared/notes.ts'
import { oneLine } from '../../../shared/text/tags.ts'
import { type ConvertedDocument, TextCollector } from './converted.ts'

/** Pages listed by number in a note. */
const maxListed = 20
/**
 * After this time no more pages are read, ms: less than a conversion may take, so that the pages until then are not lost. PDF.js searches each page
 * from the start, so the time grows with the square of the number of pages.
 */
const maxReadMs = 120_000
/** How long the text of one page may take, ms. Forms of a page can contain each other, so that a file of 2 KB has a page with gigabytes of text. */
const maxPageMs = 10_000

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
  /** Text by the reference of the page. A small file can list one page millions of times. */
  const read = new Map<string, PageContent>()
  const until = performance.now() + maxReadMs
  for (let number = 1; number <= document.numPages && out.canTakeMore(); number += 1) {
    if (performance.now() > until) {
      out.note(note('document.slow', { read: number - 1, all: document.numPages }))
      break
    }
    out.begin(`Page ${number}`)
    try {
      const page = await document.getPage(number)
      const key = page.ref ? `${page.ref.num} ${page.ref.gen}` : `page ${number}`
      const content = read.get(key) ?? (await contentOf(page, out.charactersLeft))
      read.set(key, content)
      if (content.text.trim() === '') scanned.push(number)
      write(content, out)
      page.cleanup()
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown
      broken.push(number)
    }
    out.end()
    onPage(number, document.numPages)
  }
  if (broken.length === document.numPages) throw badInput(note('unreadable.noPage'))
  if (broken.length > 0) out.note(note('document.brokenPages', pagesNamed(broken)))
  if (scanned.length > 0) out.note(note('document.scanned', pagesNamed(scanned)))
  if (await isXfaOnly(document)) {
    out.note(note('document.xfa'))
  }
  await loading.destroy()
  return { kind: 'pdf', mime: 'application/pdf', unit: 'page', parts: out.parts, notes: out.notes() }
}

/** What a page says. Its text does not contain the answers of a form and the notes that a person wrote on it. */
interface PageContent {
  text: string
  /** Filled form fields, a line each. */
  filled: string[]
  /** Text boxes and comments, a line each. */
  notes: string[]
  /** Number of filled fields that are not shown. */
  hidden: number
  areAnnotationsBroken: boolean
  /** Whether the text of the page goes on. */
  isCut: boolean
}

function write({ text, isCut, filled, notes, hidden, areAnnotationsBroken }: PageContent, out: TextCollector): void {
  out.add(text)
  if (filled.length > 0) out.add(`\n\nForm fields:\n${filled.join('\n')}`)
  if (notes.length > 0) out.add(`\n\nNotes on this page:\n${notes.join('\n')}`)
  for (let field = 0; field < hidden; field += 1) out.count('hiddenFields')
  if (isCut) out.note(note('document.cutPage'))
  if (areAnnotationsBroken) out.note(note('document.annotations'))
}

async function contentOf(page: PDFPageProxy, most: number): Promise<PageContent> {
  const text = await pageText(page, most)
  try {
    return { ...text, ...(await annotationsOf(page)), areAnnotationsBroken: false }
  } catch (thrown) {
    // The text of a page with a damaged annotation is whole.
    if (!(thrown instanceof Error)) throw thrown
    return { ...text, filled: [], notes: [], hidden: 0, areAnnotationsBroken: true }
  }
}

/** The text of a page, up to a little over `most` characters and `maxPageMs`. */
async function pageText(page: PDFPageProxy, most: number): Promise<Pick<PageContent, 'text' | 'isCut'>> {
  const pieces: string[] = []
  let length = 0
  const reader: ReadableStreamDefaultReader<Awaited<ReturnType<PDFPageProxy['getTextContent']>>> = page
    .streamTextContent()
    .getReader()
  const until = performance.now() + maxPageMs
  while (length <= most && performance.now() < until) {
    const { done, value } = await reader.read()
    if (done) return { text: pieces.join(''), isCut: false }
    for (const item of value.items) {
      if (!('str' in item)) continue
      pieces.push(item.hasEOL ? `${item.str}\n` : item.str)
      length += item.str.length + 1
    }
  }
  await reader.cancel(new Error('The page has more text than is read.'))
  return { text: pieces.join(''), isCut: true }
}

/** An annotation as PDF.js describes it (PDFPageProxy.getAnnotations), as far as it is used. */
const annotation = z.object({
  subtype: z.string().catch(''),
  hidden: z.boolean().catch(false),
  fieldType: z.string().nullish(),
  fieldName: z.string().catch(''),
  alternativeText: z.string().catch(''),
  fieldValue: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .catch(null),
  password: z.boolean().catch(false),
  checkBox: z.boolean().catch(false),
  radioButton: z.boolean().catch(false),
  exportValue: z.string().catch(''),
  buttonValue: z.string().nullish().catch(null),
  options: z.array(z.object({ exportValue: z.string(), displayValue: z.string() })).catch([]),
  contentsObj: z.object({ str: z.string() }).catch({ str: '' }),
  /** Text that is drawn in a text box. */
  textContent: z.array(z.string()).catch([]),
  titleObj: z.object({ str: z.string() }).catch({ str: '' }),
})
type Annotation = z.infer<typeof annotation>

/** The answers of form fields, and notes that were written on a page. @see ISO 32000-1, 12.5.6 and 12.7 */
async function annotationsOf(page: PDFPageProxy): Promise<Pick<PageContent, 'filled' | 'notes' | 'hidden'>> {
  // A field can have several places on a page.
  const filled = new Set<string>()
  const notes: string[] = []
  let hidden = 0
  for (const raw of await page.getAnnotations({ intent: 'any' })) {
    const one = annotation.safeParse(raw).data
    if (!one) continue
    const isField = one.subtype === 'Widget'
    const line = isField ? answerOf(one) : noteOf(one)
    if (line === null) continue
    if (one.hidden) hidden += isField ? 1 : 0
    else if (isField) filled.add(line)
    else notes.push(line)
  }
  return { filled: [...filled], notes, hidden }
}

/** A text box or comment as a line of a list. Null for a link and a pop-up, whose text is that of the page or of its note. */
function noteOf({ subtype, contentsObj, textContent, titleObj }: Annotation): string | null {
  const text = oneLine(contentsObj.str) || oneLine(textContent.join(' '))
  if (subtype === 'Link' || subtype === 'Popup' || text === '') return null
  const author = oneLine(titleObj.str)
  return `- ${author === '' ? '' : `${author}: `}${text}`
}

/** A filled field as a line of a list; null for an empty one, a button, a signature and a password. */
function answerOf(field: Annotation): string | null {
  const { fieldType, fieldValue, options } = field
  const values = [fieldValue ?? []].flat().filter((value) => value !== '')
  // Forms name their fields like `page1.group[0].surname`. The tooltip is for people.
  const label = oneLine(field.alternativeText) || oneLine(field.fieldName) || 'Field'
  if (field.checkBox) {
    return `- [${values.length > 0 && values[0] !== 'Off' && values[0] === field.exportValue ? 'x' : ' '}] ${label}`
  }
  if (field.radioButton) {
    return values[0] !== undefined && values[0] !== 'Off' && values[0] === field.buttonValue
      ? `- ${label}: ${values[0]}`
      : null
  }
  if (values.length === 0 || field.password || (fieldType !== 'Tx' && fieldType !== 'Ch')) return null
  const shown = values.map((value) => options.find((one) => one.exportValue === value)?.displayValue ?? value)
  return `- ${label}: ${oneLine(shown.join(', '))}`
}

/** Whether the document is a form whose fields PDF.js does not read (XFA without AcroForm fields). */
async function isXfaOnly(document: PDFDocumentProxy): Promise<boolean> {
  // Damaged metadata says nothing about forms.
  const { info } = await document.getMetadata().catch(() => ({ info: null }))
  const isXfa = z.object({ IsXFAPresent: z.literal(true) }).safeParse(info).success
  return isXfa && Object.keys((await document.getFieldObjects()) ?? {}).length === 0
}

function asUnreadable(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'PasswordException') {
    return badInput(note('unreadable.password'), thrown)
  }
  return badInput(note('unreadable.pdf'), thrown)
}

/** How many pages, and the first of them by number: `2, 5`. */
function pagesNamed(numbers: readonly number[]): { figure: number; pages: string } {
  const listed = numbers.slice(0, maxListed).join(', ')
  return { figure: numbers.length, pages: numbers.length > maxListed ? `${listed}, …` : listed }
}
