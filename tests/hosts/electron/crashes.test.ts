import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CrashPolicy, recoverFromCrashes } from '../../../src-main/hosts/electron/crashes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A window whose page can crash and hang. `answer`: the button that the person presses. */
function crashing(answer = 0, isQuitting = () => false) {
  const webContents = Object.assign(new EventEmitter(), {
    reload: vi.fn(),
    forcefullyCrashRenderer: vi.fn(() =>
      webContents.emit('render-process-gone', {}, { reason: 'killed', exitCode: 1 }),
    ),
  })
  const window = Object.assign(new EventEmitter(), { webContents, isDestroyed: () => false })
  const quit = vi.fn()
  const showMessageBox = vi.fn(async () => ({ response: answer, checkboxChecked: false }))
  const log = vi.fn()
  const options = { dialog: { showMessageBox }, log, quit, isQuitting }
  recoverFromCrashes(window as unknown as BrowserWindow, options)
  const crash = (reason = 'crashed') => webContents.emit('render-process-gone', {}, { reason, exitCode: 5 })
  return { window, webContents, quit, log, showMessageBox, crash }
}

test('one crash reloads, a second within a minute asks, a later one reloads again', () => {
  const policy = new CrashPolicy()
  expect([0, 59_999, 60_000, 120_000].map((at) => policy.crashed(at))).toEqual(['reload', 'ask', 'ask', 'reload'])
})

test.each([
  [0, 'reload'],
  [1, 'quit'],
])('after a second crash within a minute, button %i is %s', async (button, what) => {
  const { webContents, quit, showMessageBox, crash } = crashing(button)
  crash()
  expect([webContents.reload.mock.calls.length, showMessageBox.mock.calls.length]).toEqual([1, 0])
  crash('oom')
  await vi.advanceTimersByTimeAsync(0)
  expect(showMessageBox).toHaveBeenCalledOnce()
  expect([webContents.reload.mock.calls.length, quit.mock.calls.length]).toEqual(what === 'reload' ? [2, 0] : [1, 1])
})

test('a page that ends in order is not reloaded', () => {
  const { webContents, crash } = crashing()
  crash('clean-exit')
  expect(webContents.reload).not.toHaveBeenCalled()
})

test('a page that ends while the program quits is neither logged nor loaded again', () => {
  let isQuitting = false
  const { webContents, log, crash } = crashing(0, () => isQuitting)
  isQuitting = true
  crash('killed')
  expect([webContents.reload.mock.calls, log.mock.calls]).toEqual([[], []])
})

test('a page that hangs for 10 s is ended and reloaded; one that answers in time is not, nor a closed window', () => {
  const { window, webContents } = crashing()
  window.emit('unresponsive')
  vi.advanceTimersByTime(9_999)
  window.emit('responsive')
  vi.advanceTimersByTime(60_000)
  expect(webContents.forcefullyCrashRenderer).not.toHaveBeenCalled()
  window.emit('unresponsive')
  vi.advanceTimersByTime(10_000)
  expect([webContents.forcefullyCrashRenderer.mock.calls.length, webContents.reload.mock.calls.length]).toEqual([1, 1])
  window.emit('unresponsive')
  window.emit('closed')
  vi.advanceTimersByTime(60_000)
  expect(webContents.forcefullyCrashRenderer).toHaveBeenCalledOnce()
})
