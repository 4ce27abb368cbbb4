import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import { lacks } from '../helpers/programs.mjs'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { composer, quick } from './journey.ts'
import { openScreen, type Screen } from './screen.ts'

test.skip(lacks('orca') !== null, 'orca')
test.skip(lacks('full-browser') !== null, 'full-browser')

let screen: Screen
let page: Page

/** What speech-dispatcher was given to speak, line by line. */
const spokenFile = (): string => join(screen.folder, 'spoken.txt')
const spoken = (): string[] =>
  existsSync(spokenFile())
    ? readFileSync(spokenFile(), 'utf8')
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    : []

/** A speech-dispatcher whose one voice writes what it is to say into a file. */
function startSpeech(): void {
  const folder = join(screen.folder, 'speech')
  mkdirSync(join(folder, 'modules'), { recursive: true })
  const server = ['AudioOutputMethod "libao"', 'AddModule "record" "sd_generic" "record.conf"', 'DefaultModule record']
  const voice = [
    `GenericExecuteSynth "echo \\'$DATA\\' >> ${spokenFile()}"`,
    'GenericCmdDependency "echo"',
    'GenericMaxChunkLength 10000',
    'GenericDelimiters ""',
    'GenericLanguage "en" "en" "utf-8"',
    'GenericDefaultCharset "utf-8"',
    'AddVoice "en" "MALE1" "one"',
  ]
  writeFileSync(join(folder, 'speechd.conf'), `${server.join('\n')}\n`)
  writeFileSync(join(folder, 'modules', 'record.conf'), `${voice.join('\n')}\n`)
  screen.start('speech-dispatcher', ['--run-single', '--timeout', '0', '--config-dir', folder, '--log-dir', folder])
}

/** Orca neither reads the whole page when it opens, which takes as long as a voice needs, nor each key. */
function settleOrca(): void {
  const folder = join(screen.folder, '.local', 'share', 'orca')
  const [profile, none] = [['Default', 'default'], { pronunciations: {}, keybindings: {} }]
  const chosen = { profile, ...none, sayAllOnLoad: false, enableKeyEcho: false }
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'user-settings.conf'),
    JSON.stringify({ general: { startingProfile: profile }, ...none, profiles: { default: chosen } }),
  )
}

test.beforeAll(async () => {
  const sandbox = await openSandbox({ apiKey: 'sk-orca', paces: quick })
  const host = await openConnectedHost({ baseUrl: sandbox.baseUrl, apiKey: 'sk-orca' })
  screen = await openScreen()
  startSpeech()
  settleOrca()
  screen.start('orca', ['--replace'])
  await expect.poll(spoken).toContain('Screen reader on.')
  page = await screen.open(host.url, ['--force-renderer-accessibility'])
})
test.afterAll(async () => {
  await screen?.close()
  await closeHosts()
})

/** The steps of `heard/orca.txt`: what is said after each, among other things, in this order. */
function script(): Map<string, string[]> {
  const text = readFileSync(join(root, 'tests/e2e/heard/orca.txt'), 'utf8')
  return new Map(
    text
      .split(/^# /m)
      .slice(1)
      .map((part) => {
        const [step = '', ...lines] = part.split('\n').filter((line) => line.trim() !== '')
        return [step, lines]
      }),
  )
}

/** The lines that are not among those that were said, in their order. */
function unheard(lines: readonly string[], said: readonly string[]): string[] {
  let at = 0
  return lines.filter((line) => {
    const found = said.findIndex((one, index) => index >= at && one.includes(line))
    if (found >= 0) at = found + 1
    return found < 0
  })
}

/** Waits until Orca is silent. */
async function silence(): Promise<number> {
  for (let before = -1; before !== spoken().length; ) {
    before = spoken().length
    await page.waitForTimeout(1_500)
  }
  return spoken().length
}

test('Orca reads a journey through chat and the local API, as it is written down', { tag: '@long' }, async () => {
  test.setTimeout(600_000)
  const steps = script()
  const taken: string[] = []
  const step = async (name: string, ...keys: string[]): Promise<void> => {
    const from = taken.length === 0 ? 0 : await silence()
    taken.push(name)
    if (keys.length > 0) screen.press(...keys)
    if (process.env.STUDIO_HEARD) {
      await page.waitForTimeout(3000)
      await silence()
      console.log(`# ${name}\n${spoken().slice(from).join('\n')}`)
      return
    }
    const lines = steps.get(name) ?? []
    await expect.poll(() => unheard(lines, spoken().slice(from)), { message: name }).toEqual([])
  }
  await expect(composer(page)).toBeFocused()
  await step('the window opens')
  await step('palette', 'ctrl+k')
  await step('a command is typed', 'n', 'e', 'w')
  await step('palette is left', 'Escape')
  await step('model picker', 'ctrl+shift+m')
  await step('a model is typed', 'm', 'i', 'r')
  await step('the model is picked', 'Return')
  await step('the reply has settled', 'h', 'i', 'Return')
  await step('back to the message above', 'alt+Up')
  await step('the heading of the message', 'h')
  await step('the heading of the reply', 'h')
  await step('the message field again', 'ctrl+j')
  await step('page Local API', 'ctrl+7')
  await step('the first button of the page', 'Tab')
  await step('the switch', 'Tab')
  await step('connect an app', 'Tab')
  await step('its dialog', 'Return')
  await step('the first app', 'Tab')
  await step('the dialog is left', 'Escape')
  expect(taken).toEqual([...steps.keys()])
})
