import { open, readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type DocumentKind, maxDocumentBytes } from '../../../../../src-preload/contract/documents.ts'
import { badInput, note } from '../../../shared/notes.ts'
import { type ConvertedDocument, TextCollector } from './converted.ts'
import { convertEpub } from './epub.ts'
import { htmlToMarkdown } from './htmlText.ts'
import { OfficePackage } from './officePackage.ts'
import { convertOpenDocument } from './openDocument.ts'
import { convertPdf } from './pdf.ts'
import { decodeText } from './plainText.ts'
import { convertPresentation } from './presentation.ts'
import { convertSpreadsheet } from './spreadsheet.ts'
import { convertWordprocessing } from './wordprocessing.ts'

/** Maximum size of a text file, bytes: far more than any model reads. */
const maxTextBytes = 64 * 1024 * 1024

const kindsByEnding: Record<string, DocumentKind> = {
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdown': 'markdown',
  '.csv': 'csv',
  '.tsv': 'csv',
}
const proseEndings: ReadonlySet<string> = new Set([
  '',
  '.txt',
  '.text',
  '.log',
  '.srt',
  '.vtt',
  '.rst',
  '.tex',
  '.org',
  '.adoc',
])
const mimes: Partial<Record<DocumentKind, string>> = { html: 'text/html', markdown: 'text/markdown', csv: 'text/csv' }

/**
 * Converts a file to text or Markdown, with a label for each page, slide, sheet or chapter. The type is read from the bytes; the name
 * only distinguishes text files. Runs on the worker thread.
 * @param encoding of a text file, when a person chose one. Absent or null: found by the bytes
 * @param onPage called during long documents with the number of finished and of all pages
 * @throws StudioError `bad_input` for a file that is broken, encrypted, too large or of an unknown type
 */
export async function convertDocument(
  { path, name, encoding = null }: { path: string; name: string; encoding?: string | null },
  onPage: (done: number, all: number) => void = () => undefined,
): Promise<ConvertedDocument> {
  const { size } = await stat(path)
  if (size === 0) throw badInput(note('unreadable.empty'))
  if (size > maxDocumentBytes) throw badInput(note('unreadable.large', { most: 256 }))
  const head = await readHead(path)
  const converted =
    encoding === null
      ? await byHead(path, name, head, size, onPage)
      : await convertText(path, name, { size, chosen: encoding })
  // The pages of a PDF without text can be sent as images.
  if (converted.kind !== 'pdf' && converted.parts.every(({ text }) => text === '')) {
    throw badInput(note('unreadable.noText'))
  }
  return converted
}

async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function byHead(
  path: string,
  name: string,
  head: Buffer,
  size: number,
  onPage: (done: number, all: number) => void,
): Promise<ConvertedDocument> {
  // Other bytes may precede the mark (ISO 32000-1, appendix H.3, note 13).
  if (head.includes('%PDF-')) return convertPdf(path, onPage)
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return convertPackage(path)
  // The compound file of Office 97 and of encrypted OOXML.
  if (head.subarray(0, 8).toString('hex') === 'd0cf11e0a1b11ae1') {
    throw badInput(note('unreadable.oldOffice'))
  }
  return convertText(path, name, { size, chosen: null })
}

async function convertPackage(path: string): Promise<ConvertedDocument> {
  const pack = await OfficePackage.open(path)
  try {
    const mime = (await pack.bytes('mimetype', 200))?.toString('latin1').trim() ?? ''
    if (mime === 'application/epub+zip') return await convertEpub(pack)
    const [, type] =
      /^application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)(?:-template)?$/.exec(mime) ?? []
    if (type === 'text') return await convertOpenDocument(pack, 'odt')
    if (type === 'presentation') return await convertOpenDocument(pack, 'odp')
    if (type === 'spreadsheet') return await convertOpenDocument(pack, 'ods')
    const main =
      [...(await pack.relations('')).values()].find((relation) => relation.type === 'officeDocument')?.target ?? ''
    if (main.startsWith('word/')) return await convertWordprocessing(pack)
    if (main.startsWith('ppt/')) return await convertPresentation(pack)
    if (main.startsWith('xl/')) return await convertSpreadsheet(pack)
    if (pack.has('META-INF/container.xml')) return await convertEpub(pack)
    throw badInput(note('unreadable.zip'))
  } finally {
    await pack.close()
  }
}

async function convertText(
  path: string,
  name: string,
  { size, chosen }: { size: number; chosen: string | null },
): Promise<ConvertedDocument> {
  if (size > maxTextBytes) throw badInput(note('unreadable.largeText', { most: 64 }))
  const bytes = await readFile(path)
  const ending = extname(name).toLowerCase()
  const isHtml =
    kindsByEnding[ending] === 'html' ||
    /^\s*(?:<!doctype html|<html[\s>])/i.test(bytes.subarray(0, 512).toString('latin1'))
  const { text, encoding, notes } = decodeText(bytes, { declared: isHtml ? declaredEncoding(bytes) : null, chosen })
  const out = new TextCollector()
  const kind = isHtml ? 'html' : (kindsByEnding[ending] ?? (proseEndings.has(ending) ? 'text' : 'code'))
  if (isHtml) {
    const { title, heading } = htmlToMarkdown(text, out)
    if (title !== '' && title !== heading) {
      const body = out.parts
      out.end()
      const [first] = body
      if (first) first.text = `# ${title}\n\n${first.text}`
    }
  } else out.add(text)
  out.end()
  for (const one of notes) out.note(one)
  const mime = `${mimes[kind] ?? 'text/plain'};charset=${encoding}`
  return { kind, mime, unit: 'text', parts: out.parts, notes: out.notes() }
}

/** The encoding that an HTML page declares. @see https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding */
function declaredEncoding(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 1024).toString('latin1')
  return /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(head)?.[1] ?? null
}
