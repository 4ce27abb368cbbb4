import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConvertedDocument } from '../../../../src-main/core/features/documents/convert/converted.ts'
import { type Sentence, textOf } from '../../../../src-preload/contract/note.ts'

const folder = fileURLToPath(new URL('../../../fixtures/documents/', import.meta.url))

/** Documents made by other programs; `make.sh` beside them says how. */
export const corpus: readonly string[] = readdirSync(folder).filter((name) =>
  /\.(?:docx|odt|od[ps]|pdf|html|epub|xlsx|pptx)$/.test(name),
)

export const corpusPath = (name: string): string => `${folder}${name}`
export const corpusBytes = (name: string): Buffer => readFileSync(corpusPath(name))
export const expectedText = (name: string): string => readFileSync(`${folder}expected/${name}.md`, 'utf8')

/** A converted document as the files of `expected/`: its facts, then its parts with their labels. */
export const written = ({
  kind,
  unit,
  parts,
  notes,
}: Omit<ConvertedDocument, 'notes'> & { notes: readonly Sentence[] }): string =>
  [[kind, unit, ...notes.map(textOf)].join(', '), ...parts.map(({ label, text }) => `[${label}]\n${text}`), ''].join(
    '\n\n',
  )

/**
 * A PDF with this many pages. Every page has `lines` lines of text, and a picture of `filler` bytes unless that is 0. Written without
 * compression, so its size is easy to choose.
 */
export function plainPdf(pages: number, lines: number, filler = 0): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let size = chunks[0]?.length ?? 0
  const add = (bytes: Buffer): void => {
    chunks.push(bytes)
    size += bytes.length
  }
  const object = (id: number, body: string): void => {
    offsets[id] = size
    add(Buffer.from(`${id} 0 obj\n${body}\nendobj\n`, 'latin1'))
  }
  object(1, '<< /Type /Catalog /Pages 2 0 R >>')
  const pictureId = (page: number): number => 4 + pages * 2 + page
  const kids = Array.from({ length: pages }, (_, at) => `${4 + at * 2} 0 R`).join(' ')
  object(2, `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`)
  object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (let page = 0; page < pages; page += 1) {
    const id = 4 + page * 2
    const picture = filler === 0 ? '' : ` /XObject << /P ${pictureId(page)} 0 R >>`
    const text = Array.from(
      { length: lines },
      (_, line) => `(Line ${line + 1} of page ${page + 1} is about the harbour.) Tj T*`,
    )
    const content = `BT /F1 10 Tf 12 TL 40 800 Td\n${text.join('\n')}\nET\n`
    object(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${id + 1} 0 R /Resources << /Font << /F1 3 0 R >>${picture} >> >>`,
    )
    object(id + 1, `<< /Length ${content.length} >>\nstream\n${content}endstream`)
  }
  for (let page = 0; page < pages && filler > 0; page += 1) {
    const facts = `/Type /XObject /Subtype /Image /Width ${filler} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`
    object(pictureId(page), `<< ${facts} /Length ${filler} >>\nstream\n${'x'.repeat(filler)}\nendstream`)
  }
  const start = size
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  add(
    Buffer.from(
      `xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(chunks)
}
