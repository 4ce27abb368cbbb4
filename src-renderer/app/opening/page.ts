import '../noEval.ts'
import '../styles.css'
import { type Opening, opening } from '../../../src-preload/contract/data.ts'
import { showCredential } from '../../api/session.ts'
import { showCount } from '../../i18n/format.ts'
import { i18n, startWords } from '../../i18n/index.ts'
import { showAppearance } from '../appearance.ts'

// Shown instead of the studio while the core prepares its data. Polls the progress, and loads the studio when the core is ready.

/** Time between two polls, ms. */
const everyMs = 500
/** Number of consecutive failed polls after which the program counts as stopped. */
const patience = 4

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}.`)
  return found
}
/** Sets the text only when it differs, because a live region would announce the same text again. */
const put = (id: string, text: string): void => {
  const element = part(id)
  if (element.textContent !== text) element.textContent = text
}

function show(work: Opening | null): void {
  const rows = work?.rows ?? 0
  put('what', work ? i18n.t(`opening:${work.stage}.${work.database}`) : i18n.t('opening:starting'))
  put('rows', rows > 0 ? i18n.t('opening:rows', { count: rows, shown: showCount(rows) }) : '')
  put('about', i18n.t(`opening:about.${work?.stage ?? 'starting'}`))
  part('going').hidden = false
}

function showEnd(): void {
  put('what', i18n.t('opening:stopped'))
  put('rows', '')
  put('about', i18n.t('opening:stoppedAbout'))
  part('going').hidden = true
}

/** The current step. Null when the page is not authorized. `over` when another server answers, which means that the studio is ready. */
async function ask(): Promise<Opening | null | 'over'> {
  const reply = await fetch('/rpc', { cache: 'no-store' })
  if (reply.status !== 503) return 'over'
  const { data } = opening.safeParse(((await reply.json().catch(() => null)) as { opening?: unknown } | null)?.opening)
  return data ?? null
}

async function follow(): Promise<void> {
  for (let silent = 0; ; ) {
    const reported = await ask().catch(() => undefined)
    if (reported === 'over') return location.reload()
    silent = reported === undefined ? silent + 1 : 0
    if (reported !== undefined) show(reported)
    else if (silent >= patience) showEnd()
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

showAppearance()
await startWords()
part('going').setAttribute('aria-label', i18n.t('opening:inProgress'))
show(null)
// The desktop page has no credential and does not need one.
await showCredential(window).catch(() => undefined)
await follow()
