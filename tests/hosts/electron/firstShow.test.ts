// @module-tag chromium
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { atFirstShow } from '../../../src-main/hosts/electron/firstShow.ts'
import { launchDesktop, real } from '../../helpers/electron/launch.ts'
import { newDataDir, tidy } from './fixtures.ts'

describe('a hidden window is shown', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function hiddenWindow() {
    const window = Object.assign(new EventEmitter(), { webContents: new EventEmitter() })
    const show = vi.fn()
    atFirstShow(window, show)
    return { window, show }
  }

  test.each(['ready-to-show', 'did-finish-load', 'did-fail-load'])('once, at the first %s', (event) => {
    const { window, show } = hiddenWindow()
    expect(show).not.toHaveBeenCalled()
    ;(event === 'ready-to-show' ? window : window.webContents).emit(event)
    expect(show).toHaveBeenCalledOnce()
    window.emit('ready-to-show')
    window.webContents.emit('did-finish-load')
    vi.advanceTimersByTime(60_000)
    expect(show).toHaveBeenCalledOnce()
  })

  test('after 2 s without any event', () => {
    const { show } = hiddenWindow()
    vi.advanceTimersByTime(1_999)
    expect(show).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(show).toHaveBeenCalledOnce()
  })

  test('not after it was closed', () => {
    const { window, show } = hiddenWindow()
    window.emit('closed')
    vi.advanceTimersByTime(60_000)
    expect(show).not.toHaveBeenCalled()
  })
})

describe.runIf(!real)('with the replacement of Electron only', () => {
  afterEach(tidy)

  test('the window appears under a compositor that never lets it paint while hidden', { tags: 'long' }, async () => {
    const { evaluate } = await launchDesktop(newDataDir(), { withholdReadyToShow: true })
    await expect
      .poll(() => evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible())))
      .toEqual([true])
  })
})
