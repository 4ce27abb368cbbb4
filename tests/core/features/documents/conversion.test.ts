import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { afterEach, expect, test } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { type ConversionLimits, DocumentConversion } from '../../../../src-main/core/features/documents/conversion.ts'
import type { ConversionProgress } from '../../../../src-main/core/features/documents/worker.ts'
import type { ChildOfProgram } from '../../../../src-main/core/shared/processWorker.ts'
import { countTokens } from '../../../../src-main/core/upstream/reply/tokens.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import { tries } from '../../../helpers/effort.ts'
import { longestTurn } from '../../../helpers/longestTurn.ts'
import { freshFolder } from '../../helpers/core.ts'
import { corpus, corpusBytes, corpusPath, plainPdf } from './corpus.ts'

const folder = freshFolder()
const open: DocumentConversion[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

function conversion(limits: Partial<ConversionLimits> = {}): DocumentConversion {
  const made = new DocumentConversion(forkNode, limits)
  open.push(made)
  return made
}

function file(bytes: Uint8Array, name = 'file.pdf') {
  const path = join(folder, crypto.randomUUID())
  writeFileSync(path, bytes)
  return { path, name }
}

const report = { path: corpusPath('report.docx'), name: 'report.docx' }
const textIn = (progress: readonly ConversionProgress[]): string =>
  progress.flatMap((one) => ('parts' in one ? one.parts.map(({ text }) => text) : [])).join('\n')

async function convert(by: DocumentConversion, job: { path: string; name: string }, signal?: AbortSignal) {
  const progress: ConversionProgress[] = []
  return { ...(await by.convert(job, (one) => progress.push(one), signal)), text: textIn(progress) }
}

test('a document is converted in a process of its own, with the tokens of its parts', async () => {
  const found = await convert(conversion(), report)
  expect(found).toMatchObject({ kind: 'docx', unit: 'page', parts: 3 })
  expect(found.text).toContain('The third page ends the report.')
  expect(found.tokens).toBeGreaterThan(60)
})

test('a document that takes its process down is called damaged, and the next one is converted', async () => {
  const children: ChildOfProgram[] = []
  const by = new DocumentConversion((path, args) => {
    const child = forkNode(path, args)
    children.push(child)
    return child
  })
  open.push(by)
  await convert(by, report)
  const running = convert(by, file(plainPdf(3000, 60)))
  const damaged = expect(running).rejects.toMatchObject({ kind: 'bad_input', message: /damaged/ })
  children[0]?.kill()
  await damaged
  expect((await convert(by, report)).parts).toBe(3)
  expect(children).toHaveLength(2)
})

test('the estimate of a long document is as large as its text, however many parts it has', async () => {
  const chapter = 'The ferry crosses the river each morning at seven and comes back in the evening. '.repeat(25)
  const chapters = 700
  const names = Array.from({ length: chapters }, (_, at) => `c${at}`)
  const epub = zipSync(
    {
      mimetype: strToU8('application/epub+zip'),
      'META-INF/container.xml': strToU8('<container><rootfile full-path="a.opf"/></container>'),
      'a.opf': strToU8(
        `<package>${names.map((name) => `<item id="${name}" href="${name}.xhtml"/><itemref idref="${name}"/>`).join('')}</package>`,
      ),
      ...Object.fromEntries(names.map((name) => [`${name}.xhtml`, strToU8(`<html><p>${chapter}</p></html>`)])),
    },
    { level: 1 },
  )
  const found = await convert(conversion(), file(epub, 'book.epub'))
  expect(found.parts).toBe(chapters)
  const exact = countTokens(chapter) * chapters
  expect(Math.abs(found.tokens / exact - 1)).toBeLessThan(0.05)
})

test('a conversion that takes too long, needs too much memory or is cancelled ends, and the next one works', {
  tags: 'long',
}, async () => {
  const long = file(plainPdf(3000, 60))
  const slow = conversion({ timeoutMs: 300 })
  await expect(convert(slow, long)).rejects.toMatchObject({ kind: 'bad_input', message: /took too long/ })
  await expect(convert(conversion({ maxGrowthBytes: 1 }), long)).rejects.toMatchObject({ message: /too much memory/ })
  const cancelled = conversion()
  const stop = new AbortController()
  const running = convert(cancelled, long, stop.signal)
  const waiting = convert(cancelled, report)
  stop.abort()
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' })
  expect((await waiting).parts).toBe(3)
  const failing = cancelled.convert(report, () => {
    throw new StudioError('disk_full', 'No space.')
  })
  await expect(failing).rejects.toMatchObject({ kind: 'disk_full' })
})

test('no file crashes or blocks the process: random bytes and damaged documents', { tags: 'long' }, async () => {
  const by = conversion({ timeoutMs: 20_000 })
  const damaged = fc
    .record({
      name: fc.constantFrom(...corpus),
      changes: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }), {
        minLength: 1,
        maxLength: 20,
      }),
      cut: fc.option(fc.double({ min: 0.1, max: 1, noNaN: true })),
    })
    .map(({ name, changes, cut }) => {
      const bytes = Buffer.from(corpusBytes(name))
      for (const { at, byte } of changes) bytes[Math.floor(at * (bytes.length - 1))] = byte
      return { name, bytes: cut === null ? bytes : bytes.subarray(0, Math.floor(cut * bytes.length)) }
    })
  const noise = fc.record({
    name: fc.constantFrom('a.txt', 'a.html', 'a.pdf', 'a.docx'),
    bytes: fc
      .tuple(fc.constantFrom('', '%PDF-1.7\n', 'PK\u0003\u0004', '<html>'), fc.uint8Array({ maxLength: 2000 }))
      .map(([head, rest]) => Buffer.concat([Buffer.from(head, 'latin1'), rest])),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, noise), async ({ name, bytes }) => {
      try {
        expect((await convert(by, file(bytes, name))).parts).toBeGreaterThan(0)
      } catch (thrown) {
        expect(thrown).toMatchObject({ kind: 'bad_input' })
      }
    }),
    { numRuns: tries(60, 5000) },
  )
})

test('the core answers within 50 ms while a PDF of 50 MB is converted', { tags: 'long' }, async () => {
  const big = file(plainPdf(200, 50, 250_000))
  const by = conversion()
  await convert(by, report)
  const longest = longestTurn()
  const { parts } = await convert(by, big)
  expect(parts).toBe(200)
  expect(longest()).toBeLessThan(50)
})
