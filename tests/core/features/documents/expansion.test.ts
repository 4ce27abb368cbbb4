import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { convertDocument } from '../../../../src-main/core/features/documents/convert/convert.ts'
import { freeTag } from '../../../../src-main/core/shared/text/tags.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { tries } from '../../../helpers/effort.ts'
import { seed } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'

// Small files that ask for a lot of text or work. Each of these took minutes, or ended the converter for lack of memory.

const folder = freshFolder()
let files = 0

/** Converts a file, and checks that its text and the work are bounded. The limit is generous: most need less than a tenth of it. */
async function convertBounded(name: string, bytes: Uint8Array, limitMs = 6_000) {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, bytes)
  const spent = cpuTime()
  const { parts, notes } = await convertDocument({ path, name })
  expect(spent(), name).toBeLessThan(limitMs)
  const text = parts.map((part) => part.text).join('\n')
  expect(text.length).toBeLessThan(21_000_000)
  return { text, notes: notes.map((one) => one.text).join(' '), parts }
}

const xml = (body: string): Uint8Array => strToU8(`<?xml version="1.0"?>${body}`)
const zip = (entries: Zippable): Uint8Array => zipSync(entries, { level: 1 })
const relations = (...targets: [type: string, target: string][]): Uint8Array =>
  xml(
    `<Relationships>${targets.map(([type, target], at) => `<Relationship Id="r${at + 1}" Type="http://x/${type}" Target="${target}"/>`).join('')}</Relationships>`,
  )
const openDocument = (type: string, body: string): Uint8Array =>
  zip({
    mimetype: strToU8(`application/vnd.oasis.opendocument.${type}`),
    'content.xml': xml(`<office:document-content><office:body>${body}</office:body></office:document-content>`),
  })
const word = (body: string): Uint8Array =>
  zip({
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': xml(`<w:document><w:body>${body}</w:body></w:document>`),
  })
