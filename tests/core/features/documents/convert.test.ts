import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { convertDocument } from '../../../../src-main/core/features/documents/convert/convert.ts'
import { textEncodings } from '../../../../src-preload/contract/documents.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { freshFolder } from '../../helpers/core.ts'
import { corpus, corpusBytes, corpusPath, expectedText, plainPdf, written } from './corpus.ts'

const folder = freshFolder()
let files = 0

async function convert(name: string, bytes: Uint8Array) {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, bytes)
  const { notes, ...document } = await convertDocument({ path, name })
  return { ...document, notes: notes.map(({ text }) => text) }
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

  it('with a few wrong bytes or a cut-off end is UTF-8, and the wrong bytes are named', async () => {
    const { parts, notes } = await convert('mixed-bad.txt', corpusBytes('mixed-bad.txt'))
    expect(parts[0]?.text).toContain('ümläuts and 日本語')
    expect(parts[0]?.text.match(/\ufffd/g)).toHaveLength(3)
    expect(notes).toEqual(['Bytes that are not valid UTF-8 and became \ufffd: 3.'])
    const cut = Buffer.from(japanese).subarray(0, -1)
    expect((await textOf('a.txt', cut)).slice(0, -1)).toBe(japanese.slice(0, -1))
    // Each umlaut is wrong, so this is not UTF-8.
    expect(await textOf('a.txt', encoded(german, 'windows-1252'))).toBe(german.trimEnd())
  })

  it('of a few letters is read in its encoding', async () => {
    expect(await convert('gbk-short.csv', corpusBytes('gbk-short.csv'))).toMatchObject({
      mime: 'text/csv;charset=GB18030',
      parts: [{ text: '姓名,年龄\n张三,20' }],
      notes: ['The text was read as GB18030.'],
    })
    for (const [encoding, text] of [
      ['GB18030', '测试文件'],
      ['GB18030', '产品名称,价格\n苹果,5'],
      ['Big5', '姓名,年齡\n張三,20'],
      ['Big5', '測試檔案'],
      ['Shift_JIS', 'こんにちは'],
      ['Shift_JIS', '名前,年齢\n田中,20'],
      ['Big5', '我們今天學中文,日期'],
      ['EUC-JP', '名前,年齢\nたなか,20'],
      ['EUC-JP', 'これはテストです。'],
      ['EUC-JP', 'ひらがなだけのぶんしょう'],
      ['EUC-JP', 'おはようございます'],
      ['EUC-JP', '今日は天気がいいです'],
      ['EUC-KR', '이름,나이\n김철수,20'],
      ['EUC-KR', '테스트 파일'],
      ['windows-1251', 'Привет'],
      ['windows-1252', 'Größe,Höhe\nMüller,20'],
      ['windows-1252', 'Ärzte,Äpfel,Ähren'],
    ] as const) {
      expect(await textOf('a.txt', encoded(text, encoding)), `${encoding} ${text}`).toBe(text)
    }
  })

  it('is read in an encoding whose name can be chosen again, also where it is guessed or declared by another name', async () => {
    const ferry = 'Fähre nach Süden: Abfahrt um sieben Uhr, Rückfahrt am Abend.'
    const western = {
      mime: expect.stringContaining(';charset=windows-1252'),
      notes: ['The text was read as windows-1252.'],
    }
    expect(await convert('a.txt', Buffer.from(ferry, 'latin1'))).toMatchObject(western)
  })

  it('is read in the encoding that a person chose, whatever the bytes are', async () => {
    files += 1
    const path = join(folder, String(files))
    const text = '你好'
    writeFileSync(path, encoded(text, 'GB18030'))
    const read = (encoding: string) => convertDocument({ path, name: 'a.txt', encoding })
    expect(await read('GB18030')).toMatchObject({ mime: 'text/plain;charset=GB18030', parts: [{ text }] })
    expect((await read('UTF-8')).notes.map(({ text }) => text)).toEqual([
      'Bytes that are not valid UTF-8 and became \ufffd: 3.',
    ])
    for (const encoding of textEncodings) expect((await read(encoding)).parts).toHaveLength(1)
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
    expect(notes).toContain('Images left out: 1.')
  })
})

const xml = (body: string): Uint8Array => strToU8(`<?xml version="1.0"?>${body}`)
const relations = (target: string): Uint8Array =>
  xml(`<Relationships><Relationship Id="r1" Type="http://x/officeDocument" Target="${target}"/></Relationships>`)

/** A Word document with this body, and more entries. */
const word = (body: string, more: Record<string, Uint8Array> = {}): Uint8Array =>
  zipSync({ '_rels/.rels': relations('word/document.xml'), 'word/document.xml': xml(body), ...more }, { level: 1 })

