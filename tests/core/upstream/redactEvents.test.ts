import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../../src-main/core/upstream/redact/redactor.ts'
import { encodings, keyIn } from '../../helpers/keyForms.ts'

const secret = 'sk-live-Zq3~bX9.Lm0_Vt7?Rw2/Kp5'
const redactor = new Redactor(secret)

type Field = 'content' | 'reasoning_content' | 'refusal' | 'arguments'
const fields: Field[] = ['content', 'reasoning_content', 'refusal', 'arguments']

/** One event of a streamed chat. `index` comes after the text, as in the replies of the service. */
function event(field: Field, text: string, choice = 0, finish: string | null = null): string {
  const delta =
    field === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { [field]: text }
  return `data: ${JSON.stringify({ id: 'c1', choices: [{ delta, index: choice, finish_reason: finish }] })}\n\n`
}

/** The output after each chunk, and at the end. */
function through(chunks: readonly Uint8Array[]): Buffer[] {
  const body = redactor.forBody(true, true)
  const passed = chunks.map((chunk) => Buffer.from(body?.push(chunk) ?? []))
  return [...passed, Buffer.from(body?.end() ?? [])]
}

/** The texts that a client joins from a stream, by choice and field. Fails on an event that is not valid JSON. */
function joined(stream: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [, data = ''] of stream.matchAll(/^data: (\{.*\})$/gm)) {
    for (const { delta, index } of JSON.parse(data).choices) {
      const { tool_calls: calls, ...plain } = delta
      for (const { function: given } of calls ?? []) plain.arguments = given.arguments
      for (const [field, text] of Object.entries(plain)) {
        const key = `${index} ${field}`
        texts.set(key, (texts.get(key) ?? '') + String(text))
      }
    }
  }
  return texts
}

/** The joined texts of a stream with one text, read with the parser that clients use. */
function textsOf(stream: string): string {
  const lines: string[] = []
  const parser = createParser({ onEvent: ({ data }) => lines.push(`data: ${JSON.stringify(JSON.parse(data))}`) })
  parser.feed(stream)
  return [...joined(lines.join('\n')).values()].join('')
}

const cutAt = (text: string, places: readonly number[]): string[] => {
  const ends = [...new Set(places.map((place) => place % (text.length + 1))), text.length].sort((a, b) => a - b)
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}
const bytesCutAt = (text: string, places: readonly number[]): Buffer[] =>
  cutAt(Buffer.from(text).toString('latin1'), places).map((part) => Buffer.from(part, 'latin1'))

describe('a relayed stream of a chat', () => {
  test('does not contain the key when it is split between two deltas, at each position and in each field and encoding', () => {
    for (const field of fields) {
      for (const encode of Object.values(encodings)) {
        const form = encode(secret)
        for (let at = 1; at < form.length; at++) {
          const stream = event(field, `My key: ${form.slice(0, at)}`) + event(field, `${form.slice(at)}, thanks.`)
          const out = Buffer.concat(through([Buffer.from(stream)])).toString()
          expect(out.length).toBe(stream.length)
          const [text = ''] = joined(out).values()
          expect([form, at, text.startsWith('My key: '), text.endsWith(', thanks.')]).toEqual([form, at, true, true])
          expect([form, at, keyIn(Buffer.from(text), secret)]).toEqual([form, at, null])
          // The output contains neither half of the key. It may contain fewer characters of it than the filter holds back.
          expect(text).not.toContain(secret.slice(0, 4))
          expect(text).not.toContain(secret.slice(-6))
        }
      }
    }
  })

  test('does not contain the key, however its deltas and its bytes are split and choices alternate', () => {
    const places = fc.array(fc.nat(), { minLength: 1, maxLength: 8 })
    const text = fc.tuple(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(...Object.values(encodings)),
      fc.string({ maxLength: 20 }),
    )
    fc.assert(
      fc.property(
        text,
        places,
        places,
        fc.constantFrom(...fields),
        ([before, encode, after], deltas, chunks, field) => {
          const whole = `${before.replaceAll('\\', '')} ${encode(secret)} ${after}`
          const stream = cutAt(whole, deltas)
            .map((delta, at) => event(field, delta) + event('content', `other ${at} `, 1))
            .join('')
          const out = Buffer.concat(through(bytesCutAt(stream, chunks))).toString()
          expect(Buffer.byteLength(out)).toBe(Buffer.byteLength(stream))
          const texts = joined(out)
          expect(keyIn(Buffer.from(texts.get(`0 ${field}`) ?? ''), secret)).toBeNull()
          expect(texts.get('1 content')).toBe(joined(stream).get('1 content'))
        },
      ),
    )
  })

  test('does not contain the key when it is split between events whose JSON has several data lines', () => {
    /** The same events with JSON over several lines, which clients join with a line feed, and with other fields between them. */
    const overLines = (stream: string, lineEnd: string): string =>
      stream
        .replace(/"delta":/g, '"delta":\ndata: ')
        .replace(/,"index"/g, '\n: ping\ndata:,\nid: 7\ndata:"index"')
        .replaceAll('\n', lineEnd)
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      for (const field of fields) {
        for (let at = 1; at < secret.length; at += 3) {
          const events = [event(field, `My key: ${secret.slice(0, at)}`), event(field, `${secret.slice(at)}, thanks.`)]
          const stream = events.map((one) => overLines(one, lineEnd)).join('')
          for (const size of [1, 7, stream.length]) {
            const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
              Buffer.from(stream.slice(index * size, (index + 1) * size)),
            )
            const out = Buffer.concat(through(chunks)).toString()
            expect(out.length).toBe(stream.length)
            const text = textsOf(out)
            expect([lineEnd, field, at, size, keyIn(Buffer.from(text), secret)]).toEqual([
              lineEnd,
              field,
              at,
              size,
              null,
            ])
            expect(text).toMatch(/^My key: .*, thanks\.$/)
            expect(text).not.toContain(secret.slice(0, 4))
            expect(text).not.toContain(secret.slice(-6))
          }
        }
      }
    }
  })

  test('passes each ordinary event at once and as the same bytes', () => {
    const streams = ['Hello', ' wor', 'ld, s', 'sk', ' and "quotes" \\ end'].map((text) =>
      Buffer.from(event('content', text)),
    )
    const body = redactor.forBody(true, true)
    for (const chunk of streams) expect(body?.push(chunk)).toBe(chunk)
    expect(body?.end()).toBeNull()
  })

  test('holds back a text only from where the key may begin, and passes it when the text continues otherwise', () => {
    const [first, second] = [event('content', 'The prefix is sk-live-'), event('content', 'something.')]
    const passed = through([Buffer.from(first), Buffer.from(second)]).map(String)
    expect(passed[0]).toMatch(/The prefix is $/)
    expect(passed.join('')).toBe(first + second)
    expect(passed[2]).toBe('')
  })

  test('passes what was held back when the choice finishes, and masks it when it is most of the key', () => {
    const end = event('content', '', 0, 'stop')
    const short = event('content', 'sk-live-')
    expect(through([Buffer.from(short + end)]).map(String)).toEqual([short + end, ''])
    const long = event('content', secret.slice(0, -2))
    const [out = ''] = through([Buffer.from(long + end)]).map(String)
    expect(out).toContain('[key]')
    expect(out.length).toBe((long + end).length)
    expect(out).not.toContain(secret.slice(0, 12))
  })

  test('passes everything at the end of a broken stream', () => {
    const broken = `${event('content', 'sk-live-')}data: {"choices":[{"del`
    expect(Buffer.concat(through([Buffer.from(broken)])).toString()).toBe(broken)
  })
})
