import {
  AlignmentType,
  BorderStyle,
  BuilderElement,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  ImageRun,
  LevelFormat,
  Math as MathRuns,
  Packer,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import { latexToMath } from 'docx/math'
import type { DocxBlock, DocxRun } from './docxModel.ts'

const headings = [
  ...[HeadingLevel.HEADING_1, HeadingLevel.HEADING_2, HeadingLevel.HEADING_3, HeadingLevel.HEADING_4],
  ...[HeadingLevel.HEADING_5, HeadingLevel.HEADING_6],
]
/** Word's unit: a twentieth of a point. */
const twips = 20
const indentTwips = 18 * twips
/** Greatest size of an image on the page, pixels at 96 per inch. */
const maxImage = { width: 600, height: 800 }
const codeFont = 'Courier New'
/** Longer formulas are written as TeX: their elements could be nested too deeply for a word processor. */
const maxTexChars = 2_000
const grey = '5A606C'

/** Writes a DOCX file. Runs in a worker. @param title of the document's properties */
export async function writeDocx(title: string, blocks: readonly DocxBlock[]): Promise<Blob> {
  const children: (Paragraph | Table)[] = []
  for (const block of blocks) children.push(await elementOf(block))
  const levels = Array.from({ length: 9 }, (_, level) => ({
    level,
    format: LevelFormat.DECIMAL,
    text: `%${level + 1}.`,
    alignment: AlignmentType.START,
    style: { paragraph: { indent: { left: indentTwips * (level + 1), hanging: indentTwips } } },
  }))
  const document = new Document({
    title: clean(title),
    creator: 'Inference Studio',
    styles: {
      default: { document: { run: { font: 'Calibri', size: 21 }, paragraph: { spacing: { after: 6 * twips } } } },
    },
    numbering: { config: [{ reference: 'ordered', levels }] },
    sections: [{ children }],
  })
  return Packer.toBlob(document)
}

async function elementOf(block: DocxBlock): Promise<Paragraph | Table> {
  switch (block.kind) {
    case 'heading':
      return new Paragraph({
        ...directionOfRuns(block.runs),
        heading: headings[block.level - 1] ?? HeadingLevel.HEADING_6,
        children: runsOf(block.runs),
      })
    case 'paragraph':
      return paragraphOf(block)
    case 'item':
      return new Paragraph({
        ...directionOfRuns(block.runs),
        children: runsOf(block.runs),
        ...(block.list === null
          ? { bullet: { level: block.level } }
          : { numbering: { reference: 'ordered', level: block.level, instance: block.list } }),
      })
    case 'code':
      return codeOf(block.text)
    case 'formula':
      return formulaOf(block.tex)
    case 'table':
      return tableOf(block.rows)
    case 'picture':
      return pictureOf(block)
    case 'rule':
      return new Paragraph({ thematicBreak: true })
  }
}

const shaded = { type: ShadingType.CLEAR, fill: 'F1F2F5', color: 'auto' }

function paragraphOf({ runs, look, indent }: Extract<DocxBlock, { kind: 'paragraph' }>): Paragraph {
  const left = indent * indentTwips
  const bar = { style: BorderStyle.SINGLE, size: 12, space: 8, color: 'C9CDD6' }
  return new Paragraph({
    ...directionOfRuns(runs),
    children: runsOf(runs, look === 'facts' ? { color: grey, size: 18 } : {}),
    ...(left > 0 && { indent: { left } }),
    ...(look === 'quote' && { border: { left: bar } }),
  })
}

const codeOf = (text: string): Paragraph =>
  new Paragraph({
    children: linesOf(text, { font: codeFont, size: 18 }),
    shading: shaded,
    spacing: { before: 80, after: 120 },
  })

/** A formula on a line of its own: an equation of the word processor (Office MathML), or its TeX. */
function formulaOf(tex: string): Paragraph {
  const math = mathOf(tex)
  if (!math) return codeOf(tex)
  const paragraph = new Paragraph({})
  paragraph.addChildElement(new BuilderElement({ name: 'm:oMathPara', children: [math] }))
  return paragraph
}

/** The formula as Office MathML. Null for TeX that can't be converted, such as a chemical formula, which stays readable as TeX. */
function mathOf(tex: string): MathRuns | null {
  if (tex.trim() === '' || tex.length > maxTexChars) return null
  try {
    return new MathRuns({ children: latexToMath(clean(tex)) })
  } catch {
    return null
  }
}

/** Rows of different lengths, which Markdown allows, are filled up: Word refuses others. */
function tableOf(rows: readonly (readonly DocxRun[][])[]): Table {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1)
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: rows.map(
      (row, at) =>
        new TableRow({
          tableHeader: at === 0,
          cantSplit: true,
          children: Array.from({ length: columns }, (_, column) => {
            const runs = (row[column] ?? []).map((run) => (at === 0 ? { ...run, bold: true } : run))
            return new TableCell({
              children: [new Paragraph({ ...directionOfRuns(runs), children: runsOf(runs) })],
              ...(at === 0 && { shading: shaded }),
            })
          }),
        }),
    ),
  })
}

async function pictureOf({ blob, name, width, height }: Extract<DocxBlock, { kind: 'picture' }>): Promise<Paragraph> {
  const scale = Math.min(1, maxImage.width / width, maxImage.height / height)
  const transformation = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
  const types = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif' } as const
  const known = Object.entries(types).find(([mime]) => mime === blob.type)?.[1]
  const shown = known ? blob : await asPng(blob)
  const text = { name: clean(name), title: clean(name), description: clean(name) }
  const data = new Uint8Array(await shown.arrayBuffer())
  return new Paragraph({ children: [new ImageRun({ type: known ?? 'png', data, transformation, altText: text })] })
}

/** Word does not know WebP. */
async function asPng(blob: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(blob)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return canvas.convertToBlob({ type: 'image/png' })
}

const hasRightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** The direction of a paragraph, by its first letter, as the window draws it. Code does not count. */
function directionOfRuns(runs: readonly DocxRun[]): { bidirectional?: true } {
  const prose = runs.filter(({ code, formula }) => !code && !formula)
  const first = prose.map(({ text }) => /\p{L}/u.exec(text)?.[0]).find((letter) => letter !== undefined) ?? ''
  return hasRightToLeft.test(first) ? { bidirectional: true } : {}
}

type Look = { color?: string; size?: number; font?: string }

type Piece = TextRun | ExternalHyperlink | MathRuns

function runsOf(runs: readonly DocxRun[], look: Look = {}): Piece[] {
  return runs.flatMap((run): Piece[] => {
    const { text, code, formula, link, ...format } = run
    const math = formula ? mathOf(text) : null
    // Without the link: not every word processor reads an equation inside one.
    if (math) return [math]
    const style = {
      ...look,
      ...format,
      ...((code || formula) && { font: codeFont, shading: shaded }),
      ...(link && { style: 'Hyperlink' }),
    }
    const pieces = linesOf(text, style)
    return link ? [new ExternalHyperlink({ link, children: pieces })] : pieces
  })
}

const linesOf = (text: string, style: ConstructorParameters<typeof TextRun>[0] & object): TextRun[] =>
  clean(text)
    .split('\n')
    .map((line, at) => {
      const direction = hasRightToLeft.test(line) && { rightToLeft: true }
      return new TextRun({ ...style, ...direction, text: line, ...(at > 0 && { break: 1 }) })
    })

/** XML 1.0 does not allow other characters, even escaped. Word refuses such a file. */
const clean = (text: string): string =>
  text.replaceAll('\r', '').replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
