import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { unzipSync } from 'fflate'
import { expect, it } from 'vitest'
import { writeDocx } from '../../../../../src-renderer/features/chat/export/docx.ts'
import type { DocxBlock } from '../../../../../src-renderer/features/chat/export/docxModel.ts'
import { tries } from '../../../../helpers/effort.ts'
import { temporaryFolder } from '../../../../helpers/folders.ts'
import { needs } from '../../../../helpers/programs.mjs'

const plain = (text: string) => [{ text }]
const blocks: DocxBlock[] = [
  { kind: 'heading', level: 1, runs: plain('Trip') },
  {
    kind: 'paragraph',
    runs: [{ text: 'Bold', bold: true }, { text: ' and ' }, { text: 'link', link: 'https://example.org/a?b=1&c=2' }],
    look: 'normal',
    indent: 0,
  },
  { kind: 'item', runs: plain('First'), level: 0, list: 1 },
  { kind: 'item', runs: plain('Second'), level: 0, list: 1 },
  { kind: 'item', runs: plain('Again one'), level: 0, list: 2 },
  { kind: 'code', text: 'if (a < b) {\n  return "&"\n}' },
  { kind: 'table', rows: [[plain('City'), plain('Cost')], [plain('Lisbon')]] },
  { kind: 'rule' },
  { kind: 'paragraph', runs: plain('bad \u0000\u0008\ud800 end'), look: 'quote', indent: 1 },
]

const entriesOf = async (given: readonly DocxBlock[], language = 'en') => {
  const bytes = new Uint8Array(await (await writeDocx('A & B', given, language)).arrayBuffer())
  const entries = Object.entries(unzipSync(bytes)).map(
    ([name, entry]) => [name, Buffer.from(entry).toString()] as const,
  )
  return { bytes, entries: new Map(entries) }
}

/** Characters that XML 1.0 allows. */
const wellFormed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u

it('writes headings, lists, code, tables and links', async () => {
  const { entries } = await entriesOf(blocks)
  const body = entries.get('word/document.xml') ?? ''
  expect(body).toMatch(/<w:pStyle w:val="Heading1"\/>.*Trip/)
  expect(body).toContain('if (a &lt; b) {')
  expect(body.match(/<w:tc>/g)).toHaveLength(4)
  expect(new Set(body.match(/<w:numId w:val="\d+"\/>/g)).size).toBe(2)
  expect(entries.get('word/_rels/document.xml.rels')).toContain('Target="https://example.org/a?b=1&amp;c=2"')
})

const documentOf = async (given: readonly DocxBlock[]) =>
  (await entriesOf(given)).entries.get('word/document.xml') ?? ''
const inline = (tex: string) =>
  documentOf([{ kind: 'paragraph', runs: [{ text: tex, formula: true }], look: 'normal', indent: 0 }])

it.each([
  ['fractions', '\\frac{a}{b}', ['<m:f><m:num>', '<m:den>']],
  ['roots', '\\sqrt[3]{x}', ['<m:rad>', '<m:deg><m:r><m:t>3<']],
  ['scripts', 'x_i^2', ['<m:sSubSup>', '<m:sup><m:r><m:t>2<']],
  ['sums with limits', '\\sum_{i=1}^{n} i', ['<m:chr m:val="∑"/>', '<m:sub><m:r><m:t>i=1<']],
  ['matrices', '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', ['<m:begChr m:val="("/>', '<m:mr><m:e><m:r><m:t>3<']],
  ['Greek letters', '\\alpha\\Omega', ['<m:t>α<', '<m:t>Ω<']],
  ['text', '\\text{ if }x', ['<m:nor m:val="1"/>', '> if <']],
  ['aligned equations', '\\begin{aligned}a&=b\\\\c&=d\\end{aligned}', ['<m:eqArr><m:e>']],
])('writes %s as equations of the word processor', async (_, tex, parts) => {
  const body = await inline(tex)
  for (const part of ['<m:oMath>', ...parts]) expect(body).toContain(part)
  expect(body).not.toContain('\\')
})