/** A PDF of these objects, of which the first is the catalogue. */
function pdfOf(objects: readonly string[]): Buffer {
  let body = '%PDF-1.7\n'
  const offsets = objects.map((object, at) => {
    const offset = body.length
    body += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = body.length
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer <</Size ${objects.length + 1} /Root 1 0 R>>\nstartxref\n${start}\n%%EOF`
  return Buffer.from(body, 'latin1')
}

describe('answers and notes in a PDF', () => {
  /** A page with these annotations, without text. */
  const form = (...annotations: string[]): Buffer => {
    const ids = annotations.map((_, at) => `${at + 4} 0 R`).join(' ')
    return pdfOf([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${ids}]>>>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[${ids}]>>`,
      ...annotations.map((own) => `<</Type/Annot/Rect[1 1 99 20]/P 3 0 R${own}>>`),
    ])
  }
  const field = (own: string): string => `/Subtype/Widget${own}`

  it('are in the text of their page, with the label or the name of the field', async () => {
    const bytes = form(
      field('/FT/Tx/T(p1.surname)/TU(Surname of the applicant)/V(Lindqvist\\nthe Elder)'),
      field('/FT/Tx/T(empty)/V()'),
      field('/FT/Ch/Ff 131072/T(country)/V(NO)/Opt[[(NO)(Norway)][(SE)(Sweden)]]'),
      field('/FT/Ch/Ff 2097152/T(languages)/V[(Danish)(Finnish)]/Opt[(Danish)(Finnish)(Polish)]'),
      field('/FT/Btn/T(married)/V/Yes/AS/Yes/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>'),
      field('/FT/Btn/T(retired)/V/Off/AS/Off/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>'),
      field('/FT/Btn/Ff 32768/T(ticket)/V/adult/AS/adult/AP<</N<</adult 3 0 R/Off 3 0 R>>>>'),
      field('/FT/Tx/Ff 8192/T(password)/V(hunter2)'),
      field('/FT/Tx/F 2/T(secret)/V(hidden)'),
      '/Subtype/FreeText/Contents(Call back on Monday)/DA(/F1 12 Tf)',
      '/Subtype/Text/Contents(Too expensive?)/T(Ida)',
      '/Subtype/Link/Contents(not a note)',
    )
    const { parts, notes } = await convert('form.pdf', bytes)
    expect(parts).toEqual([
      {
        label: 'Page 1',
        text: `Form fields:
- Surname of the applicant: Lindqvist the Elder
- country: Norway
- languages: Danish, Finnish
- [x] married
- [ ] retired
- ticket: adult

Notes on this page:
- Call back on Monday
- Ida: Too expensive?`,
      },
    ])
    expect(notes).toContain('Hidden form fields left out: 1.')
    expect(JSON.stringify(parts)).not.toContain('hunter2')
  })

  it('of a page with gigabytes of text end after some seconds, with a note', { tags: 'long' }, async () => {
    const stream = (facts: string, content: string): string =>
      `<<${facts}/Length ${content.length}>>\nstream\n${content}\nendstream`
    const form = (resources: string, content: string): string =>
      stream(`/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`, content)
    // Each of eight forms shows the next one ten times.
    const inside = Array.from({ length: 7 }, (_, at) => form(`/XObject<</X ${7 + at} 0 R>>`, '/X Do '.repeat(10)))
    const bytes = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</XObject<</X 6 0 R>>>>>>',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      stream('', '/X Do '.repeat(10)),
      ...inside,
      form('/Font<</F1 4 0 R>>', 'BT /F1 9 Tf (words words) Tj ET'),
    ])
    const { parts, notes } = await convert('a.pdf', bytes)
    expect(parts[0]?.text).toMatch(/^words/)
    expect(notes).toContain('The end of a page was left out, because the page has too much text.')
  })

  it('of a page that is listed many times are read once for each', async () => {
    const pages = 1_500
    const bytes = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Kids[${'3 0 R '.repeat(pages)}]/Count ${pages}>>`,
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[4 0 R]>>',
      '<</Type/Annot/Rect[1 1 99 20]/Subtype/FreeText/Contents(A note)>>',
    ])
    const { parts } = await convert('a.pdf', bytes)
    expect(parts).toHaveLength(pages)
    expect(parts[7]?.text).toBe('Notes on this page:\n- A note')
  })
})

describe('zip paths with backslashes', () => {
  /** The same document with the folders of its entries separated by backslashes. */
  const withBackslashes = (name: string): Buffer => {
    const entries = Object.entries(unzipSync(corpusBytes(name)))
    return Buffer.from(zipSync(Object.fromEntries(entries.map(([path, bytes]) => [path.replaceAll('/', '\\'), bytes]))))
  }

  it.each(['prices.xlsx', 'report.docx', 'talk.pptx', 'report.odt', 'prices.ods', 'talk.odp', 'report.epub'])(
    'are read in %s',
    async (name) => {
      expect(written(await convert(name, withBackslashes(name)))).toBe(expectedText(name))
    },
  )

  it('that lead out of the folder, or are equal to another, stay refused', async () => {
    const rest = { '_rels\\.rels': relations('word/document.xml') }
    for (const evil of ['..\\evil', '\\evil', 'a\\..\\..\\evil', 'C:\\evil', '\\\\server\\evil']) {
      await refused('a.docx', zipSync({ [evil]: strToU8('x'), ...rest }), /leads out of its folder/)
    }
    await refused('a.docx', zipSync({ 'a\\b': strToU8('x'), 'a/b': strToU8('y'), ...rest }), /same name/)
  })
})

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
    expect(notes).toEqual(['Pages without text, for example because of scanned images (1): 2.'])
  })
})
