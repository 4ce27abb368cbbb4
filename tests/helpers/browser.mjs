// The browser of the tests, benchmarks and screenshots, and its flags.
import { say } from '../../resources/scripts/ready.mjs'
import { findPageBrowser, noSandboxWords, tryBrowser } from './findBrowser.mjs'

export { findBrowser, findPageBrowser } from './findBrowser.mjs'

/** Whether Chromium can start its sandbox here. Tried once: child processes and other test processes inherit the result. */
async function hasSandbox() {
  if (process.getuid?.() === 0) return false
  if (process.platform !== 'linux') return true
  if (process.env.STUDIO_SANDBOX === undefined) {
    const path = await findPageBrowser()
    const { why, isSandboxed } = path ? await tryBrowser(path) : { why: null, isSandboxed: true }
    process.env.STUDIO_SANDBOX = why === null && !isSandboxed ? 'off' : 'on'
    if (process.env.STUDIO_SANDBOX === 'off') say(noSandboxWords)
  }
  return process.env.STUDIO_SANDBOX === 'on'
}

/** Flags for every launch: no GPU, no sandbox where there is none, no traffic of Chromium's own. */
export const chromiumArgs = [
  ...((await hasSandbox()) ? [] : ['--no-sandbox']),
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Chromium runs a process for the suggestions of the address bar, which costs as much as the page. Only the last flag of this name
  // counts, so the list repeats the features that Playwright disables.
  `--disable-features=${[
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'DialMediaRouteProvider',
    'GlobalMediaControls',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
    'OptimizationHints',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'Translate',
  ].join(',')}`,
]
