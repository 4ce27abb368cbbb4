// @module-tag chromium
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { node24 } from '../../../resources/scripts/ready.mjs'
import { linkInArguments, readDeepLink } from '../../../src-main/hosts/electron/deepLink.ts'
import { composer, replies } from '../../e2e/journey.ts'
import { tries } from '../../helpers/effort.ts'
import { launchDesktop, real, runDesktopToItsEnd } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

describe('a link', () => {
  test.each([
    ['inference-studio://chat/new?prompt=Hello%20there', 'Hello there'],
    ['INFERENCE-STUDIO://chat/new/?prompt=a%0D%0Ab&send=1', 'a\nb'],
    ['inference-studio://chat/new', ''],
    ['inference-studio://chat/new?prompt=a%00%1b%e2%80%aeb', 'ab'],
  ])('%s opens a new chat', (link, prompt) => {
    expect(readDeepLink(link)).toEqual({ page: 'chat', id: null, prompt })
  })

  test.each([
    ['inference-studio://help', null],
    ['inference-studio://help/', null],
    ['inference-studio://help/local-api', 'local-api'],
    ['inference-studio://help/local-api#set-up-an-app', 'local-api#set-up-an-app'],
  ])('%s opens the guide', (link, id) => {
    expect(readDeepLink(link)).toEqual({ page: 'help', id })
  })

  test.each([
    'inference-studio://help/a/b',
    'inference-studio://help/a%2fb',
    'inference-studio://help/a#b%20c',
    'inference-studio://chat/delete?prompt=x',
    'inference-studio://settings/new?prompt=x',
    'inference-studio://me@chat/new?prompt=x',
    'https://chat/new?prompt=x',
    'inference-studio:',
    '--inference-studio://chat/new',
    '',
  ])('%j does nothing', (link) => {
    expect(readDeepLink(link)).toBeNull()
  })

  test('of any text gives at most 8,000 characters without hidden ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 400 }), (text, times) => {
        const link = readDeepLink(
          `inference-studio://chat/new?prompt=${encodeURIComponent(text.toWellFormed().repeat(times))}`,
        )
        expect(link?.prompt?.length).toBeLessThanOrEqual(8_000)
        expect(link?.prompt).not.toMatch(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
      }),
      { numRuns: tries(200, 2000) },
    )
  })

  test('is found among the arguments of a start', () => {
    expect(
      linkInArguments(['/opt/studio', '--x', 'inference-studio://chat/new?prompt=1', 'inference-studio://chat/new']),
    ).toMatchObject({ prompt: '1' })
    expect(linkInArguments(['/opt/studio'])).toBeNull()
  })
})

test.runIf(!real)(
  'a link given to a second start fills the composer of the first one, and sends nothing',
  { tags: 'long' },
  async () => {
    const { sandbox, dataDir, desktop } = await launchConnected()
    const { page, evaluate } = desktop
    const typed = () =>
      composer(page)
        .inputValue()
        .catch(() => '')
    await page.evaluate(() => location.assign('#/usage'))
    const end = await runDesktopToItsEnd(dataDir, {}, [
      'inference-studio://chat/new?prompt=Write%20a%20poem%0Aabout%20%3Cb%3E',
    ])
    expect(end.code).toBe(0)
    await expect.poll(typed).toBe('Write a poem\nabout <b>')
    expect(await page.evaluate(() => location.hash)).toBe('#/chat')
    // macOS gives the link by an event.
    await page.evaluate(() => location.assign('#/usage'))
    await evaluate(({ app }) => void app.emit('open-url', {}, 'inference-studio://chat/new?prompt=More'))
    await expect.poll(typed).toBe('Write a poem\nabout <b>\n\nMore')
    await evaluate(({ app }) => void app.emit('open-url', {}, 'inference-studio://help/local-api#model-names'))
    const help = page.getByRole('dialog', { name: windowText('help:title') })
    await expect.poll(() => help.getByRole('heading', { name: 'Model names' }).isVisible()).toBe(true)
    expect(await replies(page).count()).toBe(0)
    expect(sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions')).toEqual([])
  },
)

test.runIf(!real)(
  'a link opens a window when none is open, and links are registered by an installed application only',
  { tags: 'long' },
  async () => {
    const { evaluate, errors } = await launchDesktop(newDataDir(), { packaged: true, answers: [{ response: 0 }] })
    expect(errors()).toContain(`links: inference-studio ${node24()}\n`)
    await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    const count = () => evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
    await expect.poll(count).toBe(0)
    await evaluate(({ app }) => void app.emit('open-url', {}, 'inference-studio://chat/new?prompt=From%20a%20link'))
    const draft = () =>
      evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('location.hash + JSON.stringify(localStorage)'),
      )
    await expect.poll(draft).toMatch(/^#\/chat\{.*From a link/)
    expect((await launchDesktop(newDataDir())).errors()).not.toContain('links:')
  },
)
