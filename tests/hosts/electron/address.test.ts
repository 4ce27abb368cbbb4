import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { externalAddress, isFramePage, isOwn } from '../../../src-main/hosts/electron/address.ts'
import { readWindowState, writeWindowState } from '../../../src-main/hosts/electron/windowState.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

test.each(['https://a.example/x', 'http://a.example/', 'mailto:a@b.example'])(
  '%s may be opened in the browser',
  (url) => {
    expect(externalAddress(url)).toBe(url)
  },
)
test.each(['javascript:alert(1)', 'file:///etc/passwd', 'https://u:p@a.example/', 'app://studio/', 'smb://a/b', 'x'])(
  '%s never goes to the browser',
  (url) => expect(externalAddress(url)).toBeNull(),
)
test('only app://studio is our own page', () => {
  expect(isOwn('app://studio/index.html')).toBe(true)
  for (const url of ['app://studio.evil/', 'app://u@studio/', 'https://studio/', 'app://studio:1/', '']) {
    expect(isOwn(url), url).toBe(false)
  }
})

test.each(['app://studio/diagram/index.html', 'app://studio/preview/index.html', 'about:srcdoc'])(
  'a frame of the preview or of a diagram may show %s',
  (url) => expect(isFramePage(url)).toBe(true),
)
test.each(['app://studio/index.html', 'app://studio/preview/', 'about:srcdoc?x', 'https://a.example/', 'data:,'])(
  'no frame may show %s',
  (url) => expect(isFramePage(url)).toBe(false),
)

const screen = { x: 0, y: 0, width: 1920, height: 1080 }
const state = { x: 10, y: 20, width: 900, height: 700, maximized: false }
test('size and position are restored, unless the file is damaged or the position is off every screen', () => {
  const folder = temporaryFolder('window-')
  const file = join(folder, 'window.json')
  expect(readWindowState(file, [screen])).toBeNull()
  writeWindowState(file, state)
  expect(readWindowState(file, [screen])).toEqual(state)
  expect(readdirSync(folder)).toEqual(['window.json'])
  writeWindowState(file, { ...state, x: 5000 })
  expect(readWindowState(file, [screen])).toBeNull()
  writeFileSync(file, '{"x":1')
  expect(readWindowState(file, [screen])).toBeNull()
})
