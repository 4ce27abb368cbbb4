import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutSecrets } from '../../../src-main/core/shared/secrets.ts'
import { openLogFile } from '../../../src-main/hosts/electron/logFile.ts'
import { tries } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const folder = (): string => join(temporaryFolder('studio-log-'), 'logs')

test('lines are appended with time and level, also by the next start', () => {
  const at = folder()
  openLogFile(at).write('info', 'first')
  const log = openLogFile(at)
  log.write('error', 'second')
  expect(readFileSync(log.path, 'utf8')).toMatch(/^\d{4}-\S+Z info first\n\d{4}-\S+Z error second\n$/)
})

test('a full file is rotated: five files at most, the newest lines in studio.log, none larger than the limit', () => {
  const at = folder()
  const log = openLogFile(at, { fileBytes: 1000 })
  for (let n = 0; n < 200; n++) log.write('info', `line ${n} ${'é'.repeat(20)}`)
  expect(readdirSync(at).sort()).toEqual([1, 2, 3, 4].map((n) => `studio.${n}.log`).concat('studio.log'))
  const texts = ['studio.4.log', 'studio.3.log', 'studio.2.log', 'studio.1.log', 'studio.log'].map((name) =>
    readFileSync(join(at, name), 'utf8'),
  )
  for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000)
  const numbers = [...texts.join('').matchAll(/line (\d+)/g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, at) => 200 - numbers.length + at))
})

test('a long line is cut, and a folder that can’t be written disturbs nothing', () => {
  const log = openLogFile(folder())
  log.write('warn', 'x'.repeat(100_000))
  expect(readFileSync(log.path, 'utf8').length).toBeLessThan(5000)
  const file = join(temporaryFolder('studio-log-'), 'file')
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, '')
  openLogFile(join(file, 'logs')).write('error', 'lost')
})

test('keys and credentials are masked wherever they are in a line', () => {
  expect(withoutSecrets('key sk-live-abcdef123 and isk_ab12cd34_SECRETSECRET')).toBe('key sk-… and isk_…')
  expect(withoutSecrets('Authorization: Bearer abc.def http://me:pass@host/?token=abc&x=1')).toBe(
    'Authorization: Bearer … http://…@host/?token=…&x=1',
  )
  expect(
    withoutSecrets('http://127.0.0.1:8786/#code=abc x?state=ab&client_secret=ab&password=ab&refresh_token=ab'),
  ).toBe('http://127.0.0.1:8786/#code=… x?state=…&client_secret=…&password=…&refresh_token=…')
  const secret = fc.stringMatching(/^(sk-|isk_)[A-Za-z0-9_-]{12,60}$/)
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), secret, fc.string({ maxLength: 30 }), (before, key, after) => {
      expect(withoutSecrets(`${before} ${key} ${after}`)).not.toContain(key.slice(4))
    }),
    { numRuns: tries(500, 5000) },
  )
})