it('centres a formula that stands alone, and keeps text around one in a line', async () => {
  const body = await documentOf([
    { kind: 'formula', tex: 'E=mc^2' },
    {
      kind: 'paragraph',
      runs: [{ text: 'with ' }, { text: 'm', formula: true }, { text: ' in kg' }],
      look: 'normal',
      indent: 0,
    },
  ])
  expect(body).toContain('<w:p><m:oMathPara><m:oMath>')
  expect(body).toMatch(/with <.*<m:oMath><m:r><m:t>m<\/m:t><\/m:r><\/m:oMath><w:r>.* in kg/)
})

it.each([
  ['a chemical formula', '\\ce{H2O}'],
  ['a formula that never ends', '\\frac{a'],
  ['a formula nested too deeply', '{'.repeat(900)],
  ['a formula that is too long', `x${'+x'.repeat(1_500)}`],
])('keeps %s readable as TeX', async (_, tex) => {
  for (const body of [await inline(tex), await documentOf([{ kind: 'formula', tex }])]) {
    expect(body).not.toContain('<m:')
    expect(body).toContain(tex)
    expect(body).toContain('w:ascii="Courier New"')
  }
})

it('gives each paragraph the direction of its first letter', async () => {
  const paragraph = (text: string, more = {}): DocxBlock => ({
    ...{ kind: 'paragraph', look: 'normal', indent: 0 },
    runs: [{ text, ...more }],
  })
  const isBidirectional = async (block: DocxBlock) => (await documentOf([block])).includes('<w:bidi/>')
  expect(await isBidirectional(paragraph('1. مرحبا world'))).toBe(true)
  expect(await isBidirectional(paragraph('שלום'))).toBe(true)
  expect(await isBidirectional(paragraph('Hello مرحبا'))).toBe(false)
  expect(await isBidirectional(paragraph('مرحبا', { code: true }))).toBe(false)
  expect(await documentOf([paragraph('مرحبا')])).toContain('<w:rtl/>')
})

const paragraph = (text: string): DocxBlock => ({ kind: 'paragraph', look: 'normal', indent: 0, runs: plain(text) })
/** The texts of the runs, those from right to left in ‹ ›. */
const directionsOf = (body: string) =>
  [...body.matchAll(/<w:r>.*?<\/w:r>/g)]
    .map(([run]) => [/<w:t[^>]*>(.*)<\/w:t>/.exec(run)?.[1] ?? '', run.includes('<w:rtl/>')] as const)
    .map(([text, isRightToLeft]) => (isRightToLeft ? `‹${text}›` : text))
    .join('')

it.each([
  ['Arabic alone', 'مرحبا بالعالم!', '‹مرحبا بالعالم!›'],
  ['English within Arabic', 'خدمة API محلية.', '‹خدمة ›API‹ محلية.›'],
  ['brackets and digits within English', 'نموذج GPT-4 (turbo) جديد', '‹نموذج ›GPT-4 (turbo)‹ جديد›'],
  ['a bracket before English', 'نموذج (turbo) GPT-4', '‹نموذج ›(turbo) GPT-4'],
  ['brackets of Arabic around English', 'واجهة (API) محلية', '‹واجهة (›API‹) محلية›'],
  ['Arabic within English', 'The word مرحبا, twice: مرحبا بك.', 'The word ‹مرحبا›, twice: ‹مرحبا بك›.'],
  ['marks and digits within Arabic', 'Say مَرْحَبًا 12 now', 'Say ‹مَرْحَبًا 12› now'],
  ['English alone', 'Nothing (else) here.', 'Nothing (else) here.'],
])('divides text into runs of one direction: %s', async (_, text, expected) => {
  expect(directionsOf(await documentOf([paragraph(text)]))).toBe(expected)
})

it('has no letter of another direction in a run, and loses none, whatever is mixed', async () => {
  const piece = fc.constantFrom('ab', 'é', 'مر', 'بًا', 'של', ' ', ' (', ') ', '.', '12', '日本', '\u0301')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const text = pieces.join('')
      const written = directionsOf(await documentOf([paragraph(text)]))
      expect(written.replaceAll(/[‹›]/g, '')).toBe(text)
      for (const [run] of written.matchAll(/‹[^›]*›/g)) expect(run).not.toMatch(/[abé日本]/)
      expect(written.replaceAll(/‹[^›]*›/g, '')).not.toMatch(/[\p{Script=Arabic}\p{Script=Hebrew}]/u)
    }),
    { numRuns: tries(50, 2_000) },
  )
})

