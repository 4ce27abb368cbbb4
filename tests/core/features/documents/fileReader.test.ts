import { readdirSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { createFileReader } from '../../../../src-main/core/features/documents/fileReader.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import { freshFolder } from '../../helpers/core.ts'
import { plainPdf } from './corpus.ts'

const folder = freshFolder()
const reader = createFileReader({ fork: forkNode, folder })
afterAll(() => reader.terminate())

test('the text of a file has a label for each page, and a note where it was cut', async () => {
  const bytes = plainPdf(3, 1)
  const pages = [1, 2, 3].map((page) => `[Page ${page}]\nLine 1 of page ${page} is about the harbour.`)
  expect(await reader.read({ bytes, name: 'a.pdf' }, 1_000_000)).toBe(pages.join('\n\n'))
  expect(await reader.read({ bytes, name: 'a.pdf' }, 60)).toBe(
    `${pages.join('\n\n').slice(0, 60)}\n\n[The rest of this file was left out, because it is too long.]`,
  )
})

test('a file without text says what it may be, and no copy of any file stays', async () => {
  const scanned = reader.read({ bytes: plainPdf(1, 0, 10), name: 'scan.pdf' }, 1000)
  await expect(scanned).rejects.toMatchObject({
    kind: 'bad_input',
    message: 'Its pages have no text. They may be scanned images.',
  })
  expect(readdirSync(folder)).toEqual([])
})
