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
/** East Asian characters in code have the font of the text, in which all of them are equally wide. */
const codeFont = { ascii: 'Courier New', hAnsi: 'Courier New', cs: 'Courier New' }
/** Fonts of the languages that write the same characters in different forms. Microsoft Office has them on Windows and macOS. */
const eastAsianFonts = {
  'ja-JP': 'Yu Gothic',
  'zh-CN': 'Microsoft YaHei',
  'zh-TW': 'Microsoft JhengHei',
  'ko-KR': 'Malgun Gothic',
}
type EastAsian = keyof typeof eastAsianFonts
/** Longer formulas are written as TeX: their elements could be nested too deeply for a word processor. */
const maxTexChars = 2_000
const grey = '5A606C'

/**
 * Writes a DOCX file. Runs in a worker. Each script has its font, because word processors look for missing characters in few others.
 * @param title of the document's properties @param language tag of the window's language, for texts whose language their characters don't tell
 */
export async function writeDocx(title: string, blocks: readonly DocxBlock[], language: string): Promise<Blob> {
  const children: (Paragraph | Table)[] = []
  for (const block of blocks) children.push(await elementOf(block))
  const eastAsia = eastAsianOfLanguage(language) ?? 'zh-CN'
  const font = { ascii: 'Calibri', hAnsi: 'Calibri', cs: 'Arial', eastAsia: eastAsianFonts[eastAsia] }
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
      default: {
        document: {
          run: { font, size: 21, language: { value: language, eastAsia, bidirectional: 'ar-SA' } },
          paragraph: { spacing: { after: 6 * twips } },
        },
      },
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
    ...(look === 'quote' && { border: { [isRightToLeft(runs) ? 'right' : 'left']: bar } }),
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

const rightToLeft = String.raw`\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlm}`
/** From a letter of one direction to the last letter or digit before a letter of the other one. */
const textOf = (letter: string): RegExp =>
  new RegExp(`(${letter}(?:[^\\p{L}\\p{N}]*(?:${letter}|\\p{N}))*\\p{M}*)`, 'v')
const textLeftToRight = textOf(`[\\p{L}--[${rightToLeft}]]`)
const textRightToLeft = textOf(`[\\p{L}&&[${rightToLeft}]]`)

/** The direction of a paragraph, by its first letter, as the window draws it. Code does not count. */
function isRightToLeft(runs: readonly DocxRun[]): boolean {
  const prose = runs.filter(({ code, formula }) => !code && !formula)
  const first = prose.map(({ text }) => /\p{L}/u.exec(text)?.[0]).find((letter) => letter !== undefined) ?? ''
  return textRightToLeft.test(first)
}

const directionOfRuns = (runs: readonly DocxRun[]): { bidirectional?: true } =>
  isRightToLeft(runs) ? { bidirectional: true } : {}

/**
 * Divides a line of a paragraph by direction: each run of a word processor has one, and letters of the other one must not be in it
 * (ECMA-376-1, 17.3.2.30). Digits follow the letters before them, everything else the letters on both sides or the paragraph.
 */
function byDirection(line: string, isBaseRightToLeft: boolean): { text: string; rightToLeft: boolean }[] {
  // The pieces at odd places have the other direction.
  const pieces = line.split(isBaseRightToLeft ? textLeftToRight : textRightToLeft)
  for (let at = 1; at < pieces.length; at += 2) {
    const [before = '', piece = '', after = ''] = pieces.slice(at - 1, at + 2)
    // Brackets belong together, as in `GPT (turbo)`.
    const [opening, closing] = [count(piece, /\p{Ps}/gu), count(piece, /\p{Pe}/gu)]
    if (opening > closing && /^\p{Pe}/u.test(after)) {
      pieces[at] = piece + after[0]
      pieces[at + 1] = after.slice(1)
    } else if (closing > opening && /\p{Ps}$/u.test(before)) {
      pieces[at] = before.at(-1) + piece
      pieces[at - 1] = before.slice(0, -1)
    }
  }
  return pieces
    .map((text, at) => ({ text, rightToLeft: (at % 2 === 1) !== isBaseRightToLeft }))
    .filter(({ text }) => text !== '')
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The East Asian language of a text by the characters that only one language has. Null for all others, such as kanji alone. */
function eastAsianOf(text: string): EastAsian | null {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja-JP'
  return /\p{Script=Hangul}/u.test(text) ? 'ko-KR' : null
}

/** Null for other languages. */
function eastAsianOfLanguage(tag: string): EastAsian | null {
  const { language, script } = new Intl.Locale(tag).maximize()
  if (language === 'zh') return script === 'Hant' ? 'zh-TW' : 'zh-CN'
  return language === 'ja' ? 'ja-JP' : language === 'ko' ? 'ko-KR' : null
}

const wholeText = (runs: readonly DocxRun[]): string => runs.map(({ text }) => text).join('')

type Look = { color?: string; size?: number }
type Style = ConstructorParameters<typeof TextRun>[0] & object

type Piece = TextRun | ExternalHyperlink | MathRuns

function runsOf(runs: readonly DocxRun[], look: Look = {}): Piece[] {
  const isBaseRightToLeft = isRightToLeft(runs)
  const eastAsia = eastAsianOf(wholeText(runs))
  const script = eastAsia && { font: { eastAsia: eastAsianFonts[eastAsia] }, language: { eastAsia } }
  return runs.flatMap((run): Piece[] => {
    const { text, code, formula, link, ...format } = run
    const math = formula ? mathOf(text) : null
    // Without the link: not every word processor reads an equation inside one.
    if (math) return [math]
    const isCode = code || formula
    const style: Style = {
      ...look,
      ...format,
      ...script,
      ...(isCode && { font: { ...script?.font, ...codeFont }, shading: shaded }),
      ...(link && { style: 'Hyperlink' }),
    }
    const pieces = linesOf(text, style, isBaseRightToLeft && !isCode)
    return link ? [new ExternalHyperlink({ link, children: pieces })] : pieces
  })
}

const linesOf = (text: string, style: Style, isBaseRightToLeft = false): TextRun[] =>
  clean(text)
    .split('\n')
    .flatMap((line, at) => {
      const pieces = byDirection(line, isBaseRightToLeft)
      const broken = at === 0 ? [] : [new TextRun({ ...style, break: 1 })]
      return [
        ...broken,
        ...pieces.map(({ text, rightToLeft }) => new TextRun({ ...style, text, ...(rightToLeft && { rightToLeft }) })),
      ]
    })

/** XML 1.0 does not allow other characters, even escaped. Word refuses such a file. */
const clean = (text: string): string =>
  text.replaceAll('\r', '').replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
