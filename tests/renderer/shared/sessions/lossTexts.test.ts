import { beforeAll, expect, test } from 'vitest'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { keptText } from '../../../../src-renderer/shared/sessions/lossTexts.ts'

beforeAll(() => i18n.init({ lng: 'en', resources: { en }, initAsync: false }))

test('a turn that lost nothing kept the cache only if tokens came from it', () => {
  const text = (tokensCached: number | null, change: 'none' | 'first' = 'none') =>
    keptText({ row: { tokensCached }, loss: { change } })
  expect(text(1_200)).toBe('Kept')
  expect(text(0)).toBe('Nothing from the cache')
  expect(text(null)).toBe('–')
  expect(text(0, 'first')).toBe('Start')
})
