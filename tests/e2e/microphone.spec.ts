import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, openChatWorld } from './chatWorld.ts'
import { withMicrophone } from './microphone.ts'

// Whatever fails, the microphone is closed and the person learns why, everywhere that recording is offered.

test.use(withMicrophone())

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

declare global {
  var microphones: MediaStreamTrack[]
  /** Receives each stream from the browser. */
  var onStream: (stream: MediaStream) => void | Promise<void>
}

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    globalThis.microphones = []
    globalThis.onStream = () => undefined
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted)
      globalThis.microphones.push(...stream.getTracks())
      await globalThis.onStream(stream)
      return stream
    }
  })
  await world.enter(page)
})

/** Number of opened microphones, and of those still open. */
const opened = (page: Page) => page.evaluate(() => globalThis.microphones.length)
const live = (page: Page) =>
  page.evaluate(() => globalThis.microphones.filter(({ readyState }) => readyState === 'live').length)

const places = {
  dictation: {
    start: (page: Page) => page.getByRole('button', { name: windowText('composer:dictate') }).click(),
    running: (page: Page) => page.getByRole('meter', { name: 'Level' }),
    cancel: (page: Page) => page.keyboard.press('Escape'),
  },
  recording: {
    start: async (page: Page) => {
      await page.evaluate(() => {
        location.hash = '#/transcribe'
      })
      await page
        .getByRole('region', { name: windowText('transcribe:dock') })
        .getByRole('button', { name: 'Record' })
        .click()
    },
    running: (page: Page) => page.getByRole('button', { name: 'Discard' }),
    cancel: async (page: Page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      const question = page.getByRole('dialog').getByRole('button', { name: 'Discard' })
      if (await question.isVisible()) await question.click()
    },
  },
} as const

const unsupported = 'Recording does not work here.'
const lost = 'The microphone was disconnected before anything was recorded.'

/** Runs in the page: the failure and the expected message. */
const failures: Record<string, { said: string; break: () => void }> = {
  'the recorder cannot be made': {
    said: unsupported,
    break: () => {
      globalThis.MediaRecorder = class extends MediaRecorder {
        constructor(stream: MediaStream) {
          super(stream)
          throw new DOMException('', 'NotSupportedError')
        }
      }
    },
  },
  'the recorder does not start': {
    said: unsupported,
    break: () => {
      MediaRecorder.prototype.start = () => {
        throw new DOMException('', 'InvalidStateError')
      }
    },
  },
  'no form of recording is known': {
    said: unsupported,
    break: () => {
      MediaRecorder.isTypeSupported = () => {
        throw new TypeError('')
      }
    },
  },
  'the device is gone when the browser says yes': {
    said: lost,
    break: () => {
      globalThis.onStream = (stream) => {
        for (const track of stream.getTracks()) track.stop()
      }
    },
  },
}

for (const [place, { start, running, cancel }] of Object.entries(places)) {
  for (const [failure, { said, break: how }] of Object.entries(failures)) {
    test(`${place}: ${failure}`, { tag: '@long' }, async ({ page }) => {
      await page.evaluate(how)
      await start(page)
      await expect(page.getByRole('alert').filter({ hasText: said })).toBeVisible()
      expect(await opened(page)).toBe(1)
      expect(await live(page)).toBe(0)
    })
  }

  for (const [part, how] of Object.entries({
    'no audio context': () => {
      globalThis.AudioContext = class extends AudioContext {
        constructor() {
          super()
          void this.close()
          throw new DOMException('', 'NotSupportedError')
        }
      }
    },
    'no source in an audio context': () => {
      AudioContext.prototype.createMediaStreamSource = () => {
        throw new DOMException('', 'InvalidStateError')
      }
    },
  })) {
    test(`${place}: with ${part} it records without a level, and closes the microphone`, { tag: '@long' }, async ({
      page,
    }) => {
      await page.evaluate(how)
      await start(page)
      await expect(running(page)).toBeVisible()
      expect(await live(page)).toBe(1)
      await cancel(page)
      await expect(running(page)).toHaveCount(0)
      expect(await live(page)).toBe(0)
    })
  }

  test(`${place}: cancelled while the browser asks, the microphone is closed as soon as it opens`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.evaluate(() => {
      globalThis.onStream = () => new Promise((resolve) => Object.assign(globalThis, { letGo: resolve }))
    })
    await start(page)
    await expect.poll(() => opened(page)).toBe(1)
    await page
      .getByRole('button', { name: windowText('common:cancel') })
      .first()
      .click()
    await page.evaluate(() => (globalThis as unknown as { letGo: () => void }).letGo())
    await expect.poll(() => live(page)).toBe(0)
  })

  test(`${place}: a device that goes away before the recording has begun is noticed and said`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.evaluate(() => {
      const begin = MediaRecorder.prototype.start
      MediaRecorder.prototype.start = function (every) {
        begin.call(this, every)
        // Stopping a track in code fires no event, so the test dispatches the device's event.
        for (const track of this.stream.getTracks()) {
          track.stop()
          track.dispatchEvent(new Event('ended'))
        }
      }
    })
    await start(page)
    await expect(page.getByText('The microphone was disconnected before anything was recorded.')).toBeVisible()
    await expect(running(page)).toHaveCount(0)
  })

  for (const when of ['from the start', 'later'] as const) {
    test(`${place}: a microphone that is muted ${when} is said, until it is heard again`, { tag: '@long' }, async ({
      page,
    }) => {
      await page.evaluate((early) => {
        globalThis.onStream = (stream) => {
          for (const track of stream.getTracks()) {
            let muted = early
            Object.defineProperty(track, 'muted', { get: () => muted })
            const mute = (now: boolean): void => {
              muted = now
              track.dispatchEvent(new Event(now ? 'mute' : 'unmute'))
            }
            Object.assign(globalThis, { mute })
          }
        }
      }, when === 'from the start')
      const mute = (now: boolean) =>
        page.evaluate((is) => (globalThis as unknown as { mute: (now: boolean) => void }).mute(is), now)
      await start(page)
      await expect(running(page)).toBeVisible()
      const said = page.getByRole('alert').filter({ hasText: 'The microphone is muted' })
      if (when === 'later') {
        await expect(said).toHaveCount(0)
        await mute(true)
      }
      await expect(said).toBeVisible()
      await mute(false)
      await expect(said).toHaveCount(0)
      await cancel(page)
      await expect.poll(() => live(page)).toBe(0)
    })
  }
}
