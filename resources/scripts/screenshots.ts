// `npm run screenshots`: pictures of the real product with its sandbox, light and dark. Single pictures go to test-results/screens, one
// sheet per section and width to docs/screens. `npm run screenshots -- chat --widths=420,1920` runs one section at other widths.
// `--lang all` or `--lang de,ar` shows the fullest states in these languages, on sheets in test-results/languages.
// `--check` runs axe on each state and saves its accessible names. It writes no sheets, because some states end before their checks do.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { closeHosts } from '../../tests/e2e/hosts.ts'
import { chromiumArgs, findBrowser } from '../../tests/helpers/browser.mjs'
import { textLanguages } from './i18n.ts'
import { buildIfNeeded, root } from './ready.mjs'
import { account } from './screenshots/account.ts'
import { Camera, sheetWidths } from './screenshots/camera.ts'
import { chat, compare } from './screenshots/chat.ts'
import { Checks, namesFolder } from './screenshots/checks.ts'
import { library, messageParts, preview } from './screenshots/composer.ts'
import { desktop } from './screenshots/desktop.ts'
import { showLanguages } from './screenshots/languages.ts'
import { localApi } from './screenshots/localApi.ts'
import { media } from './screenshots/media.ts'
import { connect, disconnect, type Studio } from './screenshots/scene.ts'
import { settings } from './screenshots/settings.ts'
import { start } from './screenshots/start.ts'
import { trouble } from './screenshots/trouble.ts'
import { voice } from './screenshots/voice.ts'

/** Sections in the order of docs/screens/README.md. */
const sections: Record<string, (studio: Studio) => Promise<void>> = {
  start,
  chat,
  compare,
  'message-parts': messageParts,
  preview,
  library,
  voice,
  media,
  account,
  'local-api': localApi,
  settings,
  trouble,
  desktop,
}

/** A microphone that beeps, and is allowed without a question. */
const fakeMicrophone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

const given = process.argv.slice(2)
const [, list] = given.find((one) => one.startsWith('--widths='))?.split('=') ?? []
const widths = list?.split(',').map(Number) ?? sheetWidths
/** The values of `--lang all`, `--lang=de,ar`. Null without it. */
const tags = given.includes('--lang')
  ? given[given.indexOf('--lang') + 1]
  : given.find((one) => one.startsWith('--lang='))?.slice(7)
const languages = tags === undefined ? null : tags === 'all' ? textLanguages : tags.split(',')
const strange = languages?.filter((tag) => !textLanguages.includes(tag)) ?? []
if (strange.length > 0) throw new Error(`No language ${strange.join(', ')}. Languages: ${textLanguages.join(', ')}`)
const checks = given.includes('--check') ? new Checks() : null
const wanted = given.filter((one) => !one.startsWith('--') && one !== tags)
const unknown = wanted.filter((name) => !(name in sections))
if (unknown.length > 0)
  throw new Error(`No section ${unknown.join(', ')}. Sections: ${Object.keys(sections).join(', ')}`)
if (!widths.every((width) => Number.isInteger(width) && width > 0)) throw new Error(`${list} is not a list of widths.`)

buildIfNeeded()
const singles = join(root, 'test-results/screens')
const sheets = join(root, 'docs/screens')
if (given.length === 0) rmSync(singles, { recursive: true, force: true })
mkdirSync(sheets, { recursive: true })
const executablePath = await findBrowser()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: [...chromiumArgs, ...fakeMicrophone],
})
try {
  if (languages) {
    const camera = new Camera('languages', widths)
    const world = await connect({ browser, camera })
    await showLanguages(world, languages, list === undefined ? [1440, 700] : widths)
    await disconnect(world)
  }
  let pictures = 0
  for (const [name, run] of Object.entries(sections)) {
    if (languages || (wanted.length > 0 && !wanted.includes(name))) continue
    const camera = new Camera(name, widths, checks)
    await run({ browser, camera })
    pictures += camera.count
    // Other widths are for a look only.
    const bytes = list === undefined && !checks ? await camera.writeSheets(browser) : 0
    console.log(`${name}: ${camera.count} pictures${bytes > 0 ? `, sheets of ${Math.round(bytes / 1000)} kB` : ''}`)
  }
  const total = readdirSync(sheets).reduce((sum, file) => sum + statSync(join(sheets, file)).size, 0)
  console.log(`${pictures} pictures in ${singles}, ${(total / 1e6).toFixed(1)} MB of sheets in ${sheets}`)
  if (checks) {
    console.log([...checks.found, `${checks.found.length} violations. Accessible names: ${namesFolder}`].join('\n'))
    if (checks.found.length > 0) process.exitCode = 1
  }
} finally {
  await browser.close()
  await closeHosts()
}
