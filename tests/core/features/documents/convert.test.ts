import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { convertDocument } from '../../../../src-main/core/features/documents/convert/convert.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { freshFolder } from '../../helpers/core.ts'
import { corpus, corpusBytes, corpusPath, expectedText, plainPdf, written } from './corpus.ts'

const folder = freshFolder()
let files = 0

async function convert(name: string, bytes: Uint8Array) {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, bytes)
  return convertDocument({ path, name })
}

const textOf = async (name: string, bytes: Uint8Array): Promise<string> =>
  (await convert(name, bytes)).parts.map(({ text }) => text).join('\n')

const refused = (name: string, bytes: Uint8Array, words: RegExp): Promise<void> =>
  expect(convert(name, bytes)).rejects.toMatchObject({ kind: 'bad_input', message: expect.stringMatching(words) })

describe('documents of other programs', () => {
  it.each(corpus.filter((name) => name !== 'encrypted.pdf'))('%s has the expected text', async (name) => {
    expect(written(await convertDocument({ path: corpusPath(name), name }))).toBe(expectedText(name))
  })

  it('finds the type by the bytes, whatever the name', async () => {
    for (const name of ['report.docx', 'prices.xlsx', 'talk.odp', 'report.epub', 'report-chromium.pdf']) {
      const { kind } = await convert('photo.png', corpusBytes(name))
      expect(name).toContain(kind)
    }
  })
})

/** Encodes text in an encoding that Node only decodes, by trying every one and two bytes. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const known = new Map<string, number[]>()
  for (let first = 0; first < 256; first += 1) {
    const single = decoder.decode(Uint8Array.of(first))
    if (single.length === 1 && single !== '\ufffd' && !known.has(single)) known.set(single, [first])
    if (first < 0x81) continue
    for (let second = 0x40; second < 0xff; second += 1) {
      const pair = decoder.decode(Uint8Array.of(first, second))
      if (pair.length === 1 && pair !== '\ufffd' && !known.has(pair)) known.set(pair, [first, second])
    }
  }
  return Buffer.from(Array.from(text).flatMap((letter) => known.get(letter) ?? [0x3f]))
}

describe('plain text', () => {
  const japanese =
    '港の船は毎朝七時に出航し、夕方に戻ってきます。運賃は五百円です。天気が悪い日は運休になります。'.repeat(3)
  const chinese = '渡轮每天早上七点离开港口，傍晚返回。票价是五元。天气不好的时候停航。'.repeat(4)
  const russian = 'Паром отходит каждое утро в семь часов и возвращается вечером. Билет стоит пятьсот рублей.\n'.repeat(
    3,
  )
  const german =
    'Die Fähre fährt täglich um sieben Uhr für fünf Euro über den Fluss – außer an Feiertagen. Größe, Öl, Übermut.\n'.repeat(
      3,
    )

  it.each([
    ['Shift_JIS', japanese],
    ['EUC-JP', japanese],
    ['GB18030', chinese],
    ['windows-1251', russian],
    ['KOI8-R', russian],
    ['windows-1252', german],
  ])('is read in %s', async (encoding, text) => {
    expect(await textOf('a.txt', encoded(text, encoding))).toBe(text.trimEnd())
  })

  it('is read in every form of Unicode, with and without a byte order mark', async () => {
    const text = 'Zürich, 東京, Привет and plain words'
    const latin = 'Plain words of a log file, without a mark'
    const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()
    const wide = (words: string): Buffer => Buffer.from(words, 'utf16le')
    const utf32 = Buffer.concat(
      Array.from(`\ufeff${text}`, (letter) => {
        const four = Buffer.alloc(4)
        four.writeUInt32LE(letter.codePointAt(0) ?? 0)
        return four
      }),
    )
    expect(await textOf('a.txt', Buffer.from(text))).toBe(text)
    expect(await textOf('a.txt', Buffer.from(`\ufeff${text}`))).toBe(text)
    expect(await textOf('a.txt', wide(`\ufeff${text}`))).toBe(text)
    expect(await textOf('a.txt', swapped(wide(`\ufeff${text}`)))).toBe(text)
    expect(await textOf('a.txt', wide(latin))).toBe(latin)
    expect(await textOf('a.txt', swapped(wide(latin)))).toBe(latin)
    expect(await textOf('a.txt', utf32)).toBe(text)
  })

  it('keeps code, CSV and Markdown as they are, and says which encoding was guessed', async () => {
    const code = 'def run():\n\treturn {"a": 1}  # €\n'
    expect(await convert('run.py', Buffer.from(code))).toMatchObject({ kind: 'code', unit: 'text', notes: [] })
    expect(await textOf('run.py', Buffer.from(code))).toBe(code.trimEnd())
    expect(await convert('a.CSV', Buffer.from('a;b\r\n1;2'))).toMatchObject({
      kind: 'csv',
      parts: [{ text: 'a;b\n1;2' }],
    })
    expect(await convert('a.md', Buffer.from('# A'))).toMatchObject({ kind: 'markdown', parts: [{ text: '# A' }] })
    const { notes } = await convert('a.txt', encoded(russian, 'windows-1251'))
    expect(notes).toEqual(['The text was read as windows-1251.'])
  })

  it('of a web page has no scripts, styles or hidden elements, and names the declared encoding', async () => {
    const page = `<html><head><meta charset="windows-1251"><title>Title</title><style>p{}</style></head><body>
      <script>steal()</script><p onclick="steal()">Shown <a href="javascript:steal()">link</a> <a href="https://a.example/">real</a></p>
      <p hidden>Hidden</p><iframe src="https://a.example/x">frame</iframe><img src="https://a.example/p.png" alt="A ship">
      <ol start="3"><li>three<li>four</ol><pre>  a &lt; b\n\`\`\`</pre><table><tr><th>A<th>B<tr><td>1|2<td>3</table></body></html>`
    const { parts, notes, kind } = await convert('x.txt', Buffer.from(page))
    expect(kind).toBe('html')
    expect(parts[0]?.text).toBe(
      '# Title\n\nShown link [real](https://a.example/)\n\n![A ship]\n\n3. three\n4. four\n\n````\n  a < b\n```\n````\n\n| A | B |\n| --- | --- |\n| 1\\|2 | 3 |',
    )
    expect(notes).toContain('1 picture was left out.')
  })
})

const xml = (body: string): Uint8Array => strToU8(`<?xml version="1.0"?>${body}`)
const relations = (target: string): Uint8Array =>
  xml(`<Relationships><Relationship Id="r1" Type="http://x/officeDocument" Target="${target}"/></Relationships>`)

/** A Word document with this body, and more entries. */
const word = (body: string, more: Record<string, Uint8Array> = {}): Uint8Array =>
  zipSync({ '_rels/.rels': relations('word/document.xml'), 'word/document.xml': xml(body), ...more }, { level: 1 })