const sheet = (rows: string, more: Zippable = {}): Uint8Array =>
  zip({
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/1.xml'],
      ['sharedStrings', 'strings.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/workbook.xml': xml('<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>'),
    'xl/worksheets/1.xml': xml(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
    ...more,
  })

const kilobyte = 'x'.repeat(1024)

test('white space of any length in a text file is read in linear time', async () => {
  for (const run of [' ', '\n', '\t', ' \n', '\u00a0', '\u3000']) {
    const { text } = await convertBounded('a.txt', Buffer.from(`a${run.repeat(600_000)}b`))
    expect(text.startsWith('a')).toBe(true)
    expect(text.endsWith('b')).toBe(true)
  }
  const page = `<html><p>a${'&#32;<br>'.repeat(100_000)}b</p><table><tr><td>${'&nbsp;'.repeat(300_000)}x</table><pre>${'\n '.repeat(200_000)}y</pre>`
  expect((await convertBounded('a.html', Buffer.from(page))).text).toContain('y')
})

test('repeated spaces of OpenDocument are bounded before they are written, and named', async () => {
  const { text, notes } = await convertBounded(
    'a.odt',
    openDocument('text', `<text:p>before${'<text:s text:c="1000"/>'.repeat(20_000)}after</text:p>`),
  )
  expect(text).toMatch(/^before *after$/)
  expect(notes).toContain('were written once')
})

test('repeated cells and rows of OpenDocument are bounded before they are written, and named', {
  tags: 'long',
}, async () => {
  const rows = (cell: string) =>
    `<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000">${cell}</table:table-cell></table:table-row>`
  const nested = Array.from({ length: 9 }).reduce<string>(
    (inside) => `<table:table>${rows(inside)}</table:table>`,
    `<text:p>${kilobyte}</text:p>`,
  )
  const tables = await convertBounded('a.odt', openDocument('text', nested))
  expect(tables.text).toContain(kilobyte)
  expect(tables.notes).toContain('were written once')
  const cells = await convertBounded(
    'a.ods',
    openDocument(
      'spreadsheet',
      `<table:table table:name="A">${rows(`<text:p>${kilobyte}</text:p>`).repeat(200)}</table:table>`,
    ),
  )
  expect(cells.text).toContain(kilobyte)
  expect(cells.notes).toContain('were written once')
  const empty =
    '<table:table-row><table:table-cell table:number-columns-repeated="16383"/><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>'
  const sparse = await convertBounded(
    'a.ods',
    openDocument('spreadsheet', `<table:table>${empty.repeat(20_000)}</table:table>`),
  )
  expect(sparse.notes).toContain('were written once')
})

test('cells of XLSX far to the right, and many cells with one long text, are bounded and named', {
  tags: 'long',
}, async () => {
  const far = Array.from(
    { length: 60_000 },
    (_, at) => `<row r="${at + 1}"><c r="XFD${at + 1}"><v>1</v></c></row>`,
  ).join('')
  expect((await convertBounded('a.xlsx', sheet(far))).notes).toContain('after 20,000,000 characters was left out')
  const long = 'y'.repeat(1_000_000)
  const shared = {
    'xl/strings.xml': xml(`<sst><si><t>${long}</t></si></sst>`),
    // A pattern of the format was quadratic.
    'xl/styles.xml': xml(
      `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(300_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
    ),
  }
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(10_000)}</row>`
  const { notes } = await convertBounded('a.xlsx', sheet(row.repeat(20), shared))
  expect(notes).toContain('after 20,000,000 characters was left out')
})

test('tables in tables, and one wide row among many, stay as large as their text', async () => {
  const deep = 300
  const text = 'z'.repeat(200_000)
  const table = `${'<w:tbl><w:tr><w:tc>'.repeat(deep)}<w:p><w:r><w:t>${text}</w:t></w:r></w:p>${'</w:tc></w:tr></w:tbl>'.repeat(deep)}`
  expect((await convertBounded('a.docx', word(table))).text.match(/z/g)?.length).toBe(text.length)
  const html = `${'<table><tr><td>'.repeat(deep)}${text}${'</td></tr></table>'.repeat(deep)}`
  expect((await convertBounded('a.html', Buffer.from(`<html>${html}`))).text.match(/z/g)?.length).toBe(text.length)
  const wide = `<tr>${'<td>a'.repeat(20_000)}</tr>${'<tr><td>b</tr>'.repeat(50_000)}`
  const { text: markdown } = await convertBounded('a.html', Buffer.from(`<html><table>${wide}</table>`))
  expect(markdown.length).toBeLessThan(1_000_000)
  const outer = '<html><table><tr><td>before<table><tr><td>1<td>2</table>after<td>next</table>'
  expect((await convertBounded('a.html', Buffer.from(outer))).text).toBe('| before 1, 2 after | next |\n| --- | --- |')
})

test('a chapter, slide, sheet or page that is listed many times is read once', async () => {
  const chapter = `<html><body><p>${'word '.repeat(20_000)}</p></body></html>`
  const epub = zip({
    mimetype: strToU8('application/epub+zip'),
    'META-INF/container.xml': xml('<container><rootfile full-path="a.opf"/></container>'),
    'a.opf': xml(`<package><item id="c" href="c.xhtml"/>${'<itemref idref="c"/>'.repeat(20_000)}</package>`),
    'c.xhtml': xml(chapter),
  })
  const { parts, notes } = await convertBounded('a.epub', epub)
  expect(parts).toHaveLength(1)
  expect(notes).toContain('listed several times')
  const slides = zip({
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/_rels/presentation.xml.rels': relations(['slide', 'slides/1.xml']),
    'ppt/presentation.xml': xml(`<p>${'<p:sldId id="256" r:id="r1"/>'.repeat(20_000)}</p>`),
    'ppt/slides/1.xml': xml(`<p:sld><p:sp><a:p><a:t>${'word '.repeat(20_000)}</a:t></a:p></p:sp></p:sld>`),
  })
  expect((await convertBounded('a.pptx', slides)).parts).toHaveLength(1)
})

test('the number of a free tag is found in one pass', () => {
  const numbers = Array.from({ length: 60_000 }, (_, at) => `document-${at + 2}`).join(' ')
  const spent = cpuTime()
  expect(freeTag('document', `</document> ${numbers}`)).toBe('document-60002')
  expect(spent()).toBeLessThan(2_000)
})

test('any mixture of runs is converted in linear time', async () => {
  const run = fc
    .tuple(
      fc.constantFrom(
        ' ',
        '\n',
        '\t',
        '\u00a0',
        '|',
        '`',
        '<br>',
        '<td>',
        '<li>',
        '<blockquote>',
        '</p>',
        '&nbsp;',
        'word',
        '[',
        '*',
      ),
      fc.integer({ min: 1, max: 400 }),
    )
    .map(([unit, times]) => unit.repeat(times))
  const part = fc.array(run, { minLength: 1, maxLength: 20 }).map((all) => all.join(''))
  await fc.assert(
    fc.asyncProperty(part, fc.constantFrom('a.txt', 'a.html', 'a.csv'), async (text, name) => {
      const times = Math.ceil(300_000 / text.length)
      // Closes what would nest too deeply.
      const body =
        name === 'a.html' ? `<html>${`${text}</td></li></blockquote></table>`.repeat(times)}` : text.repeat(times)
      await convertBounded(name, Buffer.from(`a ${body} b`)).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ message: expect.stringMatching(/too deeply/) })
      })
    }),
    { seed, numRuns: tries(8, 200) },
  )
})