it('divides a line of any length in linear time', async () => {
  const line = `${'مرحبا ('.repeat(20_000)} ${'a ) '.repeat(20_000)}${' '.repeat(50_000)}${'ا a ) '.repeat(5_000)}`
  const { user, system } = process.cpuUsage()
  await writeDocx('', [paragraph(line)], 'ar')
  const spent = process.cpuUsage()
  expect((spent.user + spent.system - user - system) / 1e6).toBeLessThan(5)
}, 60_000)

it('names a font and a language for each script', async () => {
  const stylesOf = async (language: string) => (await entriesOf([], language)).entries.get('word/styles.xml') ?? ''
  expect(await stylesOf('de')).toContain(
    '<w:rFonts w:ascii="Calibri" w:cs="Arial" w:eastAsia="Microsoft YaHei" w:hAnsi="Calibri"/>',
  )
  expect(await stylesOf('de')).toContain('<w:lang w:val="de" w:eastAsia="zh-CN" w:bidi="ar-SA"/>')
  // Kanji and hanzi are the same characters. Without kana, the window's language decides.
  expect(await stylesOf('ja')).toMatch(/w:eastAsia="Yu Gothic".*<w:lang w:val="ja" w:eastAsia="ja-JP"/)
  expect(await stylesOf('zh-Hant')).toMatch(/w:eastAsia="Microsoft JhengHei".*w:eastAsia="zh-TW"/)
  const fontsOf = async (block: DocxBlock) => (await documentOf([block])).match(/<w:(?:rFonts|lang) [^>]*>/g)
  expect(await fontsOf(paragraph('漢字とかな'))).toEqual([
    '<w:rFonts w:eastAsia="Yu Gothic"/>',
    '<w:lang w:eastAsia="ja-JP"/>',
  ])
  expect(await fontsOf(paragraph('한국어'))).toEqual([
    '<w:rFonts w:eastAsia="Malgun Gothic"/>',
    '<w:lang w:eastAsia="ko-KR"/>',
  ])
  expect(await fontsOf(paragraph('汉字'))).toBeNull()
  // Code has a font for each script, too: the one of East Asian text is inherited.
  expect(await fontsOf({ kind: 'code', text: 'x = "汉字"' })).toEqual([
    '<w:rFonts w:ascii="Courier New" w:cs="Courier New" w:hAnsi="Courier New"/>',
  ])
})

it('draws the bar of a quote on the side where its text begins', async () => {
  const quote = (text: string): DocxBlock => ({ ...paragraph(text), look: 'quote', indent: 1 }) as DocxBlock
  expect(await documentOf([quote('Hello')])).toMatch(/<w:pBdr><w:left /)
  expect(await documentOf([quote('مرحبا')])).toMatch(/<w:pBdr><w:right /)
})

it('is valid XML, whatever a text contains', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
      const { entries } = await entriesOf([
        { kind: 'heading', level: 3, runs: plain(text) },
        { kind: 'code', text },
        { kind: 'formula', tex: text },
        { kind: 'table', rows: [[[{ text, link: 'https://a.b/' }]]] },
      ])
      for (const [name, content] of entries) {
        expect(content).toMatch(wellFormed)
        if (name === 'word/document.xml')
          expect(content.replaceAll(/&(?:amp|lt|gt|quot|apos);/g, '')).not.toContain('&')
      }
    }),
    { numRuns: tries(6, 300) },
  )
})

it('LibreOffice reads the same text', { ...needs('soffice'), timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(temporaryFolder('studio-office-'), 'docx-'))
  try {
    const { bytes } = await entriesOf(blocks)
    writeFileSync(join(folder, 'chat.docx'), bytes)
    const settings = `-env:UserInstallation=file://${folder}/profile`
    execFileSync(
      'soffice',
      [settings, '--headless', '--convert-to', 'txt:Text', '--outdir', folder, join(folder, 'chat.docx')],
      { timeout: 60_000 },
    )
    const text = readFileSync(join(folder, 'chat.txt'), 'utf8').replace(/^\ufeff/, '')
    const lines = text.split(/\r?\n/).map((line) => line.trim())
    for (const line of [
      'Trip',
      'Bold and link',
      '1. First',
      '2. Second',
      '1. Again one',
      'if (a < b) {',
      'return "&"',
      'Lisbon',
    ]) {
      expect(lines).toContain(line)
    }
    expect(text).toContain('bad \ufffd\ufffd\ufffd end')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
