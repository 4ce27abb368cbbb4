import { readPages } from '../../../../src-preload/contract/documents.ts'
import { attributeText, freeTag, oneLine } from '../../shared/text/tags.ts'
import type { DocumentPart, DocumentRow } from '../../store/documents.ts'

const plurals = { page: 'pages', slide: 'slides', sheet: 'sheets', chapter: 'chapters', text: 'parts' } as const

/**
 * The text of a document as the model gets it: between tags with the file's name, with a label before each page, slide, sheet or
 * chapter. The tag has a number when the document itself contains an end tag, so that a hostile document cannot pretend to end.
 */
export function documentBlock(
  { name, unit, parts: count, pages }: Pick<DocumentRow, 'unit' | 'parts'> & { name: string; pages: string | null },
  parts: readonly DocumentPart[],
): string {
  const ranges = pages === null ? null : readPages(pages, count)
  const chosen = ranges === null ? '' : ` ${plurals[unit]}="${pages} of ${count}"`
  const body = parts.map(({ label, text }) => (label === '' ? text : `[${oneLine(label)}]\n${text}`)).join('\n\n')
  const tag = freeTag('document', body)
  return `<${tag} name="${attributeText(name)}"${chosen}>\n${body}\n</${tag}>`
}
