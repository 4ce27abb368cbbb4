import { note } from '../../../shared/notes.ts'
import { type ConvertedDocument, markdownTable, TextCollector } from './converted.ts'
import { attribute, numberAttribute, type OfficePackage } from './officePackage.ts'

/**
 * Converts a PPTX: the slides in their order, with titles, lists, tables and speaker notes.
 * @see ECMA-376 part 1, chapter 19 (PresentationML)
 */
export async function convertPresentation(pack: OfficePackage): Promise<ConvertedDocument> {
  const main = await pack.mainPart('ppt/presentation.xml')
  const relations = await pack.relations(main)
  const slides = new Set<string>()
  await pack.readXml(main, {
    open(element, attributes) {
      // `id` is the number of the slide; `r:id`, its relation.
      if (element !== 'sldId') return
      const target = relations.get(attributes['r:id'] ?? attribute(attributes, 'id') ?? '')?.target
      if (target !== undefined) slides.add(target)
    },
    close: () => undefined,
  })
  const out = new TextCollector()
  let number = 0
  for (const slide of slides) {
    if (!out.canTakeMore()) break
    number += 1
    await readSlide(pack, slide, number, out)
  }
  out.end()
  if (pack.names().some((name) => /vbaProject\.bin$/i.test(name))) out.note(note('document.macros'))
  const mime = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  return { kind: 'pptx', mime, unit: 'slide', parts: out.parts, notes: out.notes() }
}

async function readSlide(pack: OfficePackage, slide: string, number: number, out: TextCollector): Promise<void> {
  out.begin(`Slide ${number}`)
  if (!(await readShapes(pack, slide, out, 'slide'))) out.note(note('document.slideMissing', { at: number }))
  const relations = [...(await pack.relations(slide)).values()]
  const notes = relations.find(({ type }) => type === 'notesSlide')?.target
  if (notes !== undefined) await readShapes(pack, notes, out, 'notes')
}

/** Placeholders that contain nothing by the author: number, date, header and footer, and the picture of the slide in its notes. */
const decoration: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

async function readShapes(
  pack: OfficePackage,
  part: string,
  out: TextCollector,
  role: 'slide' | 'notes',
): Promise<boolean> {
  let placeholder = ''
  let lines: { level: number; text: string; isListed: boolean }[] = []
  let line: { level: number; text: string; isListed: boolean } | null = null
  let rows: string[][] | null = null
  let isText = false
  let skip = 0
  let saidNotes = false

  function flush(): void {
    const all = lines.filter(({ text }) => text.trim() !== '')
    lines = []
    if (all.length === 0 || decoration.has(placeholder)) return
    if (role === 'notes' && !saidNotes) {
      saidNotes = true
      out.block('Speaker notes:')
    }
    const isTitle = placeholder === 'title' || placeholder === 'ctrTitle'
    if (isTitle) {
      out.block(`## ${all.map(({ text }) => text.trim()).join(' ')}`)
      return
    }
    const isList = all.length > 1 && role === 'slide' && (placeholder !== '' || all.some(({ isListed }) => isListed))
    out.block(all.map(({ level, text }) => (isList ? `${'  '.repeat(level)}- ${text.trim()}` : text)).join('\n'))
  }

  return pack.readXml(part, {
    open(element, attributes) {
      if (skip > 0 || element === 'Fallback') {
        skip += 1
        return
      }
      switch (element) {
        case 'sld':
          if (attribute(attributes, 'show') === '0') out.block('(This slide is hidden.)')
          break
        case 'sp':
          placeholder = ''
          break
        case 'ph':
          placeholder = attribute(attributes, 'type') ?? 'body'
          break
        case 'p':
          line = { level: 0, text: '', isListed: false }
          break
        case 'pPr':
          if (line) line.level = Math.min(8, Math.max(0, numberAttribute(attributes, 'lvl', 0)))
          break
        case 'buChar':
        case 'buAutoNum':
          if (line) line.isListed = true
          break
        case 't':
          isText = true
          break
        case 'br':
          if (line) line.text += '\n'
          break
        case 'blip':
          out.count('images')
          break
        case 'chart':
          out.count('charts')
          break
        case 'tbl':
          rows = []
          break
        case 'tr':
          rows?.push([])
          break
      }
    },
    close(element) {
      if (skip > 0) {
        skip -= 1
        return
      }
      switch (element) {
        case 't':
          isText = false
          break
        case 'p':
          if (line) lines.push(line)
          line = null
          break
        case 'tc':
          rows?.at(-1)?.push(lines.map(({ text }) => text).join(' '))
          lines = []
          break
        case 'tbl':
          if (rows) out.block(markdownTable(rows))
          rows = null
          break
        case 'sp':
          flush()
          break
      }
    },
    text(piece) {
      if (isText && skip === 0 && line) line.text += piece
    },
  })
}