describe('hostile and broken files', () => {
  it('are refused with the reason', async () => {
    await refused('a.txt', new Uint8Array(), /empty/)
    await refused('a.bin', Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256)), /neither text/)
    await refused('a.pdf', corpusBytes('encrypted.pdf'), /protected by a password/)
    await refused('a.pdf', Buffer.from('%PDF-1.7\nnothing'), /damaged/)
    await refused('a.docx', corpusBytes('report.docx').subarray(0, 3000), /^The file is damaged or cut off\.$/)
    await refused(
      'a.docx',
      Buffer.from('d0cf11e0a1b11ae1'.padEnd(2048, '0'), 'hex'),
      /password, or has the format of Office 97/,
    )
    await refused('a.zip', zipSync({ 'a.txt': strToU8('a') }), /not a document/)
    await refused('a.docx', word('<w:document/>'), /no text/)
    await refused(
      'a.odt',
      zipSync({ mimetype: strToU8('application/vnd.oasis.opendocument.text') }),
      /content is missing/,
    )
    const locked = xml('<manifest><file-entry><encryption-data/></file-entry></manifest>')
    const odt = { mimetype: strToU8('application/vnd.oasis.opendocument.text'), 'META-INF/manifest.xml': locked }
    await refused('a.odt', zipSync({ ...odt, 'content.xml': strToU8('x') }), /protected by a password/)
  })

  it('of 1 GB are refused before they are read', async () => {
    const path = join(folder, 'huge')
    writeFileSync(path, '%PDF-1.7')
    truncateSync(path, 1024 ** 3)
    const cpuMs = cpuTime()
    await expect(convertDocument({ path, name: 'huge.pdf' })).rejects.toMatchObject({ kind: 'bad_input' })
    expect(cpuMs()).toBeLessThan(1000)
  })

  it('that unpack to gigabytes, or nest too deeply, are refused', async () => {
    const spaces = ' '.repeat(17 * 1024 * 1024)
    await refused('a.docx', word(`<w:document><w:p><w:t>${spaces}</w:t></w:p></w:document>`), /more data than is safe/)
    await refused('a.docx', word('<w:p>'.repeat(100_000)), /too deeply/)
    await refused('a.html', Buffer.from(`<html>${'<div>'.repeat(100_000)}x`), /too deeply/)
    const outside = zipSync({ '../../evil': strToU8('x'), '_rels/.rels': relations('word/document.xml') })
    await refused('a.docx', outside, /leads out of its folder/)
  })

  it('expand no entities, read no files and keep no macros', async () => {
    const laughs = Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')
    const body = `<!DOCTYPE d [<!ENTITY l0 "lol">${laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>
      <w:document><w:body><w:p><w:r><w:t>Before &l20; &file; &amp; after</w:t></w:r></w:p></w:body></w:document>`
    const { parts, notes } = await convert('a.docx', word(body, { 'word/vbaProject.bin': strToU8('Shell') }))
    expect(parts.map(({ text }) => text).join('')).toMatch(/^Before .{0,40} & after$/)
    expect(notes).toEqual(['Macros were left out. They were not run.'])
  })

  it('use names of object members as styles and elements without effect', async () => {
    const body = `<w:document><w:body><constructor/><__proto__/><w:p><w:pPr><w:pStyle w:val="__proto__"/></w:pPr><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>`
    expect(await textOf('a.docx', word(body))).toBe('Text')
  })

  it('say which pages have no text', async () => {
    const bytes = Buffer.from(
      plainPdf(3, 1)
        .toString('latin1')
        .replace(/\(Line 1 of page 2[^)]*\)/, (found) => `(${' '.repeat(found.length - 2)})`),
      'latin1',
    )
    const { notes, parts } = await convert('a.pdf', bytes)
    expect(parts).toHaveLength(3)
    expect(notes).toEqual(['Page 2 has no text, for example because of scanned pictures.'])
  })
})
